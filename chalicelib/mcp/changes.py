"""Whether a client has to hear that its list changed. Any process can tell, from the table and what was shown to it.

What was shown is known from one of three: the session's row, the session token, or the event id that the client
brings back. `services/list_changes` compares it with the list as it is.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

from chalicelib.model import Listed
from chalicelib.services import list_changes

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

    from .session import Session

EVENT_ID: Final = re.compile(r"(\d{1,18})-(\d{1,18})-([0-9a-f]{1,64})")

log = logging.getLogger("graft.mcp")


def event_id(listed: Listed) -> str:
    """A place in the list's life, as a stream's event carries it and `Last-Event-ID` brings it back."""
    return f"{listed.list_revision}-{listed.toolbox_revision}-{listed.digest}"


def find_seen(last_event_id: str | None) -> Listed | None:
    """What `Last-Event-ID` says was seen; None: nothing, so this is a stream's first GET."""
    match = EVENT_ID.fullmatch(last_event_id or "")
    return Listed(match[3], int(match[1]), int(match[2])) if match else None


def seen_by(caller: Caller, session: Session) -> Listed:
    """What this session last listed. If it never did: where the list stood when it was opened, without a digest, so
    that any movement since then counts."""
    return caller.listed or Listed("", session.list_revision, session.toolbox_revision)


def is_behind(deps: Deps, caller: Caller, seen: Listed) -> bool:
    """Whether the list differs from what was seen. The answer at hand is ready, so no failure to tell may spoil it."""
    try:
        return list_changes.has_moved(deps, caller, seen)
    except Exception:
        log.exception("could not tell whether the list of session %s moved", caller.session_id)
        return False


def remember(deps: Deps, caller: Caller) -> None:
    """Note what this session was just shown. The list is right without it, so a failure is only logged."""
    try:
        list_changes.remember(deps, caller, list_changes.current(deps, caller))
    except Exception:
        log.exception("did not note what session %s was shown", caller.session_id)
