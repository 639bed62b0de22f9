from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.model import Agent, Cause, Promotion, Run, RunKind
from chalicelib.rules.sweep import decide_due, decide_leavers, is_in_flight

NOW = datetime(2026, 11, 30, 14, 18, tzinfo=UTC)
DAY = timedelta(days=1)
MS = timedelta(milliseconds=1)


def promoted(tool: str, *, ago: timedelta, used: timedelta | None = None) -> Promotion:
    return Promotion(tool, f"slot-{tool}", NOW - ago, Cause.AGENT, None if used is None else NOW - used)


def leaving(*promotions: Promotion, cap: int = 20, window: int = 21) -> list[tuple[str, Cause]]:
    leavers = decide_leavers(promotions, cap=cap, idle_window_days=window, now=NOW)
    return [(leaver.tool, leaver.cause) for leaver in leavers]


def test_what_went_unused_past_the_window_leaves_as_idle() -> None:
    assert leaving(promoted("a", ago=22 * DAY), promoted("b", ago=20 * DAY)) == [("a", Cause.IDLE)]


def test_a_use_keeps_a_tool_however_old_its_promotion() -> None:
    assert leaving(promoted("a", ago=400 * DAY, used=21 * DAY)) == []


def test_exactly_on_the_edge_a_tool_stays_and_a_millisecond_later_it_leaves() -> None:
    assert leaving(promoted("a", ago=21 * DAY)) == []
    assert leaving(promoted("a", ago=21 * DAY + MS)) == [("a", Cause.IDLE)]
    assert leaving(promoted("a", ago=99 * DAY, used=21 * DAY + MS)) == [("a", Cause.IDLE)]


def test_the_cap_takes_the_uncalled_oldest_promotion_first() -> None:
    tools = [promoted(name, ago=days * DAY) for name, days in (("new", 1), ("old", 3), ("middle", 2))]
    assert leaving(*tools, cap=2) == [("old", Cause.CAP)]
    assert leaving(*tools, cap=1) == [("old", Cause.CAP), ("middle", Cause.CAP)]


def test_the_cap_never_takes_a_tool_in_use() -> None:
    tools = [promoted(f"t{at}", ago=5 * DAY, used=DAY) for at in range(25)]
    assert leaving(*tools, cap=20) == []


def test_of_five_with_two_in_use_and_a_cap_of_two_the_three_uncalled_leave() -> None:
    used = [promoted("a", ago=9 * DAY, used=DAY), promoted("b", ago=9 * DAY, used=DAY)]
    uncalled = [promoted(name, ago=3 * DAY) for name in ("c", "d", "e")]
    assert leaving(*used, *uncalled, cap=2) == [("c", Cause.CAP), ("d", Cause.CAP), ("e", Cause.CAP)]


def test_what_is_idle_leaves_first_and_counts_no_more_for_the_cap() -> None:
    tools = [promoted("idle", ago=30 * DAY), promoted("a", ago=DAY), promoted("b", ago=DAY)]
    assert leaving(*tools, cap=2) == [("idle", Cause.IDLE)]


def test_ties_break_by_wire_name() -> None:
    assert leaving(promoted("b", ago=DAY), promoted("a", ago=DAY), cap=1) == [("a", Cause.CAP)]


def test_a_run_counts_until_its_deadline_and_not_at_it() -> None:
    assert is_in_flight(_agent_running_until(NOW + MS), NOW)
    assert not is_in_flight(_agent_running_until(NOW), NOW)


def _agent_running_until(deadline: datetime) -> Agent:
    run = Run("r", "demo__a", 1, RunKind.CALL, NOW, deadline)
    return Agent("p", "a", "demo", "hash", 20, 21, None, NOW, runs={"r": run})


offsets = st.integers(min_value=0, max_value=60 * 24 * 40).map(lambda minutes: timedelta(minutes=minutes))


@st.composite
def working_sets(draw: st.DrawFn) -> list[Promotion]:
    names = draw(st.lists(st.integers(0, 99), unique=True, max_size=30))
    made = []
    for name in names:
        ago = draw(offsets)
        used = draw(st.none() | offsets)
        made.append(promoted(f"t{name}", ago=ago, used=None if used is None else min(used, ago)))
    return made


@given(working_sets(), st.integers(1, 40), st.integers(1, 40), st.randoms())
def test_the_order_of_arrival_changes_nothing(
    promotions: list[Promotion], cap: int, window: int, random: Random
) -> None:
    shuffled = list(promotions)
    random.shuffle(shuffled)
    assert leaving(*shuffled, cap=cap, window=window) == leaving(*promotions, cap=cap, window=window)


@given(working_sets(), st.integers(1, 40), st.integers(1, 40))
def test_a_second_sweep_finds_nothing(promotions: list[Promotion], cap: int, window: int) -> None:
    gone = {tool for tool, _ in leaving(*promotions, cap=cap, window=window)}
    rest = [p for p in promotions if p.tool not in gone]
    assert leaving(*rest, cap=cap, window=window) == []


@given(working_sets(), st.integers(1, 40), st.integers(1, 40))
def test_until_it_is_due_a_settled_set_loses_nothing_and_then_it_does(
    promotions: list[Promotion], cap: int, window: int
) -> None:
    gone = {tool for tool, _ in leaving(*promotions, cap=cap, window=window)}
    rest = [p for p in promotions if p.tool not in gone]
    due = decide_due(rest, idle_window_days=window)
    if due is None:
        assert rest == []
        return
    assert decide_leavers(rest, cap=cap, idle_window_days=window, now=due - MS) == ()
    assert decide_leavers(rest, cap=cap, idle_window_days=window, now=due) != ()
