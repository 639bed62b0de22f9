"""What the console is told: the same rows that the rule reads."""

from __future__ import annotations

from datetime import timedelta

import pytest

from chalicelib.errors import Refusal
from chalicelib.model import Cause, Direction, Presence
from chalicelib.rules.departures import Keeper
from chalicelib.rules.sweep import SWEEP_EVERY
from chalicelib.services import agent_summaries, agent_view, agents, connections, presence, tool_view
from chalicelib.services.agent_view import HistoryFilter, HistoryPlace
from chalicelib.services.sweep import run_sweep
from tests.services.world import PERSON, READS, WRITES, World, break_row, lose


def view(world: World, name: str = "demo", wanted: HistoryFilter | None = None) -> agent_view.AgentView:
    return agent_view.view(world.deps, PERSON, world.caller(name).agent.id, wanted or HistoryFilter())


def agents_of(world: World) -> agent_summaries.AgentsView:
    return agent_summaries.view(world.deps, world.caller().person, world.deps.store.agents.ids(PERSON))


def summaries(world: World) -> tuple[agent_summaries.AgentSummary, ...]:
    return agents_of(world).summaries


def test_the_set_is_shown_in_list_order_with_the_day_each_tool_leaves(world: World) -> None:
    for name in ("b", "a"):
        world.publish(name)
        world.clock.forward(seconds=1)
    world.call("b")
    shown = view(world)
    assert [row.promotion.tool for row in shown.rows] == ["demo__b", "demo__a"]
    assert shown.rows[0].leaves_at == world.clock() + timedelta(days=21)
    assert shown.rows[1].leaves_at == world.clock() + timedelta(days=21, seconds=-1)


def test_a_tool_that_would_break_the_list_is_shown_as_withheld_with_the_reason(world: World) -> None:
    world.publish("a")
    world.publish("b")
    world.agent("empty")
    lose(world, "demo__a")
    shown = view(world)
    assert [row.promotion.tool for row in shown.listed] == ["demo__b"]
    assert {summary.agent.name: summary.withheld for summary in summaries(world)} == {"demo": 1, "empty": 0}
    assert [row.withheld for row in shown.withheld] == ["its current version is not in the toolbox"]


def test_what_left_is_shown_with_what_would_have_kept_it(world: World) -> None:
    mine = world.connect("notes")
    world.publish("bound", READS, vendor="notes")
    for name in ("idle", "asked"):
        world.publish(name)
    world.demote("asked")
    connections.revoke(world.deps, PERSON, mine.id)
    world.clock.forward(days=21, seconds=1)
    world.publish("fresh")
    run_sweep(world.deps)
    left = {found.departure.change.tool: found for found in view(world).left}
    assert left["demo__idle"].departure.change.cause is Cause.IDLE
    assert left["demo__idle"].keeper == Keeper(idle_window_days=22)
    assert set(left) == {"demo__idle"}  # the other two left more than seven days ago


def test_history_is_filtered_by_cause_and_tool_and_paged(world: World) -> None:
    for at in range(agent_view.HISTORY_PAGE):
        world.publish("a" if at % 2 else "b")
        world.demote("a" if at % 2 else "b")
    first = view(world).history
    assert len(first.lines) == agent_view.HISTORY_PAGE
    assert first.after is not None
    second = view(world, wanted=HistoryFilter(place=first.after)).history
    assert len(second.lines) == agent_view.HISTORY_PAGE
    assert second.after is None
    seen = [(line.record.list_revision, line.change.tool) for line in first.lines + second.lines]
    assert seen == sorted(seen, reverse=True)
    asked = view(world, wanted=HistoryFilter(cause=Cause.AGENT, tool=" DEMO__A ")).history
    assert {(line.change.tool, line.change.direction) for line in asked.lines} == {("demo__a", Direction.DEMOTED)}
    assert view(world, wanted=HistoryFilter(cause=Cause.CAP)).history.lines == ()


def test_the_preview_is_what_the_next_sweep_takes(world: World) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
        world.clock.forward(seconds=1)
    facts = world.caller().facts
    foreseen = agent_view.preview(world.deps, facts, cap=1, idle_window_days=21)
    agents.edit_limits(world.deps, PERSON, facts.agent.id, name="demo", cap=1, idle_window_days=21)
    assert [leaver.tool for leaver in foreseen] == [leaver.tool for _, leaver in run_sweep(world.deps).demoted]


