"""One line in the log for every request for a page.

It names the route, never the path: a one-time link and an ask stand in the path. What was typed is in none.
"""

from __future__ import annotations

from typing import Final

from chalicelib.services import trail
from chalicelib.services.trail import Trail

from .http import PageRequest, PageResponse

VERBS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"


def write(followed: Trail, request: PageRequest, response: PageResponse, ms: float) -> None:
    """`ms`: what the whole request took. A dry run that a page led to is on its line."""
    met = followed.message
    fields = {
        "person": followed.person_id,
        "agent": followed.agent_id,
        "http": request.method if request.method in VERBS else OTHER,
        "route": followed.route or OTHER,
        "status": response.status,
        "ms": round(ms, 1),
        "run": met.run,
        "logId": met.log_id,
    }
    trail.tell("page", fields, met.counts)
