"""Access tokens of connections: remembered by the process, shared through the table, fetched by one at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, repeat
from threading import Lock
from typing import Final
from weakref import WeakValueDictionary

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection
from chalicelib.proxy.client_credentials import BASIC, ClientRejected, Granted
from chalicelib.proxy.credentials import CredentialKey, key_of
from chalicelib.proxy.deadline import DeadlinePassed, seconds_left
from chalicelib.proxy.recent import Recent
from chalicelib.proxy.sealed_tokens import AccessToken, TokenRows, opened, sealed
from chalicelib.proxy.vault import Vault

LEASE: Final = timedelta(seconds=15)
"""Longer than a fetch may take. After it another process fetches, whatever became of the first."""
NO_USE_FOR: Final = timedelta(seconds=30)
"""So long a rejected client is not tried again, and a new token that did not help not followed by another."""
MARGIN: Final = timedelta(seconds=30)
"""Before its end a token is not used any more; a tenth of its life, if that is less."""
EARLY: Final = timedelta(seconds=120)
"""Before its end the next token is fetched; a quarter of its life, if that is less."""
_POLL_SECONDS: Final = (0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True, slots=True)
class Need:
    """Who needs a token, and how it would be fetched."""

    connection: Connection
    fetch: Callable[[str], Granted]
    """Asks the token URL, proving the client in this style first. Raises ClientRejected, Refusal."""
    still_holds: Callable[[], None]
    """Reads the connection again; raises when it was revoked or has another secret."""
    deadline: float
    """On time.monotonic()."""
    refused: str = field(default="", repr=False)
    """The token that the vendor answered 401 to: any other one will do."""


class AccessTokens:
    """One for a process. Safe to share between threads."""

    def __init__(
        self, rows: TokenRows, vault: Vault, *, now: Callable[[], datetime], pause: Callable[[float], None]
    ) -> None:
        self._rows = rows
        self._vault = vault
        self._now = now
        self._pause = pause
        self._kept: Recent[CredentialKey, AccessToken] = Recent()
        self._styles: Recent[CredentialKey, str] = Recent()
        self._rejected_at: Recent[CredentialKey, datetime] = Recent()
        self._unhelpful_at: Recent[CredentialKey, datetime] = Recent()
        self._turns = _Turns()

    def at_hand(self, connection: Connection) -> AccessToken | None:
        """A token that needs neither table nor token URL now."""
        kept = self._kept.find(key_of(connection))
        return kept if kept is not None and self._is_fresh(kept) else None

    def get(self, need: Need) -> AccessToken:
        """A token other than the refused one. Threads take turns; one that has a usable token does not wait.

        Refuses `credential_missing` when the token URL rejects the client, else what `need` raises.
        Raises DeadlinePassed.
        """
        key = key_of(need.connection)
        remembered = self._kept.find(key)
        usable = remembered if remembered is not None and self._serves(remembered, need) else None
        with self._turns.take(key, 0.0 if usable else seconds_left(need.deadline)) as is_mine:
            if is_mine:
                return self._renewed(need)
        if usable is None:
            raise DeadlinePassed
        return usable

    def may_renew(self, connection: Connection) -> bool:
        """Whether a 401 is worth a new token: not when the last one did not help a moment ago."""
        return not self._is_recent(self._unhelpful_at.find(key_of(connection)))

    def did_not_help(self, connection: Connection) -> None:
        """The vendor answered 401 to a new token too."""
        self._unhelpful_at.keep(key_of(connection), self._now())

    def _renewed(self, need: Need) -> AccessToken:
        """Fetch, or wait for the process that fetches."""
        holder = os.urandom(16).hex()
        for seconds in chain(_POLL_SECONDS, repeat(_POLL_SECONDS[-1])):
            known = self._known(need)
            if known is not None and self._is_fresh(known):
                return known
            self._require_not_rejected(need.connection)
            now = self._now()
            if self._rows.claim(need.connection, holder=holder, now=now, until=now + LEASE):
                return self._fetched(need, holder)
            if known is not None:
                return known
            self._pause(min(seconds, seconds_left(need.deadline)))
            need.still_holds()
        raise AssertionError("unreachable: the polls do not end")

    def _known(self, need: Need) -> AccessToken | None:
        """The best usable token of the process and the table."""
        key = key_of(need.connection)
        known = self._kept.find(key)
        if known is not None and self._serves(known, need) and self._is_fresh(known):
            return known
        stored = self._rows.find(need.connection)
        if stored is not None:
            self._styles.keep(key, stored.style)
            found = opened(self._vault, need.connection, stored) if stored.usable_until > self._now() else None
            if found is not None and self._serves(found, need):
                self._kept.keep(key, found)
                return found
        return known if known is not None and self._serves(known, need) else None

    def _fetched(self, need: Need, holder: str) -> AccessToken:
        """With the lease. While the old token still serves, a failure keeps the lease: nobody tries again at once."""
        known = self._known(need)  # another may have fetched between the look and the lease
        if known is not None and self._is_fresh(known):
            self._rows.release(need.connection, holder=holder)
            return known
        try:
            token = self._fetch(need)
        except Refusal:
            if known is not None:
                return known
            self._rows.release(need.connection, holder=holder)
            raise
        self._keep(need, token, holder)
        return token

    def _fetch(self, need: Need) -> AccessToken:
        key = key_of(need.connection)
        asked_at = self._now()
        try:
            granted = need.fetch(self._styles.find(key) or BASIC)
        except ClientRejected:
            self._rejected_at.keep(key, asked_at)
            raise _rejected(need.connection) from None
        life = timedelta(seconds=granted.lifetime_seconds)
        end = asked_at + life
        return AccessToken(granted.token, end - min(EARLY, life / 4), end - min(MARGIN, life / 10), granted.style)

    def _keep(self, need: Need, token: AccessToken, holder: str) -> None:
        """Where the row is no longer ours, the token is good for this call, unless its secret is gone."""
        row = sealed(self._vault, need.connection, token)
        if not self._rows.keep(need.connection, row, holder=holder):
            need.still_holds()
        self._kept.keep(key_of(need.connection), token)
        self._styles.keep(key_of(need.connection), token.style)

    def _is_fresh(self, token: AccessToken) -> bool:
        return token.refresh_at > self._now()

    def _serves(self, token: AccessToken, need: Need) -> bool:
        return token.text != need.refused and token.usable_until > self._now()

    def _require_not_rejected(self, connection: Connection) -> None:
        if self._is_recent(self._rejected_at.find(key_of(connection))):
            raise _rejected(connection)

    def _is_recent(self, moment: datetime | None) -> bool:
        return moment is not None and self._now() < moment + NO_USE_FOR


class _Turn:
    def __init__(self) -> None:
        self.lock = Lock()


class _Turns:
    """One lock for each connection that somebody waits for."""

    def __init__(self) -> None:
        self._turns: WeakValueDictionary[CredentialKey, _Turn] = WeakValueDictionary()
        self._guard = Lock()

    @contextmanager
    def take(self, key: CredentialKey, seconds: float) -> Iterator[bool]:
        """Whether the turn came within so many seconds."""
        with self._guard:
            turn = self._turns.setdefault(key, _Turn())
        is_mine = turn.lock.acquire(timeout=seconds)
        try:
            yield is_mine
        finally:
            if is_mine:
                turn.lock.release()


def _rejected(connection: Connection) -> Refusal:
    message = (
        f"The token URL of the connection to {connection.vendor} rejects its client id and secret. "
        f"Ask for them again with request_credential (connectionId {connection.id}), never in the chat."
    )
    return Refusal(Reason.CREDENTIAL_MISSING, message)
