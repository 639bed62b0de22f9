"""A connection's credential in the clear: how it is applied and how it is kept out of sight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from chalicelib.model import Connection
from chalicelib.proxy.headers import Headers
from chalicelib.proxy.recent import Recent

CredentialKey: TypeAlias = tuple[str, str, int]
"""Person, connection, secret revision: a new secret is a new key, so nothing kept under it can be out of date."""


def key_of(connection: Connection) -> CredentialKey:
    return connection.person_id, connection.id, connection.secret_revision


@dataclass(frozen=True, slots=True)
class Credential:
    """What goes out with a call, and every form of it that must not come back."""

    headers: Headers = field(default=(), repr=False)
    params: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Of the query, put in on the way out and shown nowhere."""
    echoes: tuple[str, ...] = field(default=(), repr=False)
    """Longest first."""


NO_CREDENTIAL: Final = Credential()


class CredentialCache:
    """Credentials by their secret's revision. Safe to share between threads."""

    def __init__(self) -> None:
        self._kept: Recent[CredentialKey, Credential] = Recent()

    def get(self, key: CredentialKey, make: Callable[[], Credential]) -> Credential:
        """The credential under the key; made outside the lock, so a slow vault holds up nobody else."""
        kept = self._kept.find(key)
        if kept is None:
            kept = make()
            self._kept.keep(key, kept)
        return kept
