from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.model import Rate
from chalicelib.rules.throttle import RUNS_PER_MINUTE_MAX, decide_lock, minute_of, seconds_to_wait

NOW = datetime(2026, 11, 30, 14, 18, 20, tzinfo=UTC)
MINUTE = minute_of(NOW)


@pytest.mark.parametrize(
    ("rate", "seconds"),
    [
        (None, 0),
        (Rate(MINUTE, RUNS_PER_MINUTE_MAX - 1), 0),
        (Rate(MINUTE, RUNS_PER_MINUTE_MAX), 40),
        (Rate(MINUTE - 1, RUNS_PER_MINUTE_MAX), 0),
    ],
)
def test_an_agent_waits_for_the_next_minute_once_it_began_as_many_runs_as_it_may(
    rate: Rate | None, seconds: int
) -> None:
    assert seconds_to_wait(rate, NOW) == seconds


@pytest.mark.parametrize(
    ("failures", "lock"),
    [(0, None), (4, None), (5, 30), (6, 60), (7, 120), (11, 1920), (12, 3600), (10**6, 3600)],
)
def test_each_further_wrong_password_locks_twice_as_long_up_to_an_hour(failures: int, lock: int | None) -> None:
    assert decide_lock(failures, NOW) == (None if lock is None else NOW + timedelta(seconds=lock))
