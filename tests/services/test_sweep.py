from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.logs.lines import JsonLines
from chalicelib.model import Cause, LedgerLine, Run, RunKind
from chalicelib.rules.throttle import pace_at
from chalicelib.services import ledger, trail
from chalicelib.services.sweep import Outcome, plan_sweep, report_of, run_sweep
from tests.services.world import World, break_row

MS = timedelta(milliseconds=1)


def start_run(world: World, name: str = "a") -> Run:
    """A run that has been claimed and whose process has not come back."""
    facts = world.caller().facts
    run = Run("run-1", f"demo__{name}", 1, RunKind.CALL, world.clock(), world.clock() + timedelta(seconds=30))
    assert world.deps.store.runs.claim(facts, run, facts.find(f"demo__{name}"), pace_at(run.started_at))
    return run


def test_the_unused_leaves_and_the_used_stays(world: World) -> None:
    world.publish("unused")
    world.publish("used")
    world.clock.forward(seconds=5)
    world.call("used")
    world.clock.forward(days=21, seconds=-2)
    report = run_sweep(world.deps)
    assert [(leaver.tool, leaver.cause) for _, leaver in report.demoted] == [("demo__unused", Cause.IDLE)]
    assert world.set_of() == ["used"]


def test_exactly_on_the_edge_it_stays(world: World) -> None:
    world.publish("a")
    edge = world.caller().promotions[0].promoted_at + timedelta(days=21)
    assert run_sweep(world.deps, rule_now=edge).demoted == []
    assert len(run_sweep(world.deps, rule_now=edge + MS).demoted) == 1


def test_the_record_carries_the_facts_that_decided(world: World) -> None:
    world.agent("small", cap=2, idle_window_days=7)
    for name in ("a", "b", "c", "d", "e"):
        world.publish(name, by="small")
    for name in ("a", "b"):
        world.call(name, by="small")
    world.clock.forward(seconds=1)
    run_sweep(world.deps)
    record = world.history("small")[0]
    assert [(c.tool, c.cause) for c in record.changes] == [(f"demo__{n}", Cause.CAP) for n in ("c", "d", "e")]
    assert (record.idle_window_days, record.cap, record.set_size) == (7, 2, 5)
    assert all(change.active_at is not None for change in record.changes)
    assert world.set_of("small") == ["a", "b"]


def test_the_rules_clock_moves_neither_records_nor_deadlines(world: World) -> None:
    world.publish("a")
    start_run(world)
    later = world.clock() + timedelta(days=400)
    assert len(run_sweep(world.deps, rule_now=later).having(Outcome.SKIPPED)) == 1
    world.clock.forward(seconds=30)
    assert len(run_sweep(world.deps, rule_now=later).demoted) == 1
    assert world.history()[0].at == world.clock()


def test_an_agent_in_flight_is_skipped_whole_and_decided_afresh_next_time(world: World) -> None:
    """Report: NousResearch/hermes-agent#27984"""
    world.publish("a")
    world.publish("b")
    world.clock.forward(days=30)
    run = start_run(world)
    report = run_sweep(world.deps)
    assert (report.demoted, len(report.having(Outcome.SKIPPED))) == ([], 1)
    world.deps.store.runs.release(world.caller().agent, LedgerLine(run, "ok", world.clock()))
    assert [leaver.tool for _, leaver in run_sweep(world.deps).demoted] == ["demo__b"]


def test_a_run_whose_process_died_does_not_hold_the_sweep_for_ever_and_gets_its_line(world: World) -> None:
    """Report: NousResearch/hermes-agent#27984"""
    world.publish("a")
    world.publish("b")
    start_run(world)
    world.clock.forward(days=30)
    assert [leaver.tool for _, leaver in run_sweep(world.deps).demoted] == ["demo__a", "demo__b"]
    assert [line.outcome for line in world.ledger()] == ["died"]
    assert world.caller().agent.runs == {}


def test_a_second_sweep_finds_nothing(world: World) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
    world.clock.forward(days=22)
    assert len(run_sweep(world.deps).demoted) == 3
    assert run_sweep(world.deps).visits == ()
    assert len(world.history()) == 4


def test_a_sweep_costs_nothing_for_agents_that_are_not_due(world: World) -> None:
    world.publish("a")
    assert len(run_sweep(world.deps).visits) == 1
    assert run_sweep(world.deps).visits == ()
    world.clock.forward(days=21, milliseconds=1)
    assert len(run_sweep(world.deps).demoted) == 1


def test_a_plan_changes_nothing(world: World) -> None:
    world.publish("a")
    world.clock.forward(days=22)
    before = world.caller().facts
    (visit,) = plan_sweep(world.deps)
    assert [leaver.tool for leaver in visit.leavers] == ["demo__a"]
    assert world.caller().facts == before


def test_the_monthly_job_finds_its_tool_again(world: World) -> None:
    world.publish("monthly")
    world.clock.forward(days=30)
    run_sweep(world.deps)
    assert world.set_of() == []
    assert world.call("monthly", month=12) == {"echo": {"month": 12}}
    assert world.set_of() == []
    assert world.promote("monthly").changed
    assert world.set_of() == ["monthly"]


