"""The rule: which tools leave a working set at a sweep, why, and when to look again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chalicelib.model import Agent, Cause, Promotion, SweepReport

SWEEP_EVERY: Final = timedelta(minutes=5)
JUST_AFTER: Final = timedelta(milliseconds=1)
"""Exactly on the edge a tool stays; the table keeps whole milliseconds."""


@dataclass(frozen=True, slots=True)
class Leaver:
    promotion: Promotion
    cause: Cause

    @property
    def tool(self) -> str:
        return self.promotion.tool

    @property
    def active_at(self) -> datetime:
        return active_at(self.promotion)


def active_at(promotion: Promotion) -> datetime:
    """The moment the rule counts from: the last use, or the promotion if never used since it."""
    return promotion.last_used_at or promotion.promoted_at


def is_in_flight(agent: Agent, now: datetime) -> bool:
    """A run whose time is up counts as over: its process is gone, whatever it left behind."""
    return any(run.deadline > now for run in agent.runs.values())


def is_idle(promotion: Promotion, *, window: timedelta, now: datetime) -> bool:
    return active_at(promotion) + window < now


def decide_leavers(
    promotions: Iterable[Promotion], *, cap: int, idle_window_days: int, now: datetime
) -> tuple[Leaver, ...]:
    """Who leaves, in order: first what is idle, then what the cap takes. The order of input never matters."""
    window = timedelta(days=idle_window_days)
    ordered = sorted(promotions, key=_by_promotion)
    idle = [p for p in ordered if is_idle(p, window=window, now=now)]
    rest = [p for p in ordered if not is_idle(p, window=window, now=now)]
    over = max(0, len(rest) - cap)
    candidates = [p for p in rest if p.last_used_at is None]
    return (*(Leaver(p, Cause.IDLE) for p in idle), *(Leaver(p, Cause.CAP) for p in candidates[:over]))


def decide_due(promotions: Sequence[Promotion], *, idle_window_days: int) -> datetime | None:
    """When something of this settled set can leave first; None: the set is empty.

    Uses only postpone, and time alone makes nobody a candidate of the cap, so it is never later than the truth.
    """
    if not promotions:
        return None
    return min(active_at(p) for p in promotions) + timedelta(days=idle_window_days) + JUST_AFTER


def find_due(agent: Agent, promotions: Sequence[Promotion], now: datetime) -> datetime | None:
    """When a sweep has something to do for this agent first, settled or not; None: its set is empty."""
    if decide_leavers(promotions, cap=agent.cap, idle_window_days=agent.idle_window_days, now=now):
        return now
    return decide_due(promotions, idle_window_days=agent.idle_window_days)


def next_sweep_at(report: SweepReport | None, now: datetime) -> datetime | None:
    """When the next tick is expected, by the last one's time; None: none has been seen yet."""
    if report is None:
        return None
    ticks = max(0, (now - report.at) // SWEEP_EVERY) + 1
    return report.at + ticks * SWEEP_EVERY


def _by_promotion(promotion: Promotion) -> tuple[datetime, str]:
    return promotion.promoted_at, promotion.tool
