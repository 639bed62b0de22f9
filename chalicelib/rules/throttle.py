"""How often: runs of one agent in a minute, and wrong passwords for one account."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from chalicelib.model import Pace, Rate

RUNS_PER_MINUTE_MAX: Final = 1200
"""Of one agent: twenty a second, sustained."""
FAILURES_FREE: Final = 5
"""Wrong passwords before the first lock."""
LOCK_FIRST: Final = timedelta(seconds=30)
LOCK_LONGEST: Final = timedelta(hours=1)

_EPOCH_MINUTE_SECONDS: Final = 60


def pace_at(now: datetime) -> Pace:
    return Pace(minute_of(now), RUNS_PER_MINUTE_MAX)


def minute_of(now: datetime) -> int:
    """Whole minutes since 1970."""
    return int(now.timestamp()) // _EPOCH_MINUTE_SECONDS


def seconds_to_wait(rate: Rate | None, now: datetime) -> int:
    """How long an agent has to wait for its next run; 0: it need not."""
    if rate is None or rate.minute != minute_of(now) or rate.runs < RUNS_PER_MINUTE_MAX:
        return 0
    return _EPOCH_MINUTE_SECONDS - int(now.timestamp()) % _EPOCH_MINUTE_SECONDS


def decide_lock(failures: int, now: datetime) -> datetime | None:
    """Until when an account is locked after so many wrong passwords in a row; each further lock is twice as long."""
    if failures < FAILURES_FREE:
        return None
    doublings = min(failures - FAILURES_FREE, 16)
    lock: timedelta = min(LOCK_FIRST * int(2**doublings), LOCK_LONGEST)
    return now + lock