def test_one_agents_broken_row_never_stops_the_others(world: World) -> None:
    world.publish("a")
    world.agent("laptop")
    world.promote("a", by="laptop")
    world.clock.forward(days=22)
    broken = world.caller("demo").agent
    table = world.deps.store.table
    table.client.update_item(
        TableName=table.name,
        Key={"pk": {"S": f"A#{broken.person_id}#{broken.id}"}, "sk": {"S": "set"}},
        UpdateExpression="SET tools = :broken",
        ExpressionAttributeValues={":broken": {"S": "{not json"}},
    )
    report = run_sweep(world.deps)
    assert len(report.having(Outcome.FAILED)) == 1
    assert world.set_of("laptop") == []


def test_the_last_report_is_kept_and_shows_how_long_a_busy_agent_has_waited(world: World) -> None:
    world.publish("a")
    world.clock.forward(days=22)
    start_run(world)
    swept = run_sweep(world.deps)
    kept = world.deps.store.sweeps.find_report()
    assert kept == report_of(swept, world.clock())
    assert kept is not None
    assert (kept.skipped_in_flight, kept.longest_in_flight_seconds) == (1, 22 * 86400)
    assert kept.skipped_agents == (world.caller().agent.id,)


def test_a_tick_whose_time_runs_out_leaves_the_rest_to_the_next(world: World) -> None:
    world.publish("a")
    world.clock.forward(days=22)
    hurried = replace(world.deps, seconds_left=lambda: 5.0)
    assert len(run_sweep(hurried).having(Outcome.NOT_REACHED)) == 1
    assert len(run_sweep(world.deps).demoted) == 1


def test_a_plan_is_what_the_next_sweep_does_agent_by_agent(world: World) -> None:
    world.agent("small", cap=1)
    world.agent("busy")
    for name in ("a", "b", "c"):
        world.publish(name)
        world.promote(name, by="small")
        world.promote(name, by="busy")
    world.clock.forward(days=20)
    world.call("b")
    world.clock.forward(days=2)
    planned = {visit.due.agent_id: (visit.outcome, visit.leavers) for visit in plan_sweep(world.deps)}
    swept = {visit.due.agent_id: (visit.outcome, visit.leavers) for visit in run_sweep(world.deps).visits}
    assert planned == swept
    assert len(planned) == 3


def test_promotions_in_one_millisecond_are_due_at_once(world: World) -> None:
    world.agent("small", cap=1)
    for name in ("a", "b", "c"):
        world.publish(name, by="small")
    assert [leaver.tool for _, leaver in run_sweep(world.deps).demoted] == ["demo__a", "demo__b"]


def test_the_log_has_the_report_and_the_metrics_that_alarms_watch(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "graft")
    world.publish("a")
    world.clock.forward(days=22)
    start_run(world)
    run_sweep(world.deps)
    (record,) = [record for record in caplog.records if record.msg == "sweep"]
    line = json.loads(JsonLines("dev").format(record))
    assert (line["skippedInFlight"], line["skippedAgents"]) == (1, [world.caller().agent.id])
    assert {name: line[name] for name in trail.METRICS if name in line} == {
        "SweepOldestDueSeconds": 22 * 86400,
        "SweepLongestInFlightSeconds": 22 * 86400,
    }


def test_a_run_that_died_is_told_once_whoever_meets_it(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "graft")
    world.publish("a")
    run = start_run(world)
    agent = world.caller().agent
    world.clock.forward(seconds=31)
    assert ledger.bury_the_dead(world.deps, agent)
    assert ledger.bury_the_dead(world.deps, agent)
    (record,) = [record for record in caplog.records if record.msg == "run"]
    line = json.loads(JsonLines("dev").format(record))
    assert (line["run"]["id"], line["run"]["outcome"], line["RunsDied"]) == (run.id, "died", 1)


def test_a_plan_names_the_agent_it_cannot_read_and_goes_on(world: World) -> None:
    world.publish("a")
    world.agent("broken")
    world.promote("a", by="broken")
    break_row(world, world.caller("broken").agent)
    world.clock.forward(days=22)
    planned = {visit.outcome: visit for visit in plan_sweep(world.deps)}
    assert set(planned) == {Outcome.FAILED, Outcome.DEMOTED}
    swept = {visit.outcome: visit for visit in run_sweep(world.deps).visits}
    assert {outcome: visit.due.agent_id for outcome, visit in planned.items()} == {
        outcome: visit.due.agent_id for outcome, visit in swept.items()
    }


def test_an_agent_that_fails_at_every_tick_shows_as_the_oldest_due(world: World) -> None:
    world.publish("a")
    break_row(world, world.caller().agent)
    world.clock.forward(days=1)
    swept = run_sweep(world.deps)
    assert report_of(swept, world.clock()).oldest_due_seconds == 86400


def test_how_long_an_agent_is_held_is_counted_through_all_that_it_does_meanwhile(world: World) -> None:
    world.publish("a")
    world.publish("b")
    run = start_run(world)
    run_sweep(world.deps)
    for name in ("a", "b"):
        world.clock.forward(seconds=10)
        world.demote(name)
        swept = run_sweep(world.deps)
    assert report_of(swept, world.clock()).longest_in_flight_seconds == 20
    world.deps.store.runs.release(world.caller().agent, LedgerLine(run, "ok", world.clock()))
    run_sweep(world.deps)
    assert world.caller().agent.held_since is None


def test_between_two_milliseconds_the_rules_clock_counts(world: World) -> None:
    world.publish("a")
    run_sweep(world.deps)
    edge = world.clock() + timedelta(days=21)
    assert run_sweep(world.deps, rule_now=edge).demoted == []
    assert len(run_sweep(world.deps, rule_now=edge + timedelta(microseconds=500)).demoted) == 1
