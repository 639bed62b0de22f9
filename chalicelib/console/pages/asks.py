"""Every question of the person's agents: what waits, and what became of the others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from chalicelib.model import Ask, AskState, ConnectionQuestion, CredentialQuestion, ToolQuestion
from chalicelib.services import answers, ask_facts, overview

from .. import framing
from ..http import PageResponse
from ..render import Frame, html
from ..visit import NotFound, Visit
from ..words import ANSWERS, count


@dataclass(frozen=True, slots=True)
class AskRow:
    code: str
    agent: str
    asks: str
    """`to run`, `for a connection to` or `for the credential of`."""
    subject: str
    is_tool: bool
    detail: str
    opened_at: datetime
    expires_at: datetime
    ended_at: datetime
    answer: str
    tone: str
    can_ask_again: bool


@dataclass(frozen=True, slots=True)
class AsksPage:
    template: ClassVar[str] = "asks.html"
    frame: Frame
    waiting: tuple[AskRow, ...]
    ended: tuple[AskRow, ...]


def show(visit: Visit) -> PageResponse:
    asks = overview.asks(visit.deps, visit.person_id)
    waiting, ended = (
        tuple(_row(ask, asks.agent_names.get(ask.agent_id, "an agent")) for ask in some)
        for some in (asks.waiting, asks.ended)
    )
    return html(AsksPage(framing.wide(visit, len(waiting)), waiting, ended))


def ask_again(visit: Visit) -> PageResponse:
    """Take a decline back: the agent's next call asks once more."""
    ask = ask_facts.find_ask(visit.deps, visit.person_id, visit.parts[0])
    if ask is None:
        raise NotFound
    answers.ask_again(visit.deps, ask)
    return visit.go("/asks")


def _row(ask: Ask, agent: str) -> AskRow:
    asks, subject, detail = _told(ask)
    return AskRow(
        code=ask.code,
        agent=agent,
        asks=asks,
        subject=subject,
        is_tool=isinstance(ask.question, ToolQuestion),
        detail=detail,
        opened_at=ask.opened_at,
        expires_at=ask.expires_at,
        ended_at=ask.answered_at or min(ask.expires_at, ask.opened_at if _is_closed(ask) else ask.expires_at),
        answer=_answer(ask),
        tone=_tone(ask),
        can_ask_again=ask.answer is not None and ask.answer.value == "declined",
    )


def _told(ask: Ask) -> tuple[str, str, str]:
    match ask.question:
        case ToolQuestion() as question:
            every = "You chose to be asked every time. " if question.every_time else ""
            return "to run", question.tool, f"{every}Version {question.version}."
        case ConnectionQuestion() as question:
            hosts = count(len(question.hosts), "host")
            return "for a connection to", question.vendor, f"{hosts} would receive the secret."
        case CredentialQuestion() as question:
            return "for the credential of", question.connection_id, "It is to be entered again."


def _is_closed(ask: Ask) -> bool:
    return ask.state is AskState.CLOSED


def _answer(ask: Ask) -> str:
    if ask.answer is not None:
        return ANSWERS[ask.answer]
    return ask.note.rstrip(".").lower() or "closed" if _is_closed(ask) else "not answered"


def _tone(ask: Ask) -> str:
    if ask.answer is None:
        return "calm"
    return "bad" if ask.answer.value in ("denied", "declined") else "good"
