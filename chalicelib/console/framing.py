"""What stands around a page of this visit."""

from __future__ import annotations

from chalicelib.services import overview

from .cookies import is_loopback
from .render import Frame
from .visit import Visit


def narrow(visit: Visit) -> Frame:
    """Around a question: who is signed in, and no navigation."""
    return _frame(visit, None)


def wide(visit: Visit, waiting: int | None = None) -> Frame:
    """Around a page of the console. `waiting`: how many asks wait, where the page has counted them itself."""
    counted = overview.count_waiting(visit.deps, visit.person_id) if waiting is None else waiting
    return _frame(visit, counted)


def _frame(visit: Visit, waiting: int | None) -> Frame:
    return Frame(
        root=visit.request.root,
        now=visit.deps.now(),
        form_token=visit.form_token,
        email=visit.found.person.email if visit.found else None,
        here=visit.request.path,
        waiting=waiting,
        notice=visit.notice,
        address_note=address_note(visit.deps.settings.public_base_url),
    )


def address_note(public_base_url: str) -> str:
    """What a person has to know of the address that every link begins with; empty: nothing."""
    if is_loopback(public_base_url):
        return "Graft runs on this machine only: a link to it leads nowhere from a phone or another machine."
    if public_base_url.startswith("http://"):
        return "This address is plain http: what you type can be read on its way. Serve Graft over https."
    return ""
