"""A page's own facts, and what stands around it, read at the same time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from chalicelib.services import overview

from . import framing
from .render import Frame
from .visit import Visit

T = TypeVar("T")


def with_frame(visit: Visit, read: Callable[[], T]) -> tuple[T, Frame]:
    """What `read` answers, and the frame of a wide page. Raises `NotSignedIn`, and whatever `read` raises."""
    person_id = visit.person_id
    facts, waiting = visit.deps.store.table.together(read, lambda: overview.count_waiting(visit.deps, person_id))
    return facts, framing.wide(visit, waiting)
