"""GET: how a harness of the handshake era hears of list changes when it calls nothing.

Every answer is a finished stream; the client comes back after `retry` and says where it was.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from chalicelib.errors import Reason, Unauthorized
from chalicelib.services import identity, list_changes, pace, presence, trail

from . import changes
from .events import LIST_CHANGED, polled, retry_later
from .http import HttpRequest, HttpResponse, event_stream
from .session import Session
from .versions import PRIMED

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps

log = logging.getLogger("graft.mcp")


def poll(deps: Deps, request: HttpRequest, session: Session, bearer: str) -> HttpResponse:
    """What this session has to hear. Raises Unauthorized.

    A request without a `Last-Event-ID` of ours is the session's first: it hears a change in any case, because a
    harness that reconnects may register nothing until it does.
    """
    retry_ms = deps.settings.sse_retry_ms
    try:
        caller = identity.identify(deps, bearer, session.id)
        wait = pace.seconds_to_wait(caller.agent, deps.now())
        if wait:
            return _limited(max(retry_ms, wait * 1000))
        seen = changes.find_seen(request.header("last-event-id"))
        is_due = seen is None or presence.beside(deps, caller, lambda: list_changes.has_moved(deps, caller, seen))
        place = seen if seen and not is_due else list_changes.current(deps, caller)
    except Unauthorized:
        raise
    except Exception:
        log.exception("could not poll the list of session %s", session.id)
        trail.message().outcome = Reason.INTERNAL.value
        return event_stream(retry_later(retry_ms))
    quiet = b"" if session.version >= PRIMED else None
    return event_stream(polled(changes.event_id(place), retry_ms, data=LIST_CHANGED if is_due else quiet))


def _limited(retry_ms: int) -> HttpResponse:
    """A stream's own way to say when to come back: clients give it up for good after two answers that are none."""
    trail.message().outcome = Reason.RATE_LIMITED.value
    return event_stream(retry_later(retry_ms))
