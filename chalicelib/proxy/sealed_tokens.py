"""Access tokens as processes share them: sealed in rows, each for one revision of a connection's secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from chalicelib.errors import Refusal
from chalicelib.model import Connection, StoredToken
from chalicelib.proxy.vault import Vault

PART_CHARACTERS: Final = 2000
"""With its few fields, and each character escaped, a part stays under the 4,096 bytes that the vault seals at once."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    text: str = field(repr=False)
    refresh_at: datetime
    """From then on the first to come fetches the next one, and the others go on with this one."""
    usable_until: datetime
    style: str
    """How its client was proved: `basic` or `body`."""


class TokenRows(Protocol):
    """What the table offers. A row is gone with its secret, and never written for one that is gone."""

    def find(self, connection: Connection) -> StoredToken | None: ...

    def claim(self, connection: Connection, *, holder: str, now: datetime, until: datetime) -> bool:
        """Take the right to fetch. False: another has it, or the connection is not live with this secret."""

    def keep(self, connection: Connection, token: StoredToken, *, holder: str) -> bool:
        """Write the token and give the right back. False: the right was lost meanwhile."""

    def release(self, connection: Connection, *, holder: str) -> None: ...


class NothingShared:
    """For a process on its own."""

    def find(self, *_: object) -> None:
        return None

    def claim(self, *_: object, **__: object) -> bool:
        return True

    def keep(self, *_: object, **__: object) -> bool:
        return True

    def release(self, *_: object, **__: object) -> None:
        return None


def sealed(vault: Vault, connection: Connection, token: AccessToken) -> StoredToken:
    """The token in sealed parts that open for this connection and revision only."""
    texts = [token.text[at : at + PART_CHARACTERS] for at in range(0, len(token.text), PART_CHARACTERS)]
    parts = tuple(
        vault.seal(
            {**_marks(connection, place, len(texts)), "accessToken": text},
            person_id=connection.person_id,
            connection_id=connection.id,
        )
        for place, text in enumerate(texts)
    )
    return StoredToken(token.refresh_at, token.usable_until, token.style, parts)


def opened(vault: Vault, connection: Connection, stored: StoredToken) -> AccessToken | None:
    """None: what is stored was not sealed as this connection's token under this secret."""
    text = ""
    for place, part in enumerate(stored.sealed):
        try:
            found = dict(vault.open(part, person_id=connection.person_id, connection_id=connection.id))
        except Refusal:
            return None
        text += found.pop("accessToken", "")
        if found != _marks(connection, place, len(stored.sealed)):
            return None
    return AccessToken(text, stored.refresh_at, stored.usable_until, stored.style) if text else None


def _marks(connection: Connection, place: int, count: int) -> Mapping[str, str]:
    return {"revision": str(connection.secret_revision), "part": f"{place + 1}/{count}"}
