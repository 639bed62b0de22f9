"""The rule, applied by `make sweep` beside the running process."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.model import Cause, Direction
from chalicelib.services.deps import Deps

from .graft import Graft, facts_of
from .main_job import LIST_NOTES
from .rpc import Agent

WINDOW = timedelta(days=21)
MILLISECOND = timedelta(milliseconds=1)
FAR = datetime(2099, 1, 1, tzinfo=UTC)
ANSWERS = "def run(input, http):\n    return input\n"
LEAVER = re.compile(r"^\S+ +.*\((?P<agent>\w+)\) (?P<tool>\S+) cause=(?P<cause>\w+) active_at=(?P<at>\S+) ")


@dataclass(frozen=True)
class Leaver:
    tool: str
    cause: str
    active_at: datetime


@dataclass(frozen=True)
class Sweeps:
    """`make sweep`, read for one agent."""

    graft: Graft
    agent: Agent

    def plan(self, at: datetime | None = None) -> list[Leaver]:
        """PLAN=1: what would leave."""
        return self._leavers(self.graft.command("sweep", "--plan", "1", "--at", _typed(at)))

    def sweep(self, at: datetime | None = None) -> list[Leaver]:
        return self._leavers(self.graft.command("sweep", "--at", _typed(at)))

    def _leavers(self, printed: str) -> list[Leaver]:
        found = [LEAVER.match(line) for line in printed.splitlines()]
        return [
            Leaver(each["tool"], each["cause"], datetime.fromisoformat(each["at"]))
            for each in found
            if each is not None and each["agent"] == self.agent.id
        ]


@pytest.fixture
def sweeps(graft: Graft, agent: Agent) -> Sweeps:
    return Sweeps(graft, agent)


def test_between_two_expiries_the_unused_tool_leaves_and_the_used_one_stays(
    agent: Agent, sweeps: Sweeps, deps: Deps
) -> None:
    for tool in ("demo__unused", "demo__used"):
        agent.publish(tool, ANSWERS)
    agent.call("demo__used")
    active_at = {leaver.tool: leaver.active_at for leaver in sweeps.plan(FAR)}
    assert active_at["demo__unused"] < active_at["demo__used"]

    between = active_at["demo__unused"] + (active_at["demo__used"] - active_at["demo__unused"]) / 2 + WINDOW
    assert sweeps.sweep(between) == [Leaver("demo__unused", "idle", active_at["demo__unused"])]
    assert agent.authored() == ["demo__used"]
    record = deps.store.sets.history(facts_of(deps, agent).agent)[0]
    [change] = record.changes
    assert (change.tool, change.direction, change.cause) == ("demo__unused", Direction.DEMOTED, Cause.IDLE)
    assert change.active_at == active_at["demo__unused"]
    assert (record.idle_window_days, record.cap, record.set_size) == (21, 20, 2)


def test_exactly_on_the_edge_a_tool_stays_and_a_millisecond_later_it_leaves(agent: Agent, sweeps: Sweeps) -> None:
    agent.publish("demo__on-the-edge", ANSWERS)
    [leaver] = sweeps.plan(FAR)
    edge = leaver.active_at + WINDOW
    assert sweeps.sweep(edge) == []
    assert agent.authored() == ["demo__on-the-edge"]
    assert sweeps.sweep(edge + MILLISECOND) == [leaver]
    assert agent.authored() == []


def test_over_a_cap_of_two_the_three_uncalled_of_five_leave(graft: Graft, deps: Deps) -> None:
    agent = graft.make_agent("capped", cap="2")
    tools = [f"demo__capped-{number}" for number in range(5)]
    for tool in tools:
        agent.publish(tool, ANSWERS)
    for tool in tools[:2]:
        agent.call(tool)
    swept = Sweeps(graft, agent).sweep()
    assert [(leaver.tool, leaver.cause) for leaver in swept] == [(tool, "cap") for tool in tools[2:]]
    assert agent.authored() == tools[:2]
    record = deps.store.sets.history(facts_of(deps, agent).agent)[0]
    assert [(c.tool, c.direction, c.cause, c.active_at) for c in record.changes] == [
        (leaver.tool, Direction.DEMOTED, Cause.CAP, leaver.active_at) for leaver in swept
    ]
    assert (record.idle_window_days, record.cap, record.set_size) == (21, 2, 5)


def test_a_plan_changes_nothing_and_a_second_sweep_demotes_nothing(agent: Agent, sweeps: Sweeps) -> None:
    agent.publish("demo__planned", ANSWERS)
    planned = sweeps.plan(FAR)
    assert agent.authored() == ["demo__planned"]
    assert sweeps.sweep(FAR) == planned
    assert sweeps.sweep(FAR) == []


def test_an_idle_window_of_a_day_is_the_agents_own(graft: Graft, new_agent: Callable[[], Agent]) -> None:
    brief, usual = graft.make_agent("brief", window="1"), new_agent()
    for agent in (brief, usual):
        agent.publish("demo__seldom", ANSWERS)
    in_two_days = datetime.now(UTC) + timedelta(days=2)
    assert [leaver.tool for leaver in Sweeps(graft, brief).sweep(in_two_days)] == ["demo__seldom"]
    assert (brief.authored(), usual.authored()) == ([], ["demo__seldom"])


def test_the_monthly_job_is_found_runs_meanwhile_and_comes_back(agent: Agent, sweeps: Sweeps) -> None:
    agent.promote(LIST_NOTES)
    assert [leaver.cause for leaver in sweeps.sweep(datetime.now(UTC) + timedelta(days=30))] == ["idle"]
    assert agent.authored() == []
    found = agent.call("find_tool", query="list notes")["tools"][0]
    assert (found["tool"], found["promoted"]) == (LIST_NOTES, False)
    assert agent.run(LIST_NOTES)["result"]
    assert agent.authored() == [], "run_tool promotes nothing"
    assert agent.promote(LIST_NOTES)["changed"] is True
    assert agent.authored() == [LIST_NOTES]


def test_a_sweep_is_heard_as_one_list_change_however_many_tools_left(agent: Agent, sweeps: Sweeps) -> None:
    """Report: anthropics/claude-code#92033"""
    for number in range(3):
        agent.publish(f"demo__swept-{number}", ANSWERS)
    session = {"mcp-session-id": agent.open_session()}
    agent.ask("tools/list", headers=session)
    sweeps.sweep(FAR)
    answer = agent.ask("tools/call", {"name": "find_tool", "arguments": {"query": ""}}, headers=session)
    assert answer.notifications == ["notifications/tools/list_changed"]


def _typed(at: datetime | None) -> str:
    return "" if at is None else at.isoformat().replace("+00:00", "Z")
