"""What a harness last saw of its list, and what the list is now."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Final

from chalicelib.model import Listed
from chalicelib.services import working_set
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller

SESSION_KEPT: Final = timedelta(days=30)


def current(deps: Deps, caller: Caller) -> Listed:
    """The list as the caller's facts make it; reads only cards that the process does not have."""
    return listed_now(caller, working_set.listing(deps, caller))


def listed_now(caller: Caller, listing: working_set.Listing) -> Listed:
    """The digest covers what a list shows: names and versions in order. A version never changes."""
    lines = "\n".join(f"{card.wire_name} {card.version}" for card in listing.tools)
    digest = hashlib.sha256(lines.encode()).hexdigest()[:32]
    return Listed(digest, caller.agent.list_revision, caller.person.toolbox_revision)


def has_moved(deps: Deps, caller: Caller, seen: Listed) -> bool:
    """Whether the list differs from what was seen. Equal revisions prove that it does not, at no cost."""
    if (seen.list_revision, seen.toolbox_revision) == (caller.agent.list_revision, caller.person.toolbox_revision):
        return False
    return current(deps, caller).digest != seen.digest


def remember(deps: Deps, caller: Caller, listed: Listed) -> None:
    """Keep what this session has now listed; writes only when it changed."""
    if caller.session_id is not None and caller.listed != listed:
        expires_at = deps.now() + SESSION_KEPT
        deps.store.agents.remember_listed(caller.agent, caller.session_id, listed, expires_at)
