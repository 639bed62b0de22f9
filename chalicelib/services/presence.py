"""What the console knows of a harness: its name, when it was last seen, and when it last read its list.

It is noted now and then, beside what a request does anyway: a request waits for no write of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final, TypeVar

from chalicelib.model import Presence
from chalicelib.services.deps import Deps, log
from chalicelib.services.identity import Caller

NOTED_EVERY: Final = timedelta(minutes=5)
NAME_MAX: Final = 60

T = TypeVar("T")


def beside(
    deps: Deps,
    caller: Caller,
    serve: Callable[[], T],
    *,
    harness: tuple[str, str] | None = None,
    lists: bool = False,
) -> T:
    """Serve, and note the harness at the same time where there is something new to note.

    `harness`: (name, version) as it announced itself just now. `lists`: whether this request reads the list.
    """
    known = deps.caches.presences.find((caller.agent.person_id, caller.agent.id))
    noted = _noted(deps, caller, known, harness, lists=lists)
    if not _is_news(known, noted):
        return serve()
    return deps.store.table.together(serve, lambda: _keep(deps, caller, noted))[0]


def _noted(
    deps: Deps, caller: Caller, known: Presence | None, harness: tuple[str, str] | None, *, lists: bool
) -> Presence:
    now = deps.now()
    seen = replace(known, seen_at=now) if known else Presence("", "", now)
    if harness is not None:
        seen = replace(seen, harness=_short(harness[0]), harness_version=_short(harness[1]))
    if lists:
        seen = replace(seen, listed_at=now, listed_revision=caller.agent.list_revision)
    return seen


def _is_news(known: Presence | None, noted: Presence) -> bool:
    if known is None or noted.seen_at - known.seen_at >= NOTED_EVERY:
        return True
    same_harness = (known.harness, known.harness_version) == (noted.harness, noted.harness_version)
    return not same_harness or known.listed_revision != noted.listed_revision


def _keep(deps: Deps, caller: Caller, noted: Presence) -> None:
    """Nothing waits for it and nothing depends on it, so a failure is only logged."""
    try:
        deps.store.traces.note_presence(caller.agent, noted)
        deps.caches.presences.keep((caller.agent.person_id, caller.agent.id), noted)
    except Exception:
        log.exception("did not note that agent %s was seen", caller.agent.id)


def _short(value: str) -> str:
    return "".join(character for character in value if character.isprintable())[:NAME_MAX]
