"""The page behind an ask's link, whatever it asks. Reading it changes nothing; the answer is a form's POST."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalicelib.model import AcquireQuestion, AskPointer, ConnectionQuestion, CredentialQuestion, ToolQuestion
from chalicelib.services import ask_facts
from chalicelib.services.ask_facts import FoundAsk

from ..http import PageResponse
from ..visit import NotFound, Visit
from . import ask_acquire, ask_connection, ask_credential, ask_tool

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps


def begin(deps: Deps, person_id: str, parts: tuple[str, ...]) -> AskPointer | None:
    return ask_facts.find_pointer(deps, person_id, parts[0])


def show(visit: Visit) -> PageResponse:
    found = _find(visit)
    match found.ask.question:
        case ToolQuestion() as question:
            return ask_tool.show(visit, found, question)
        case ConnectionQuestion() as question:
            return ask_connection.show(visit, found, question)
        case CredentialQuestion() as question:
            return ask_credential.show(visit, found, question)
        case AcquireQuestion() as question:
            return ask_acquire.show(visit, found, question)


def submit(visit: Visit) -> PageResponse:
    found = _find(visit)
    match found.ask.question:
        case ToolQuestion() as question:
            return ask_tool.submit(visit, found, question)
        case ConnectionQuestion() as question:
            return ask_connection.submit(visit, found, question)
        case CredentialQuestion() as question:
            return ask_credential.submit(visit, found, question)
        case AcquireQuestion():
            return ask_acquire.submit(visit, found.ask)


def _find(visit: Visit) -> FoundAsk:
    """Another person's ask and one that never was are the same nothing."""
    person_id = visit.person_id
    pointer = visit.begun or begin(visit.deps, person_id, visit.parts)
    found = ask_facts.find(visit.deps, pointer) if pointer and pointer.person_id == person_id else None
    if found is None:
        raise NotFound
    return found
