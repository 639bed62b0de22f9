"""One line in the log for every message that a request carried; for a request that carried none, one for itself.

What a caller sent is in none of them: a method or a tool is named only if Graft has it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason
from chalicelib.services import trail
from chalicelib.services.trail import Trail

if TYPE_CHECKING:
    from .http import HttpRequest, HttpResponse

VERBS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"
BY_STATUS: Final = {
    200: trail.OK,
    202: "accepted",
    204: trail.OK,
    400: "bad_request",
    401: "unauthorized",
    403: "origin_refused",
    405: "not_allowed",
}
"""The outcome of a request without a message to answer."""
COUNTED: Final = {Reason.RATE_LIMITED.value: trail.RATE_LIMITED}
"""Outcomes that are metrics, too."""


def write(followed: Trail, request: HttpRequest, response: HttpResponse, ms: float, methods: Collection[str]) -> None:
    """`ms`: what the whole request took. `methods`: those that the door knows."""
    if not followed.served:
        followed.message.outcome = followed.message.outcome or BY_STATUS.get(response.status, str(response.status))
    for served in followed.served or [followed.message]:
        outcome = served.outcome or trail.OK
        fields = {
            "agent": followed.agent_id,
            "http": request.method if request.method in VERBS else OTHER,
            "status": response.status,
            "method": served.method if served.method in methods or not served.method else OTHER,
            "tool": served.tool,
            "outcome": outcome,
            "ms": round(ms, 1),
            "run": served.run,
            "logId": served.log_id,
        }
        counted = {COUNTED[outcome]: 1} if outcome in COUNTED else {}
        trail.tell("request", fields, {**counted, **served.counts})
