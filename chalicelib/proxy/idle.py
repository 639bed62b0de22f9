"""Connections that rest between calls, each for one owner, host and checked address."""

from __future__ import annotations

import time
import weakref
from collections import deque
from threading import Lock
from typing import Final, TypeAlias

from chalicelib.proxy.sockets import TimedSocket

IDLE_MAX: Final = 32
IDLE_SECONDS_MAX: Final = 10.0

IdleKey: TypeAlias = tuple[str, str, str, str]
"""Owner, scheme, host, address. The owner keeps one connection's traffic out of another's answers."""


class IdleConnections:
    """At most 32, the longest resting closed first. Safe to share between threads."""

    def __init__(self) -> None:
        self._resting: deque[tuple[IdleKey, float, TimedSocket]] = deque()
        self._lock = Lock()
        self._close_all = weakref.finalize(self, _close_all, self._resting)

    def take(self, key: IdleKey) -> TimedSocket | None:
        """A connection that still stands, now the caller's own; None: dial."""
        oldest = time.monotonic() - IDLE_SECONDS_MAX
        while (found := self._pop(key)) is not None:
            since, connection = found
            if since >= oldest and connection.is_quiet():
                return connection
            connection.close()
        return None

    def put(self, key: IdleKey, connection: TimedSocket) -> None:
        with self._lock:
            self._resting.append((key, time.monotonic(), connection))
            spare = self._resting.popleft()[2] if len(self._resting) > IDLE_MAX else None
        if spare is not None:
            spare.close()

    def close(self) -> None:
        with self._lock:
            _close_all(self._resting)

    def _pop(self, key: IdleKey) -> tuple[float, TimedSocket] | None:
        with self._lock:
            for place in range(len(self._resting) - 1, -1, -1):
                if self._resting[place][0] == key:
                    _, since, connection = self._resting[place]
                    del self._resting[place]
                    return since, connection
        return None


def _close_all(resting: deque[tuple[IdleKey, float, TimedSocket]]) -> None:
    while resting:
        resting.pop()[2].close()
