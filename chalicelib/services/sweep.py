"""The scheduled pass that applies the rule to every agent that is due."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from chalicelib.model import Agent, AgentFacts, Cause, Due, DueJob, Person, SweepReport, UnfinishedRevoke
from chalicelib.rules.membership import decide_swept
from chalicelib.rules.sweep import Leaver, decide_due, decide_leavers, is_in_flight
from chalicelib.services import connections, jobs, ledger, trail
from chalicelib.services.deps import Deps, log

DUE_SHARDS: Final = 4
SECONDS_IN_HAND: Final = 10.0
"""A tick that has less left starts no further visit: what is due stays due, and the next tick goes on."""
LAST_OF_A_MILLISECOND: Final = timedelta(microseconds=999)
"""Due times are whole milliseconds, and the rule's clock may stand between two: the later one counts."""
NAMED_MAX: Final = 100
"""Skipped agents that a report names."""


class Outcome(Enum):
    GONE = "gone"
    SKIPPED = "skipped"
    """A run is in flight: nothing is demoted."""
    STAYED = "stayed"
    DEMOTED = "demoted"
    LOST_RACE = "lost_race"
    FAILED = "failed"
    NOT_REACHED = "not_reached"


@dataclass(frozen=True, slots=True)
class Visit:
    """What the rule said of one agent at one moment, and what came of it."""

    due: Due
    outcome: Outcome
    agent: Agent | None = None
    leavers: tuple[Leaver, ...] = ()


@dataclass(frozen=True)
class Sweep:
    """One pass: every visit, by agent."""

    at: datetime
    visits: tuple[Visit, ...] = field(repr=False)

    def having(self, outcome: Outcome) -> list[Visit]:
        return [visit for visit in self.visits if visit.outcome is outcome]

    @property
    def demoted(self) -> list[tuple[Agent, Leaver]]:
        return [(v.agent, leaver) for v in self.having(Outcome.DEMOTED) if v.agent for leaver in v.leavers]


def run_sweep(deps: Deps, *, rule_now: datetime | None = None) -> Sweep:
    """Visit every due agent once. One agent's failure is logged and counted and never stops the others.

    `rule_now` moves the rule's clock only: deadlines of runs and times of records are the real clock's. A record says
    beside its own time where the rule's clock stood.
    """
    started_at = deps.now()
    waiting = _all_due(deps, rule_now)
    for begun in (entry for entry in waiting if isinstance(entry, UnfinishedRevoke)):
        _go_on_revoking(deps, begun)
    jobs.go_on_with_due(deps, (entry for entry in waiting if isinstance(entry, DueJob)))
    dues = [entry for entry in waiting if isinstance(entry, Due)]
    with ThreadPoolExecutor(deps.settings.sweep_visitors, thread_name_prefix="sweep") as visitors:
        visits = tuple(visitors.map(lambda due: _visit_safely(deps, due, rule_now), dues))
    swept = Sweep(started_at, visits)
    report = report_of(swept, deps.now())
    trail.tell("sweep", report.as_json(), counts_of(report))
    deps.store.sweeps.keep_report(report)
    return swept


def plan_sweep(deps: Deps, *, rule_now: datetime | None = None) -> Iterator[Visit]:
    """What a sweep would do now, without doing it."""
    for due in (entry for entry in _all_due(deps, rule_now) if isinstance(entry, Due)):
        planned = _safely(_plan, deps, due, rule_now)
        if planned.outcome is not Outcome.GONE:
            yield planned


def _plan(deps: Deps, due: Due, rule_now: datetime | None) -> Visit:
    found = deps.store.sweeps.find_facts(due.person_id, due.agent_id)
    if found is None or found[1].agent.revoked_at is not None:
        return Visit(due, Outcome.GONE)
    facts = found[1]
    if is_in_flight(facts.agent, deps.now()):
        return Visit(due, Outcome.SKIPPED, facts.agent)
    leavers = _leavers(deps, facts, rule_now)
    return Visit(due, Outcome.DEMOTED if leavers else Outcome.STAYED, facts.agent, leavers)


def report_of(swept: Sweep, ended_at: datetime) -> SweepReport:
    """The figures of a pass: what the log, the metrics and the console are told."""
    causes = [leaver.cause for _, leaver in swept.demoted]
    skipped = swept.having(Outcome.SKIPPED)
    held = [visit.agent.held_since for visit in skipped if visit.agent and visit.agent.held_since]
    left = (Outcome.SKIPPED, Outcome.NOT_REACHED, Outcome.LOST_RACE, Outcome.FAILED)
    waiting = [visit.due.at for visit in swept.visits if visit.outcome in left]
    return SweepReport(
        at=swept.at,
        considered=len(swept.visits) - len(swept.having(Outcome.GONE)),
        skipped_in_flight=len(skipped),
        demoted_idle=causes.count(Cause.IDLE),
        demoted_cap=causes.count(Cause.CAP),
        lost_races=len(swept.having(Outcome.LOST_RACE)),
        failed=len(swept.having(Outcome.FAILED)),
        not_reached=len(swept.having(Outcome.NOT_REACHED)),
        seconds=(ended_at - swept.at).total_seconds(),
        oldest_due_seconds=_longest(swept.at, waiting),
        longest_in_flight_seconds=_longest(swept.at, held),
        skipped_agents=tuple(sorted(visit.due.agent_id for visit in skipped)[:NAMED_MAX]),
    )


