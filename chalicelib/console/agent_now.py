"""What is so with one agent at this moment: its list, the sweeps, and what other limits would mean."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from chalicelib.model import Direction
from chalicelib.services import agent_view
from chalicelib.services.agent_view import AgentView

from .agent_form import Limits
from .causes import LABELS
from .words import count

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps

MOVES_SHOWN: Final = 3
LEAVERS_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Move:
    tool: str
    direction: Direction


@dataclass(frozen=True, slots=True)
class Now:
    harness: str
    listed_at: datetime | None
    """When the harness last read its list; None: never, as far as is known."""
    moves: tuple[Move, ...]
    """What changed since, newest first."""
    more_moves: int
    swept_at: datetime | None
    swept: str
    """What the last sweep did to this agent."""
    next_sweep_at: datetime | None
    held_since: datetime | None
    """Since when runs in flight hold the sweep off."""


@dataclass(frozen=True, slots=True)
class Leaving:
    tool: str
    cause: str


@dataclass(frozen=True, slots=True)
class Preview:
    cap: int
    idle_window_days: int
    leaving: tuple[Leaving, ...]
    total: int
    in_flight: bool
    """A run is in flight: the next sweep takes nothing unless it has ended by then."""
    is_saved: bool
    """Whether these limits are the agent's own now."""


def now_of(view: AgentView) -> Now:
    seen, moved = view.presence, view.changed_since_listed
    report = view.report
    return Now(
        harness=(seen.harness if seen else "") or "Its harness",
        listed_at=seen.listed_at if seen else None,
        moves=tuple(Move(line.change.tool, line.change.direction) for line in moved[:MOVES_SHOWN]),
        more_moves=max(0, len(moved) - MOVES_SHOWN),
        swept_at=report.at if report else None,
        swept=_swept(view),
        next_sweep_at=view.next_sweep_at,
        held_since=view.agent.held_since if view.in_flight else None,
    )


def preview_of(deps: Deps, view: AgentView, wanted: Limits) -> Preview:
    return _preview(deps, view, wanted.cap, wanted.idle_window_days, is_saved=False)


def saved_preview(deps: Deps, view: AgentView) -> Preview:
    """Of the limits that hold."""
    return _preview(deps, view, view.agent.cap, view.agent.idle_window_days, is_saved=True)


def _preview(deps: Deps, view: AgentView, cap: int, idle_window_days: int, *, is_saved: bool) -> Preview:
    leavers = agent_view.preview(deps, view.facts, cap=cap, idle_window_days=idle_window_days)
    shown = tuple(Leaving(leaver.tool, LABELS[leaver.cause]) for leaver in leavers[:LEAVERS_SHOWN])
    return Preview(cap, idle_window_days, shown, len(leavers), bool(view.in_flight), is_saved)


def _swept(view: AgentView) -> str:
    if view.report is not None and view.agent.id in view.report.skipped_agents:
        return "skipped, because a run was in flight"
    return f"{count(view.taken, 'tool')} left" if view.taken else "nothing left"
