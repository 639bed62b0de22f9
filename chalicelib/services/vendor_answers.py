"""What a connection's vendor last answered: the console says so, and no rule reads it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from chalicelib.model import VendorAnswer
from chalicelib.services.deps import Deps, log

NOTED_EVERY: Final = timedelta(minutes=1)


def beside(deps: Deps, person_id: str, last: tuple[str, int, str] | None, end: Callable[[], None]) -> None:
    """End a run, and at the same time note how its last call to the vendor went, if that is news.

    `last`: connection id, the vendor's status, or 0 and the reason nothing came back; None: no call left.
    """
    if last is None:
        end()
        return
    answer = VendorAnswer(*last, at=deps.now())
    known = deps.caches.vendor_answers.find((person_id, answer.connection_id))
    if known is not None and not _is_news(known, answer):
        end()
        return
    deps.store.table.together(end, lambda: _keep(deps, person_id, answer))


def _is_news(known: VendorAnswer, answer: VendorAnswer) -> bool:
    moved = (known.status, known.reason) != (answer.status, answer.reason)
    return moved or answer.at - known.at >= NOTED_EVERY


def _keep(deps: Deps, person_id: str, answer: VendorAnswer) -> None:
    try:
        deps.store.traces.keep_answer(person_id, answer)
        deps.caches.vendor_answers.keep((person_id, answer.connection_id), answer)
    except Exception:
        log.exception("did not note what the vendor of connection %s answered", answer.connection_id)
