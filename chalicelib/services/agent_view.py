"""What a person is shown of one agent. Reads only; every figure comes from the rows that the rule reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    BY_THE_RULE,
    Agent,
    AgentFacts,
    Approval,
    Cause,
    Change,
    ChangeSet,
    Connection,
    Job,
    LedgerLine,
    Presence,
    Promotion,
    Run,
    SweepReport,
    ToolCard,
    ToolHead,
)
from chalicelib.rules import listing as listing_rule
from chalicelib.rules.departures import Departure, Keeper, departures, find_keeper, leaves_at
from chalicelib.rules.names import read_name
from chalicelib.rules.sweep import (
    SWEEP_EVERY,
    Leaver,
    decide_leavers,
    next_sweep_at,
)
from chalicelib.services import cards, overview, toolbox
from chalicelib.services.deps import Deps

if TYPE_CHECKING:
    from chalicelib.storage.agents import DoorFacts

LEFT_WITHIN: Final = timedelta(days=7)
HISTORY_PAGE: Final = 8
HISTORY_READ: Final = 200
RECORDS_SEARCHED_MAX: Final = 1_000
"""Records that one filtered page looks through; the page after it goes on from there."""
RUNS_READ: Final = 100
JOBS_READ: Final = 20


@dataclass(frozen=True, slots=True)
class SetRow:
    """One promoted tool. `withheld`: why the list leaves it out; empty: it is listed."""

    promotion: Promotion
    card: ToolCard | None
    leaves_at: datetime
    withheld: str


@dataclass(frozen=True, slots=True)
class Left:
    """One tool that left lately, and what would have kept it."""

    departure: Departure
    keeper: Keeper


@dataclass(frozen=True, slots=True)
class HistoryLine:
    change: Change
    record: ChangeSet


@dataclass(frozen=True, slots=True)
class HistoryPlace:
    """Where a page of the history begins: a record may be longer than a page."""

    before: int
    """Records with a smaller `list_revision` only."""
    skip: int = 0
    """Lines that fit and were shown already, of those."""


@dataclass(frozen=True, slots=True)
class HistoryPage:
    lines: tuple[HistoryLine, ...]
    after: HistoryPlace | None
    """Where the next page begins; None: this is the last one."""
    total: int
    """Records there are in all, whatever the filter."""


@dataclass(frozen=True, slots=True)
class AgentView:
    """One agent, whole."""

    agent: Agent
    presence: Presence | None
    rows: tuple[SetRow, ...]
    """In list order, withheld ones included."""
    left: tuple[Left, ...]
    changed_since_listed: tuple[HistoryLine, ...]
    """What moved since the harness last read its list."""
    history: HistoryPage
    approvals: tuple[Approval, ...]
    runs: tuple[LedgerLine, ...]
    in_flight: tuple[Run, ...]
    jobs: tuple[Job, ...]
    """The latest, newest first."""
    report: SweepReport | None
    next_sweep_at: datetime | None
    taken: int
    """Tools that the last sweep took, as far as its records tell."""
    connections: tuple[Connection, ...]
    """The person's, revoked ones included."""
    waiting: int
    """Asks of any agent that wait for the person."""
    heads: Mapping[str, ToolHead]
    """Every tool of the toolbox by wire name, in a set or not."""

    @property
    def facts(self) -> AgentFacts:
        return AgentFacts(self.agent, tuple(row.promotion for row in self.rows))

    @property
    def listed(self) -> tuple[SetRow, ...]:
        return tuple(row for row in self.rows if not row.withheld)

    @property
    def withheld(self) -> tuple[SetRow, ...]:
        return tuple(row for row in self.rows if row.withheld)


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    cause: Cause | None = None
    tool: str = ""
    """Part of a wire name; empty: every tool."""
    place: HistoryPlace | None = None
    """None: from the newest on."""

    @property
    def is_narrow(self) -> bool:
        return self.cause is not None or bool(self.tool)

    def fits(self, change: Change) -> bool:
        return (self.cause is None or change.cause is self.cause) and read_name(self.tool) in change.tool


