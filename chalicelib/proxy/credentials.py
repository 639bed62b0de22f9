"""A connection's credential in the clear: how it is applied and how it is kept out of sight."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, TypeAlias

from chalicelib.proxy.headers import Headers

CACHED_MAX: Final = 256

CredentialKey: TypeAlias = tuple[str, str, int]
"""Person, connection, secret revision: a new secret is a new key, so nothing here can be out of date."""


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
    """The least recently used beyond 256 are forgotten. Safe to share between threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[CredentialKey, Credential] = OrderedDict()
        self._lock = Lock()

    def get(self, key: CredentialKey, make: Callable[[], Credential]) -> Credential:
        """The credential under the key; made outside the lock, so a slow vault holds up nobody else."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > CACHED_MAX:
                self._kept.popitem(last=False)
        return made
