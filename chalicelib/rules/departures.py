"""When tools leave, and what would have kept those that left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chalicelib.model import (
    CAP_RANGE,
    IDLE_WINDOW_DAYS_RANGE,
    Cause,
    Change,
    ChangeSet,
    Direction,
    Promotion,
)
from chalicelib.rules.sweep import active_at

DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Departure:
    """One tool that left, with the record that says why."""

    change: Change
    record: ChangeSet


@dataclass(frozen=True, slots=True)
class Keeper:
    """The smallest setting under which this tool would not have left then; both None: no setting would."""

    idle_window_days: int | None = None
    cap: int | None = None


def leaves_at(promotion: Promotion, *, idle_window_days: int) -> datetime:
    """Until when it stays if it is not used any more."""
    return active_at(promotion) + timedelta(days=idle_window_days)


def departures(records: list[ChangeSet], present: frozenset[str], *, since: datetime) -> list[Departure]:
    """Who left since then and is not back: the last departure of each tool, newest first.

    `records`: newest first. `present`: wire names in the set now.
    """
    found: dict[str, Departure] = {}
    moved: set[str] = set()
    for record in records:
        if record.at < since:
            break
        for change in record.changes:
            if change.direction is Direction.DEMOTED and change.tool not in present | moved:
                found[change.tool] = Departure(change, record)
            moved.add(change.tool)
    return list(found.values())


def find_keeper(departure: Departure) -> Keeper:
    """What would have kept it at that sweep. An agent's own demotion and a revoke have no such setting."""
    change, record = departure.change, departure.record
    match change.cause:
        case Cause.IDLE if change.active_at is not None:
            days = -((change.active_at - (record.rule_at or record.at)) // DAY)
            return Keeper(idle_window_days=days) if days in IDLE_WINDOW_DAYS_RANGE else Keeper()
        case Cause.CAP:
            idle = sum(other.cause is Cause.IDLE for other in record.changes)
            taken_before = [other.tool for other in record.changes if other.cause is Cause.CAP].index(change.tool)
            needed = record.set_size - idle - taken_before
            return Keeper(cap=needed) if needed in CAP_RANGE else Keeper()
        case _:
            return Keeper()
