"""The page behind an ask's link, whatever it asks. Reading it changes nothing; the answer is a form's POST."""

from __future__ import annotations

from chalicelib.model import AcquireQuestion, Ask, ConnectionQuestion, CredentialQuestion, ToolQuestion
from chalicelib.services import ask_facts

from ..http import PageResponse
from ..visit import NotFound, Visit
from . import ask_acquire, ask_connection, ask_credential, ask_tool


def show(visit: Visit) -> PageResponse:
    ask = _find(visit)
    match ask.question:
        case ToolQuestion():
            return ask_tool.show(visit, ask, ask.question)
        case ConnectionQuestion():
            return ask_connection.show(visit, ask, ask.question)
        case CredentialQuestion():
            return ask_credential.show(visit, ask, ask.question)
        case AcquireQuestion():
            return ask_acquire.show(visit, ask, ask.question)


def submit(visit: Visit) -> PageResponse:
    ask = _find(visit)
    match ask.question:
        case ToolQuestion():
            return ask_tool.submit(visit, ask, ask.question)
        case ConnectionQuestion():
            return ask_connection.submit(visit, ask, ask.question)
        case CredentialQuestion():
            return ask_credential.submit(visit, ask, ask.question)
        case AcquireQuestion():
            return ask_acquire.submit(visit, ask)


def _find(visit: Visit) -> Ask:
    """Another person's ask and one that never was are the same nothing."""
    ask = ask_facts.find_ask(visit.deps, visit.person_id, visit.parts[0])
    if ask is None:
        raise NotFound
    return ask
