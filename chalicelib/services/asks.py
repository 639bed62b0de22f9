"""Asks: opened for an agent, one per question; found again by the call that is repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    AcquireQuestion,
    Agent,
    Ask,
    AskPlace,
    AskState,
    ConnectionQuestion,
    CredentialQuestion,
    Question,
    ToolQuestion,
)
from chalicelib.rules.asks import ASK_OPEN, OPEN_MAX, Standing, decide_standing, question_digest
from chalicelib.services import trail
from chalicelib.services.deps import Deps
from chalicelib.services.retries import attempts

if TYPE_CHECKING:
    from chalicelib.storage.table import Write

CODE_LETTERS: Final = "abcdefghijkmnpqrstuvwxyz23456789"
"""Without 0, 1, l and o: a code may be read aloud."""
CODE_LENGTH: Final = 12


@dataclass(frozen=True, slots=True)
class Waiting:
    """The call waits for the person. Not an error."""

    status: str
    ask_id: str
    url: str
    expires_at: datetime
    message: str
    about: str
    """What the agent may do then, or the vendor; empty for a credential."""


def ask(
    deps: Deps, agent: Agent, question: Question, *, also: Sequence[Write] = (), over: str = ""
) -> tuple[Standing, AskPlace]:
    """Where the question stands; opened if it stood nowhere. `also` has to hold for it to be opened.

    `over`: the id of an ask that was answered `connected`, and whose answer is worth nothing by now.
    Refuses `rate_limited` when the agent has too many open, and when `also` does not hold: repeated, the call meets
    what is so by then.
    """
    digest, tried = question_digest(question), False
    for _ in attempts(deps, "this question"):
        now = deps.now()
        place = deps.store.asks.find_place(agent.person_id, agent.id, digest)
        standing = decide_standing(place, now)
        if place is not None and standing is not Standing.NOTHING and place.ask_id != over:
            return standing, place
        if tried and also:
            raise _changed()
        _refuse_flood(deps, agent, now)
        opened = Ask(agent.person_id, deps.new_timed_id(), _new_code(deps), agent.id, question, now, now + ASK_OPEN)
        if deps.store.asks.open(opened, digest, also=also):
            return Standing.OPEN, AskPlace(opened.id, opened.code, now, opened.expires_at)
        tried = True
    raise AssertionError("unreachable: attempts() ends with a refusal")


def _refuse_flood(deps: Deps, agent: Agent, now: datetime) -> None:
    """One agent does not fill its person's page. Side by side, a few more may slip through."""
    if deps.store.asks.count_open(agent.person_id, now, now - ASK_OPEN, agent_id=agent.id) >= OPEN_MAX:
        raise Refusal(
            Reason.RATE_LIMITED,
            f"{OPEN_MAX} questions of this agent wait for the person. Tell them, and repeat the call once they have "
            "answered some.",
            {"retryAfterSeconds": 60},
        )


def _changed() -> Refusal:
    """Nobody else asked it, and it could not be asked: what it is about is not as it was read."""
    message = "The connection changed at this very moment. Repeat the call."
    return Refusal(Reason.RATE_LIMITED, message, {"retryAfterSeconds": 1})


def waiting(deps: Deps, question: Question, place: AskPlace) -> Waiting:
    """What the agent is told while its ask is open."""
    url = link(deps, place.code)
    status, message = _words(question, url)
    trail.message().outcome = status
    return Waiting(status, place.ask_id, url, place.expires_at, message, _subject(question))


def link(deps: Deps, code: str) -> str:
    return f"{deps.settings.public_base_url}/a/{code}"


def _subject(question: Question) -> str:
    match question:
        case ToolQuestion():
            return f"run {question.tool}"
        case ConnectionQuestion():
            return question.vendor
        case CredentialQuestion():
            return ""
        case AcquireQuestion():
            return f"have tools written for {question.vendor}"


def _words(question: Question, url: str) -> tuple[str, str]:
    relay = f"Give them this link exactly as it is: {url} . When they have answered, repeat the same call."
    match question:
        case ToolQuestion():
            how_often = "allow each call of it" if question.every_time else "allow it once"
            return "awaiting_approval", f"{question.tool} writes, so the person has to {how_often}. {relay}"
        case ConnectionQuestion():
            return (
                "awaiting_connection",
                (
                    f"The person has to connect {question.vendor} themselves: secrets are typed in the console only, "
                    f"never in the chat. {relay}"
                ),
            )
        case CredentialQuestion():
            return (
                "awaiting_credential",
                "The person has to enter the credential themselves, in the console only, never in the chat. " + relay,
            )
        case AcquireQuestion():
            what = f"the model that writes the tool ({question.provider}) is sent what {question.vendor} answers"
            return "awaiting_approval", f"Before anything is read, the person has to agree that {what}. {relay}"


def close_asks(deps: Deps, person_id: str, concerned: Callable[[Ask], bool], note: str) -> None:
    """End the person's open asks that are concerned, without an answer."""
    for open_ask in deps.store.asks.newest(person_id):
        if open_ask.state is AskState.OPEN and concerned(open_ask):
            deps.store.asks.close(open_ask, question_digest(open_ask.question), deps.now(), note)


def declined(what: str) -> Refusal:
    return Refusal(
        Reason.CONNECTION_DECLINED,
        f"The person declined to connect {what}. Do not ask again unless they say so; go on without it.",
    )


def _new_code(deps: Deps) -> str:
    """12 letters and digits, 60 random bits. Only a pointer: it grants nothing."""
    return "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in deps.random_bytes(CODE_LENGTH))