def _longest(now: datetime, since: list[datetime]) -> float:
    """How long the one that waits longest has waited."""
    return max(0.0, (now - min(since, default=now)).total_seconds())


def _all_due(deps: Deps, rule_now: datetime | None) -> list[Due | UnfinishedRevoke | DueJob]:
    """Each tick starts at a random shard, so that one that is cut short leaves out no shard for ever."""
    start = deps.random_bytes(1)[0] % DUE_SHARDS
    shards = [(start + at) % DUE_SHARDS for at in range(DUE_SHARDS)]
    return list(deps.store.sweeps.due((rule_now or deps.now()) + LAST_OF_A_MILLISECOND, shards))


def _go_on_revoking(deps: Deps, begun: UnfinishedRevoke) -> None:
    """A revoke whose process died has wiped the credential; what is left of it is done here."""
    try:
        connections.revoke(deps, begun.person_id, begun.connection_id)
    except Exception:
        log.exception("the revoke of connection %s could not go on", begun.connection_id)


def _visit_safely(deps: Deps, due: Due, rule_now: datetime | None) -> Visit:
    if deps.seconds_left() < SECONDS_IN_HAND:
        return Visit(due, Outcome.NOT_REACHED)
    return _safely(_visit, deps, due, rule_now)


def _safely(
    visit: Callable[[Deps, Due, datetime | None], Visit], deps: Deps, due: Due, rule_now: datetime | None
) -> Visit:
    try:
        return visit(deps, due, rule_now)
    except Exception:
        log.exception("the sweep of agent %s failed", due.agent_id)
        return Visit(due, Outcome.FAILED)


def _visit(deps: Deps, due: Due, rule_now: datetime | None) -> Visit:
    found = _find_settled(deps, due)
    if found is None:
        return Visit(due, Outcome.GONE)
    person, facts = found
    if is_in_flight(facts.agent, deps.now()):
        return Visit(due, Outcome.SKIPPED, _noted_held(deps, facts.agent, due))
    leavers = _leavers(deps, facts, rule_now)
    return Visit(due, _apply(deps, person, facts, leavers, rule_now), facts.agent, leavers)


def _noted_held(deps: Deps, agent: Agent, due: Due) -> Agent:
    """The agent, with the time since which it waits for a visit: what it does meanwhile starts no new count."""
    if agent.held_since is not None:
        return agent
    since = min(due.at, deps.now())
    return replace(agent, held_since=since) if deps.store.sweeps.note_held(agent, since) else agent


def _find_settled(deps: Deps, due: Due) -> tuple[Person, AgentFacts] | None:
    """The agent as it is, runs that nobody is at any more taken out of flight first; None: gone or revoked."""
    found = deps.store.sweeps.find_facts(due.person_id, due.agent_id)
    if found is not None and _settle_runs(deps, found[1].agent):
        found = deps.store.sweeps.find_facts(due.person_id, due.agent_id)
    return None if found is None or found[1].agent.revoked_at is not None else found


def _settle_runs(deps: Deps, agent: Agent) -> bool:
    """Whether there was one to take out of flight: of a dead process, or of a job that has ended."""
    buried = ledger.bury_the_dead(deps, agent)
    return jobs.release_ended(deps, agent) or buried


def _leavers(deps: Deps, facts: AgentFacts, rule_now: datetime | None) -> tuple[Leaver, ...]:
    agent = facts.agent
    return decide_leavers(
        facts.promotions, cap=agent.cap, idle_window_days=agent.idle_window_days, now=rule_now or deps.now()
    )


def _apply(
    deps: Deps, person: Person, facts: AgentFacts, leavers: tuple[Leaver, ...], rule_now: datetime | None
) -> Outcome:
    """One conditional write: everything as it was read, or the agent waits for the next tick."""
    move = decide_swept(facts, leavers, deps.now(), rule_at=rule_now)
    due = decide_due(move.remaining, idle_window_days=facts.agent.idle_window_days)
    if not leavers:
        settled = deps.store.sweeps.postpone(facts, due)
        return Outcome.STAYED if settled else Outcome.LOST_RACE
    if deps.store.sweeps.demote_by_rule(facts, person, move.record, move.remaining, due):
        return Outcome.DEMOTED
    return Outcome.LOST_RACE


def counts_of(report: SweepReport) -> dict[str, float]:
    """The metrics of a pass: what an alarm watches. The report's other figures are fields of the same line.

    Nothing to count, nothing to pay: alarms take a metric that is not there for a good sign.
    """
    counts: dict[str, float] = {
        trail.SWEEP_FAILED: report.failed,
        trail.SWEEP_NOT_REACHED: report.not_reached,
        trail.SWEEP_OLDEST_DUE: report.oldest_due_seconds,
        trail.SWEEP_LONGEST_IN_FLIGHT: report.longest_in_flight_seconds,
    }
    return {name: count for name, count in counts.items() if count}
