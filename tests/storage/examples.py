"""Rows to start a test from; every one can be changed with `dataclasses.replace`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from chalicelib.model import Agent, AgentFacts, Cause, Run, RunKind, ToolVersion
from chalicelib.rules.membership import Move, decide_entry
from chalicelib.rules.throttle import pace_at
from chalicelib.storage.store import Store

NOW = datetime(2026, 11, 30, 14, 18, 0, 123000, tzinfo=UTC)
PACE = pace_at(NOW)
SECOND = timedelta(seconds=1)
PERSON = "p1"
AGENT = "a1"


def an_agent(id: str = AGENT, *, name: str = "laptop", cap: int = 20, idle_window_days: int = 21) -> Agent:
    return Agent(PERSON, id, name, "hash-of-" + id, cap, idle_window_days, None, NOW)


def a_tool(
    name: str = "list-notes", *, version: int = 1, source: str = "def run(input, http):\n    return 1\n"
) -> ToolVersion:
    return ToolVersion(
        vendor="demo",
        name=name,
        version=version,
        description=f"{name} of the demo vendor",
        input_schema={"type": "object", "properties": {}},
        source=source,
        methods=frozenset({"GET"}),
        connection_id=None,
        published_by=AGENT,
        published_at=NOW,
    )


def a_run(id: str = "r1", *, tool: str = "demo__list-notes", kind: RunKind = RunKind.CALL) -> Run:
    return Run(id, tool, 1, kind, NOW, NOW + 30 * SECOND)


def settle(store: Store, agent: Agent | None = None) -> AgentFacts:
    """A person with one agent and an empty set."""
    agent = agent or an_agent()
    store.people.add(PERSON)
    assert store.agents.add(agent)
    return read(store, agent.id)


def read(store: Store, agent_id: str = AGENT) -> AgentFacts:
    facts = store.agents.find(PERSON, agent_id)
    assert facts is not None
    return facts


def promote(store: Store, tool: str, *, at: datetime = NOW, agent_id: str = AGENT, cause: Cause = Cause.AGENT) -> Move:
    facts = read(store, agent_id)
    move = decide_entry(facts, tool, cause, at)
    assert store.promote(facts, move.record, move.remaining, connection_id=None)
    return move
