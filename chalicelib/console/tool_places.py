"""Where a tool is: in whose list since when, why it left the others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from chalicelib.services.tool_view import HISTORY_SEARCHED, Place, ToolView

from . import moments
from .causes import LABELS, promoted_by

if TYPE_CHECKING:
    from chalicelib.model import Promotion


@dataclass(frozen=True, slots=True)
class PlaceRow:
    agent: str
    agent_id: str
    tone: str
    icon: str
    begin: str
    """What comes before the time."""
    at: datetime | None
    on: str
    """The time in words."""
    end: str
    """What comes after it."""


def place_rows(view: ToolView, now: datetime) -> tuple[PlaceRow, ...]:
    return tuple(_row(place, view.withheld, now) for place in view.places)


def _row(place: Place, withheld: str, now: datetime) -> PlaceRow:
    agent = place.agent
    if place.promotion is not None and withheld:
        return PlaceRow(agent.name, agent.id, "warn", "warn", f"withheld: {withheld.rstrip('.')}", None, "", "")
    if place.promotion is not None:
        at = place.promotion.promoted_at
        end = f", promoted by {promoted_by(place.promotion.promoted_by)}; {_used(place.promotion, now)}"
        return PlaceRow(agent.name, agent.id, "good", "check", "in the list since", at, moments.day(at, now), end)
    if place.left is not None:
        change, record = place.left
        end = f": {LABELS[change.cause]}"
        return PlaceRow(agent.name, agent.id, "calm", "out", "left on", record.at, moments.day(record.at, now), end)
    never = "never promoted" if place.is_searched_whole else f"not in its last {HISTORY_SEARCHED} records"
    return PlaceRow(agent.name, agent.id, "calm", "minus", never, None, "", "")


def _used(promotion: Promotion, now: datetime) -> str:
    used = promotion.last_used_at
    return f"last used {moments.ago(used, now)}" if used else "not used since"
