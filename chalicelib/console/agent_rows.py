"""The rows of an agent's cards: its set, what left, its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.model import BY_THE_RULE, Cause, Direction
from chalicelib.services.agent_view import AgentView, HistoryLine, Left, SetRow

from . import causes, moments
from .paging import cut, short
from .unseen import Piece, pieces
from .words import CHIP_WORDS, Chip, chip

DESCRIPTION_SHOWN: Final = 120
"""Characters of a description in the list; the tool's own page has all of it."""
TEXT_BYTES: Final = 600
"""What it may weigh in a page, characters that are spelled out included."""


@dataclass(frozen=True, slots=True)
class SetLine:
    tool: str
    chip: Chip
    chip_word: str
    description: tuple[Piece, ...]
    version: int
    by: str
    promoted_at: datetime
    used_at: datetime | None
    leaves: str
    """When it leaves if nobody uses it, in words."""
    leaves_at: datetime | None
    """None: it is not the idle window that decides."""


@dataclass(frozen=True, slots=True)
class Withheld:
    tool: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftLine:
    tool: str
    chip: Chip | None
    """None: the tool cannot be read."""
    chip_word: str
    cause: str
    at: datetime
    decided: str
    kept: str
    way_back: str


@dataclass(frozen=True, slots=True)
class HistoryRow:
    at: datetime
    direction: str
    tool: str
    cause: str
    record: int
    active_at: datetime | None
    """Of a demotion by the rule; with it come the window, the cap and the size."""
    idle_window_days: int
    cap: int
    set_size: int
    rule_at: datetime | None
    """Where the rule's clock had been moved to; None: it had not."""


def set_lines(view: AgentView, foreseen: Mapping[str, Cause], now: datetime) -> tuple[SetLine, ...]:
    """In list order. `foreseen`: what the next sweep takes under the limits that are saved, and why."""
    is_revoked = view.agent.revoked_at is not None
    return tuple(_set_line(row, foreseen.get(row.promotion.tool), now, is_revoked=is_revoked) for row in view.listed)


def withheld(view: AgentView) -> tuple[Withheld, ...]:
    return tuple(Withheld(row.promotion.tool, row.withheld) for row in view.withheld)


def left_line(left: Left, view: AgentView) -> LeftLine:
    change = left.departure.change
    head = view.heads.get(change.tool)
    kind = chip(head.annotations) if head else None
    return LeftLine(
        tool=change.tool,
        chip=kind,
        chip_word=CHIP_WORDS[kind] if kind else "",
        cause=causes.LABELS[change.cause],
        at=left.departure.record.at,
        decided=causes.what_decided(left, view.agent),
        kept=causes.what_would_have_kept(left, view.agent),
        way_back=causes.way_back(change.tool),
    )


def history_row(line: HistoryLine) -> HistoryRow:
    change, record = line.change, line.record
    by_rule = change.direction is Direction.DEMOTED and change.cause in BY_THE_RULE
    return HistoryRow(
        at=record.at,
        direction=change.direction,
        tool=change.tool,
        cause=causes.LABELS[change.cause],
        record=record.list_revision,
        active_at=change.active_at if by_rule else None,
        idle_window_days=record.idle_window_days,
        cap=record.cap,
        set_size=record.set_size,
        rule_at=record.rule_at,
    )


def _set_line(row: SetRow, leaves_by: Cause | None, now: datetime, *, is_revoked: bool) -> SetLine:
    assert row.card is not None
    kind = chip(row.card.annotations)
    return SetLine(
        tool=row.promotion.tool,
        chip=kind,
        chip_word=CHIP_WORDS[kind],
        description=cut(pieces(short(row.card.description, DESCRIPTION_SHOWN)), TEXT_BYTES),
        version=row.card.version,
        by=causes.promoted_by(row.promotion.promoted_by),
        promoted_at=row.promotion.promoted_at,
        used_at=row.promotion.last_used_at,
        leaves="stays" if is_revoked else _leaves(row.leaves_at, leaves_by, now),
        leaves_at=None if is_revoked or leaves_by else row.leaves_at,
    )


def _leaves(at: datetime, leaves_by: Cause | None, now: datetime) -> str:
    if leaves_by is Cause.CAP:
        return "at the next sweep, over the cap"
    if leaves_by is not None or at <= now:
        return "at the next sweep"
    days = (at.date() - now.date()).days
    if days == 0:
        return f"today, {at:%H:%M} UTC"
    return f"tomorrow, {moments.day(at, now)}" if days == 1 else moments.day(at, now)