def view(deps: Deps, person_id: str, agent_id: str, wanted: HistoryFilter = HistoryFilter()) -> AgentView:
    """Everything about one agent, in two round trips. Refuses another person's agent like one that never was."""
    found = _find(deps, person_id, agent_id)
    facts, person = found.facts, found.person
    agent = facts.agent
    tools = [promotion.tool for promotion in facts.promotions]
    known, records, history, approvals, runs, jobs, report, presence, connections, waiting, index = (
        deps.store.table.together(
            lambda: cards.find_cards(deps, person, tools),
            lambda: deps.store.sets.history(agent, limit=HISTORY_READ),
            lambda: history_page(deps, agent, wanted),
            lambda: deps.store.grants.all_approvals(agent),
            lambda: deps.store.runs.ledger(agent, limit=RUNS_READ),
            lambda: deps.store.jobs.newest(person_id, agent.id, limit=JOBS_READ),
            deps.store.sweeps.find_report,
            lambda: deps.store.traces.presence_of([agent]).get(agent.id),
            lambda: deps.store.grants.connections(person_id),
            lambda: overview.count_waiting(deps, person_id),
            lambda: toolbox.index(deps, person),
        )
    )
    now = deps.now()
    return AgentView(
        agent=agent,
        presence=presence,
        rows=_rows(facts, known),
        left=_left(facts, records, now),
        changed_since_listed=_since_listed(records, presence),
        history=history,
        approvals=tuple(approvals),
        runs=tuple(runs),
        in_flight=tuple(run for run in agent.runs.values() if run.deadline > now),
        jobs=tuple(jobs),
        report=report,
        next_sweep_at=next_sweep_at(report, now),
        taken=_taken(records, report),
        connections=tuple(connections),
        waiting=waiting,
        heads={head.wire_name: head for head in index.search("")},
    )


def find_facts(deps: Deps, person_id: str, agent_id: str) -> AgentFacts:
    """An agent with its set, revoked or not. Refuses another person's agent like one that never was."""
    return _find(deps, person_id, agent_id).facts


def _find(deps: Deps, person_id: str, agent_id: str) -> DoorFacts:
    found = deps.store.agents.find_door_facts(person_id, agent_id, None)
    if found is None:
        raise Refusal(Reason.INPUT_INVALID, "There is no such agent.")
    return found


def preview(deps: Deps, facts: AgentFacts, *, cap: int, idle_window_days: int) -> tuple[Leaver, ...]:
    """What the next sweep would take under these limits, if nothing else happened until then."""
    at = deps.now() + SWEEP_EVERY
    return decide_leavers(facts.promotions, cap=cap, idle_window_days=idle_window_days, now=at)


def _rows(facts: AgentFacts, known: Mapping[str, ToolCard]) -> tuple[SetRow, ...]:
    window = facts.agent.idle_window_days
    return tuple(
        SetRow(promotion, card, leaves_at(promotion, idle_window_days=window), listing_rule.find_fault(card) or "")
        for promotion in facts.promotions
        for card in [known.get(promotion.tool)]
    )


def _left(facts: AgentFacts, records: list[ChangeSet], now: datetime) -> tuple[Left, ...]:
    present = frozenset(promotion.tool for promotion in facts.promotions)
    return tuple(Left(found, find_keeper(found)) for found in departures(records, present, since=now - LEFT_WITHIN))


def _since_listed(records: list[ChangeSet], presence: Presence | None) -> tuple[HistoryLine, ...]:
    if presence is None or presence.listed_at is None:
        return ()
    newer = [record for record in records if record.list_revision > presence.listed_revision]
    return tuple(HistoryLine(change, record) for record in newer for change in record.changes)


def _taken(records: list[ChangeSet], report: SweepReport | None) -> int:
    """Every record of the last tick and of none before: ticks do not overlap a report that is kept."""
    if report is None:
        return 0
    lately = (record for record in records if record.at >= report.at)
    return sum(change.cause in BY_THE_RULE for record in lately for change in record.changes)


def history_page(deps: Deps, agent: Agent, wanted: HistoryFilter) -> HistoryPage:
    """A page of the lines that fit, newest first, in one round trip. One that filters may hold fewer than there are."""
    place = wanted.place or HistoryPlace(agent.list_revision + 1)
    limit = RECORDS_SEARCHED_MAX if wanted.is_narrow else HISTORY_PAGE + 1
    records = deps.store.sets.history(agent, before=place.before, limit=limit)
    lines = [HistoryLine(change, record) for record in records for change in record.changes if wanted.fits(change)]
    end = place.skip + HISTORY_PAGE
    return HistoryPage(tuple(lines[place.skip : end]), _next(records, lines, end, limit), agent.list_revision)


def _next(records: list[ChangeSet], lines: list[HistoryLine], end: int, limit: int) -> HistoryPlace | None:
    if end < len(lines):
        record = lines[end].record
        shown = sum(line.record is record for line in lines[:end])
        return HistoryPlace(record.list_revision + 1, shown)
    there_is_more = len(records) == limit and records[-1].list_revision > 1
    return HistoryPlace(records[-1].list_revision) if there_is_more else None
