"""The scheduled pass that applies the rule to every agent that is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.model import Agent, AgentFacts, Cause, Person
from chalicelib.rules.membership import decide_swept
from chalicelib.rules.sweep import Leaver, decide_due, decide_leavers, is_in_flight
from chalicelib.services import runs
from chalicelib.services.deps import Deps, log

DUE_SHARDS = 4


@dataclass(frozen=True, slots=True)
class Visit:
    """What the rule says of one agent at one moment."""

    agent: Agent
    leavers: tuple[Leaver, ...]
    in_flight: bool


@dataclass
class Report:
    considered: int = 0
    skipped: list[Agent] = field(default_factory=list)
    demoted: list[tuple[Agent, Leaver]] = field(default_factory=list)
    lost_races: list[Agent] = field(default_factory=list)
    failed: int = 0

    def as_json(self) -> dict[str, Any]:
        causes = [leaver.cause for _, leaver in self.demoted]
        return {
            "considered": self.considered,
            "skippedInFlight": len(self.skipped),
            "demoted": {"idle": causes.count(Cause.IDLE), "cap": causes.count(Cause.CAP)},
            "lostRaces": len(self.lost_races),
            "failed": self.failed,
        }


def run_sweep(deps: Deps, *, rule_now: datetime | None = None) -> Report:
    """Visit every due agent once. One agent's failure is logged and counted and never stops the others.

    `rule_now` moves the rule's clock only: deadlines of runs and times of records are the real clock's.
    """
    report = Report()
    for person_id, agent_id in _due(deps, rule_now):
        try:
            _visit(deps, person_id, agent_id, rule_now, report)
        except Exception:
            report.failed += 1
            log.exception("the sweep of agent %s failed", agent_id)
    log.info("sweep %s", report.as_json())
    return report


def plan_sweep(deps: Deps, *, rule_now: datetime | None = None) -> Iterator[Visit]:
    """What a sweep would do now, without doing it."""
    for person_id, agent_id in _due(deps, rule_now):
        found = deps.store.agents.find_for_sweep(person_id, agent_id)
        if found is not None and found[1].agent.revoked_at is None:
            facts = found[1]
            yield Visit(facts.agent, _leavers(deps, facts, rule_now), is_in_flight(facts.agent, deps.now()))


def _due(deps: Deps, rule_now: datetime | None) -> list[tuple[str, str]]:
    """Each tick starts at a random shard, so that one that is cut short leaves out no shard for ever."""
    start = deps.random_bytes(1)[0] % DUE_SHARDS
    shards = [(start + at) % DUE_SHARDS for at in range(DUE_SHARDS)]
    return list(deps.store.agents.due(rule_now or deps.now(), shards))


def _visit(deps: Deps, person_id: str, agent_id: str, rule_now: datetime | None, report: Report) -> None:
    found = _find_settled(deps, person_id, agent_id)
    if found is None:
        return
    person, facts = found
    report.considered += 1
    if is_in_flight(facts.agent, deps.now()):
        report.skipped.append(facts.agent)
        return
    _apply(deps, person, facts, _leavers(deps, facts, rule_now), report)


def _find_settled(deps: Deps, person_id: str, agent_id: str) -> tuple[Person, AgentFacts] | None:
    """The agent as it is, runs of dead processes buried first; None: gone or revoked."""
    found = deps.store.agents.find_for_sweep(person_id, agent_id)
    if found is not None and any(run.deadline <= deps.now() for run in found[1].agent.runs.values()):
        runs.bury_the_dead(deps, found[1].agent)
        found = deps.store.agents.find_for_sweep(person_id, agent_id)
    return None if found is None or found[1].agent.revoked_at is not None else found


def _leavers(deps: Deps, facts: AgentFacts, rule_now: datetime | None) -> tuple[Leaver, ...]:
    agent = facts.agent
    return decide_leavers(
        facts.promotions, cap=agent.cap, idle_window_days=agent.idle_window_days, now=rule_now or deps.now()
    )


def _apply(deps: Deps, person: Person, facts: AgentFacts, leavers: tuple[Leaver, ...], report: Report) -> None:
    """One conditional write: everything as it was read, or the agent waits for the next tick."""
    agent = facts.agent
    move = decide_swept(facts, leavers, deps.now())
    due = decide_due(move.remaining, idle_window_days=agent.idle_window_days)
    if not leavers:
        deps.store.agents.postpone(facts, due)
    elif deps.store.agents.demote_by_rule(facts, person, move.record, move.remaining, due):
        report.demoted += [(agent, leaver) for leaver in leavers]
    else:
        report.lost_races.append(agent)
