"""Waiting for what another process does, never for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.02


def until(find: Callable[[], T], what: str, *, seconds: float = PATIENCE_SECONDS) -> T:
    """What `find` answers as soon as it is true; fails with `what` after so many seconds."""
    give_up_at = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < give_up_at, f"waited {seconds:.0f} s in vain: {what}"
        time.sleep(POLL_SECONDS)
    return found
