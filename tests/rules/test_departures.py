from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.model import Cause, Change, ChangeSet, Direction, Promotion
from chalicelib.rules.departures import Departure, Keeper, departures, find_keeper, leaves_at
from chalicelib.rules.sweep import decide_leavers

NOW = datetime(2026, 11, 30, 14, 18, tzinfo=UTC)
DAY = timedelta(days=1)
MS = timedelta(milliseconds=1)


def record(revision: int, *changes: Change, at: datetime = NOW, cap: int = 20, size: int = 20) -> ChangeSet:
    return ChangeSet(revision, at, changes, 21, cap, size)


def left(tool: str, cause: Cause = Cause.IDLE, active_at: datetime | None = None) -> Change:
    return Change(tool, Direction.DEMOTED, cause, active_at)


def came(tool: str) -> Change:
    return Change(tool, Direction.PROMOTED, Cause.AGENT)


def names(records: list[ChangeSet], *present: str) -> list[str]:
    return [d.change.tool for d in departures(records, frozenset(present), since=NOW - 7 * DAY)]


def test_what_left_within_the_time_is_told_newest_first() -> None:
    records = [
        record(3, left("c"), at=NOW - DAY),
        record(2, left("b"), at=NOW - 7 * DAY),
        record(1, left("a"), at=NOW - 7 * DAY - MS),
    ]
    assert names(records) == ["c", "b"]


def test_what_came_back_is_not_told() -> None:
    assert names([record(2, came("a")), record(1, left("a"))], "a") == []


def test_what_left_again_is_told_once_by_its_last_departure() -> None:
    again = record(3, left("a", Cause.AGENT))
    (found,) = departures([again, record(2, came("a")), record(1, left("a"))], frozenset(), since=NOW - 7 * DAY)
    assert found.record is again


@pytest.mark.parametrize(
    ("active_at", "days"),
    [(NOW - 21 * DAY - MS, 22), (NOW - 22 * DAY, 22), (NOW - 22 * DAY - MS, 23), (NOW - 4000 * DAY, None)],
)
def test_the_window_that_would_have_kept_it_is_the_smallest(active_at: datetime, days: int | None) -> None:
    keeper = find_keeper(Departure(left("a", Cause.IDLE, active_at), record(1, left("a"))))
    assert keeper == Keeper(idle_window_days=days)


@given(st.integers(1, 3600), st.integers(0, 3600), st.integers(1, 86_400_000))
def test_the_window_that_would_have_kept_it_is_longer_than_the_one_that_did_not_wherever_the_rules_clock_stood(
    window: int, idle_days: int, later_ms: int
) -> None:
    """Under one day less it leaves at that sweep, and under this one it stays."""
    promotion = Promotion("a", "1", NOW - idle_days * DAY, Cause.AGENT)
    rule_at = NOW + (window - idle_days) * DAY + later_ms * MS
    (leaver,) = decide_leavers([promotion], cap=20, idle_window_days=window, now=rule_at)
    change = left("a", leaver.cause, leaver.active_at)
    swept = ChangeSet(1, NOW, (change,), window, 20, 1, rule_at)
    days = find_keeper(Departure(change, swept)).idle_window_days
    assert days == window + 1
    assert not decide_leavers([promotion], cap=20, idle_window_days=days, now=rule_at)


def test_the_cap_that_would_have_kept_it_counts_what_the_window_left() -> None:
    changes = (left("a"), left("b", Cause.CAP), left("c", Cause.CAP))
    swept = record(1, *changes, cap=14, size=17)
    assert find_keeper(Departure(changes[1], swept)) == Keeper(cap=16)
    assert find_keeper(Departure(changes[2], swept)) == Keeper(cap=15)


@pytest.mark.parametrize("cause", [Cause.AGENT, Cause.REVOKE])
def test_no_setting_keeps_what_the_agent_or_a_revoke_took(cause: Cause) -> None:
    assert find_keeper(Departure(left("a", cause), record(1, left("a", cause)))) == Keeper()


@given(st.integers(1, 3650), st.integers(0, 10**9))
def test_it_stays_until_the_day_it_leaves_and_not_a_millisecond_longer(days: int, age_ms: int) -> None:
    promotion = Promotion("a", "1", NOW - timedelta(milliseconds=age_ms), Cause.AGENT)
    end = leaves_at(promotion, idle_window_days=days)
    assert not decide_leavers([promotion], cap=20, idle_window_days=days, now=end)
    assert decide_leavers([promotion], cap=20, idle_window_days=days, now=end + MS)
