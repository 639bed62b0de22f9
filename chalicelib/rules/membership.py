"""What entering and leaving do to a working set: the record, and the set that it leaves behind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from chalicelib.model import PROMOTED_MAX, AgentFacts, Cause, Change, ChangeSet, Direction, Promotion
from chalicelib.rules.sweep import JUST_AFTER, Leaver


@dataclass(frozen=True, slots=True)
class Move:
    """One change of a set: written together or not at all."""

    record: ChangeSet
    remaining: tuple[Promotion, ...]
    """The set afterwards, in list order."""


def is_full(facts: AgentFacts) -> bool:
    return len(facts.promotions) >= PROMOTED_MAX


def decide_entry(facts: AgentFacts, tool: str, cause: Cause, now: datetime) -> Move:
    """A promotion starts with no use, in a slot of its own, and later than every other: a new tool goes last.

    The record keeps the clock's own time: the agent is due from then on, never from a moment still to come.
    """
    promoted_at = max(now, facts.promotions[-1].promoted_at + JUST_AFTER) if facts.promotions else now
    record = _record(facts, [Change(tool, Direction.PROMOTED, cause)], now)
    promotion = Promotion(tool, str(record.list_revision), promoted_at, cause)
    return _move(record, [*facts.promotions, promotion])


def decide_exit(facts: AgentFacts, tools: Collection[str], cause: Cause, now: datetime) -> Move:
    """Those of `tools` that are in the set leave together."""
    leaving = [p.tool for p in facts.promotions if p.tool in tools]
    record = _record(facts, [Change(tool, Direction.DEMOTED, cause) for tool in leaving], now)
    return _move(record, [p for p in facts.promotions if p.tool not in tools])


def decide_swept(
    facts: AgentFacts, leavers: Sequence[Leaver], now: datetime, *, rule_at: datetime | None = None
) -> Move:
    """However many leave, one record: it carries the facts that decided each.

    `rule_at`: where the rule's clock was moved to; None: it stood at `now`.
    """
    changes = [Change(leaver.tool, Direction.DEMOTED, leaver.cause, leaver.active_at) for leaver in leavers]
    gone = {leaver.tool for leaver in leavers}
    record = replace(_record(facts, changes, now), rule_at=rule_at)
    return _move(record, [p for p in facts.promotions if p.tool not in gone])


def facts_after(facts: AgentFacts, move: Move) -> AgentFacts:
    """The facts once the move is written, as a later read would find them if nothing else happened."""
    agent = replace(
        facts.agent,
        rev=facts.agent.rev + 1,
        list_revision=move.record.list_revision,
        set_size=len(move.remaining),
        used={p.slot: p.last_used_at for p in move.remaining},
    )
    return AgentFacts(agent, move.remaining)


def _record(facts: AgentFacts, changes: Sequence[Change], at: datetime) -> ChangeSet:
    agent = facts.agent
    return ChangeSet(
        list_revision=agent.list_revision + 1,
        at=at,
        changes=tuple(changes),
        idle_window_days=agent.idle_window_days,
        cap=agent.cap,
        set_size=len(facts.promotions),
    )


def _move(record: ChangeSet, remaining: Iterable[Promotion]) -> Move:
    return Move(record, tuple(sorted(remaining, key=lambda p: (p.promoted_at, p.tool))))
