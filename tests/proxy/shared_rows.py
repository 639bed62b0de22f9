"""Token rows that several proxies of one test share, as processes share the table; `journal` is what was done."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from chalicelib.model import Connection, StoredToken


@dataclass
class Row:
    token: StoredToken | None = None
    holder: str = ""
    lease_until: datetime | None = None


@dataclass
class SharedRows:
    live_revision: int = 1
    """0: the connection is revoked."""
    rows: dict[int, Row] = field(default_factory=dict)
    journal: list[str] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def find(self, connection: Connection) -> StoredToken | None:
        with self.lock:
            self.journal.append("find")
            return self._row(connection).token

    def claim(self, connection: Connection, *, holder: str, now: datetime, until: datetime) -> bool:
        with self.lock:
            row = self._row(connection)
            taken = self._is_live(connection) and (row.lease_until is None or row.lease_until <= now)
            if taken:
                row.holder, row.lease_until = holder, until
            self.journal.append("claim" if taken else "claim refused")
            return taken

    def keep(self, connection: Connection, token: StoredToken, *, holder: str) -> bool:
        with self.lock:
            row = self._row(connection)
            if not self._is_live(connection) or row.holder != holder:
                self.journal.append("keep refused")
                return False
            self.rows[connection.secret_revision] = Row(token)
            self.journal.append("keep")
            return True

    def release(self, connection: Connection, *, holder: str) -> None:
        with self.lock:
            row = self._row(connection)
            if row.holder == holder:
                row.holder, row.lease_until = "", None
            self.journal.append("release")

    def _row(self, connection: Connection) -> Row:
        return self.rows.setdefault(connection.secret_revision, Row())

    def _is_live(self, connection: Connection) -> bool:
        return connection.secret_revision == self.live_revision
