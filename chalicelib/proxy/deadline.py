"""The one deadline of a run, as an instant on `time.monotonic()`."""

from __future__ import annotations

import time


class DeadlinePassed(Exception):
    """The run's time is used up."""


def seconds_left(deadline: float) -> float:
    """Seconds until the deadline, always more than zero. Raises DeadlinePassed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise DeadlinePassed
    return left
