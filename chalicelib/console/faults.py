"""The pages for what is not there, not allowed, or went wrong. They tell nothing of anybody's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from . import framing
from .http import PageResponse
from .render import Frame, html
from .visit import Visit


@dataclass(frozen=True, slots=True)
class FaultPage:
    template: ClassVar[str] = "fault.html"
    frame: Frame
    heading: str
    sentence: str
    action: str
    place: str


def not_found(visit: Visit) -> PageResponse:
    sentence = "It may have been closed, or it belongs to another account."
    return _page(visit, 404, "There is nothing at this address", sentence)


def forbidden(visit: Visit) -> PageResponse:
    sentence = "It was sent from another site or another browser, or you signed in meanwhile. Nothing was changed."
    return _page(visit, 403, "This form cannot be taken", sentence, "Load the page again", _back(visit))


def unreadable(visit: Visit) -> PageResponse:
    return _page(visit, 400, "This form cannot be read", "Nothing was changed.", "Load the page again", _back(visit))


def refused(visit: Visit, message: str) -> PageResponse:
    return _page(visit, 409, "This could not be done", message, "Load the page again", _back(visit))


def busy(visit: Visit) -> PageResponse:
    sentence = "Graft is too busy with this at the moment. Nothing was changed; try again."
    return _page(visit, 503, "Not now", sentence, "Load the page again", _back(visit))


def broke(visit: Visit, log_id: str) -> PageResponse:
    sentence = f"Try again; if it stays, look in the log for {log_id}."
    return _page(visit, 500, "This page could not be made", sentence, "Load the page again", _back(visit))


def _back(visit: Visit) -> str:
    """The page whose form was sent: the actions of a page stand one step below it."""
    place = visit.request.path
    return "/in" if place.startswith("/in/") else place


def _page(
    visit: Visit, status: int, heading: str, sentence: str, action: str = "Go to the front page", place: str = "/"
) -> PageResponse:
    return html(FaultPage(framing.narrow(visit), heading, sentence, action, place), status=status)