def test_a_harness_is_noted_now_and_then_and_what_moved_since_its_last_list_is_shown(world: World) -> None:
    world.publish("a")
    presence.beside(world.deps, world.caller(), lambda: None, harness=("Hermes", "0.19.0"), lists=False)
    presence.beside(world.deps, world.caller(), lambda: None, harness=None, lists=True)
    world.publish("b")
    shown = view(world)
    assert shown.presence == Presence(
        "Hermes", "0.19.0", world.clock(), world.clock(), world.caller().agent.list_revision - 1
    )
    assert [line.change.tool for line in shown.changed_since_listed] == ["demo__b"]
    (summary,) = summaries(world)
    assert summary.presence == shown.presence
    assert summary.seen_at == world.clock()


def test_a_use_shows_that_the_harness_is_there(world: World) -> None:
    world.publish("a")
    world.clock.forward(hours=1)
    world.call("a")
    (summary,) = summaries(world)
    assert (summary.presence, summary.seen_at) == (None, world.clock())


def test_a_failure_to_note_a_harness_costs_nobody_an_answer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(world.deps.store.traces, "note_presence", fails)
    assert presence.beside(world.deps, world.caller(), lambda: "served", harness=None, lists=True) == "served"


def test_agents_that_cannot_be_read_hide_no_others_and_revoked_ones_come_last(world: World) -> None:
    gone, broken = world.agent("gone").agent, world.agent("broken").agent
    world.clock.forward(seconds=1)
    world.agent("fresh")
    agents.revoke_agent(world.deps, PERSON, gone.id)
    break_row(world, broken)
    assert [summary.agent.name for summary in summaries(world)] == ["demo", "fresh", "gone"]


def test_another_persons_agent_and_tool_are_refused_like_those_that_never_were(world: World) -> None:
    world.publish("a")
    mine = world.caller().agent.id
    said = set()
    for person, agent in (("p2", mine), (PERSON, "nosuch")):
        with pytest.raises(Refusal) as refused:
            agent_view.view(world.deps, person, agent)
        said.add(refused.value.message)
    for person, tool in (("p2", "demo__a"), (PERSON, "demo__nosuch")):
        with pytest.raises(Refusal) as refused:
            tool_view.view(world.deps, person, tool)
        said.add(refused.value.message)
    assert len(said) == 2


def test_a_record_that_is_longer_than_a_page_is_shown_in_parts(world: World) -> None:
    for at in range(2 * agent_view.HISTORY_PAGE + 3):
        world.publish(f"t{at}")
    world.clock.forward(days=30)
    run_sweep(world.deps)
    seen, place = [], None
    for _ in range(2):
        page = view(world, wanted=HistoryFilter(cause=Cause.IDLE, place=place)).history
        seen += [line.change.tool for line in page.lines]
        place = page.after
    assert place is not None
    assert place.skip == 2 * agent_view.HISTORY_PAGE
    last = view(world, wanted=HistoryFilter(place=place)).history
    seen += [line.change.tool for line in last.lines if line.change.cause is Cause.IDLE]
    assert len(seen) == len(set(seen)) == 2 * agent_view.HISTORY_PAGE + 3
    assert last.after == HistoryPlace(world.history()[1].list_revision - agent_view.HISTORY_PAGE + 4)


def test_what_the_last_sweep_took_is_counted_until_the_next(world: World) -> None:
    world.publish("a")
    world.clock.forward(days=30)
    run_sweep(world.deps)
    assert view(world).taken == 1
    world.clock.forward(minutes=5)
    run_sweep(world.deps)
    assert view(world).taken == 0


def test_the_list_of_agents_comes_with_the_last_sweep_and_what_waits(world: World) -> None:
    world.connect()
    world.publish("note", WRITES)
    world.call("note", text="x")
    run_sweep(world.deps)
    shown = agents_of(world)
    assert shown.waiting == 1
    assert shown.report is not None
    assert shown.next_sweep_at == shown.report.at + SWEEP_EVERY
    assert [summary.agent.name for summary in shown.summaries] == ["demo"]
