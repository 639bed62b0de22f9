"""What a person is shown of their agents. Reads only; every figure comes from the rows that the rule reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    Agent,
    AgentFacts,
    Approval,
    Cause,
    Change,
    ChangeSet,
    LedgerLine,
    Presence,
    Promotion,
    Run,
    SweepReport,
    ToolCard,
)
from chalicelib.rules import listing as listing_rule
from chalicelib.rules.departures import Departure, Keeper, departures, find_keeper, leaves_at
from chalicelib.rules.names import read_name
from chalicelib.rules.sweep import Leaver, decide_leavers, is_in_flight
from chalicelib.services.deps import Deps

LEFT_WITHIN: Final = timedelta(days=7)
SWEEP_EVERY: Final = timedelta(minutes=5)
HISTORY_PAGE: Final = 25
HISTORY_READ: Final = 200
RECORDS_SEARCHED_MAX: Final = 1_000
"""Records that one filtered page looks through; the page after it goes on from there."""
RUNS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """One agent as the list of agents shows it."""

    agent: Agent
    presence: Presence | None
    in_flight: bool

    @property
    def seen_at(self) -> datetime | None:
        """When its harness was last there, as far as a row tells; None: never."""
        times = [at for at in self.agent.used.values() if at] + [run.started_at for run in self.agent.runs.values()]
        if self.presence is not None:
            times.append(self.presence.seen_at)
        return max(times, default=None)


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
class HistoryPage:
    lines: tuple[HistoryLine, ...]
    before: int | None
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
    report: SweepReport | None
    next_sweep_at: datetime | None

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
    before: int | None = None

    def fits(self, change: Change) -> bool:
        return (self.cause is None or change.cause is self.cause) and read_name(self.tool) in change.tool


def agents(deps: Deps, person_id: str) -> list[AgentSummary]:
    """Oldest first, revoked ones last. Three round trips, however many agents there are."""
    found = deps.store.agents.of_person(person_id)
    seen = deps.store.traces.presence_of(found)
    now = deps.now()
    summaries = [AgentSummary(agent, seen.get(agent.id), is_in_flight(agent, now)) for agent in found]
    return sorted(summaries, key=lambda summary: summary.agent.revoked_at is not None)


def view(deps: Deps, person_id: str, agent_id: str, wanted: HistoryFilter = HistoryFilter()) -> AgentView:
    """Everything about one agent, in two round trips. Refuses another person's agent like one that never was."""
    facts = _find(deps, person_id, agent_id)
    agent = facts.agent
    tools = [promotion.tool for promotion in facts.promotions]
    cards, records, history, approvals, runs, report, presence = deps.store.table.together(
        lambda: deps.store.toolbox.cards(person_id, tools),
        lambda: deps.store.agents.history(agent, limit=HISTORY_READ),
        lambda: history_page(deps, agent, wanted),
        lambda: deps.store.grants.all_approvals(agent),
        lambda: deps.store.agents.ledger(agent, limit=RUNS_SHOWN),
        deps.store.sweeps.find_report,
        lambda: deps.store.traces.presence_of([agent]).get(agent.id),
    )
    now = deps.now()
    return AgentView(
        agent=agent,
        presence=presence,
        rows=_rows(facts, cards),
        left=_left(facts, records, now),
        changed_since_listed=_since_listed(records, presence),
        history=history,
        approvals=tuple(approvals),
        runs=tuple(runs),
        in_flight=tuple(run for run in agent.runs.values() if run.deadline > now),
        report=report,
        next_sweep_at=next_sweep(report, now),
    )


def find_facts(deps: Deps, person_id: str, agent_id: str) -> AgentFacts:
    return _find(deps, person_id, agent_id)


def _find(deps: Deps, person_id: str, agent_id: str) -> AgentFacts:
    found = deps.store.agents.find_door_facts(person_id, agent_id, None)
    if found is None:
        raise Refusal(Reason.INPUT_INVALID, "There is no such agent.")
    return found.facts


def preview(deps: Deps, facts: AgentFacts, *, cap: int, idle_window_days: int) -> tuple[Leaver, ...]:
    """What the next sweep would take under these limits, if nothing else happened until then."""
    at = deps.now() + SWEEP_EVERY
    return decide_leavers(facts.promotions, cap=cap, idle_window_days=idle_window_days, now=at)


def next_sweep(report: SweepReport | None, now: datetime) -> datetime | None:
    """When the next tick is expected; None: none has been seen yet."""
    if report is None:
        return None
    ticks = max(0, (now - report.at) // SWEEP_EVERY) + 1
    return report.at + ticks * SWEEP_EVERY


def _rows(facts: AgentFacts, cards: Sequence[ToolCard]) -> tuple[SetRow, ...]:
    found = {card.wire_name: card for card in cards}
    window = facts.agent.idle_window_days
    return tuple(
        SetRow(promotion, card, leaves_at(promotion, idle_window_days=window), _fault(card))
        for promotion in facts.promotions
        for card in [found.get(promotion.tool)]
    )


def _fault(card: ToolCard | None) -> str:
    if card is None:
        return "its current version is not in the toolbox"
    return listing_rule.find_fault(card) or ""


def _left(facts: AgentFacts, records: list[ChangeSet], now: datetime) -> tuple[Left, ...]:
    present = frozenset(promotion.tool for promotion in facts.promotions)
    return tuple(Left(found, find_keeper(found)) for found in departures(records, present, since=now - LEFT_WITHIN))


def _since_listed(records: list[ChangeSet], presence: Presence | None) -> tuple[HistoryLine, ...]:
    if presence is None or presence.listed_at is None:
        return ()
    newer = [record for record in records if record.list_revision > presence.listed_revision]
    return tuple(HistoryLine(change, record) for record in newer for change in record.changes)


def history_page(deps: Deps, agent: Agent, wanted: HistoryFilter) -> HistoryPage:
    """At least a page of the lines that fit, newest first, unless there are no more."""
    lines: list[HistoryLine] = []
    before, searched = wanted.before, 0
    while searched < RECORDS_SEARCHED_MAX:
        records = deps.store.agents.history(agent, before=before, limit=HISTORY_PAGE * 4)
        for record in records:
            lines += [HistoryLine(change, record) for change in record.changes if wanted.fits(change)]
            searched, before = searched + 1, record.list_revision
            if len(lines) >= HISTORY_PAGE:
                more = before > 1
                return HistoryPage(tuple(lines), before if more else None, agent.list_revision)
        if len(records) < HISTORY_PAGE * 4:
            return HistoryPage(tuple(lines), None, agent.list_revision)
    return HistoryPage(tuple(lines), before, agent.list_revision)
