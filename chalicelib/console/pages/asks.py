"""Every question of the person's agents: what waits, and what became of the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar, Final

from chalicelib.model import (
    AcquireQuestion,
    Ask,
    AskAnswer,
    AskState,
    ConnectionQuestion,
    CredentialQuestion,
    ToolQuestion,
)
from chalicelib.services import answers, ask_facts, overview
from chalicelib.services.overview import Asks

from .. import framing
from ..http import PageResponse
from ..paging import PAGE_BYTES, read_number
from ..render import Frame, html
from ..visit import NotFound, Visit
from ..words import ANSWERS, chip, count

SHOWN: Final = 20
"""Of those that wait, on one page."""
ROW_BYTES: Final = 600
"""About what one of them weighs."""
_ID: Final = re.compile(r"[0-9a-f]{24}")


@dataclass(frozen=True, slots=True)
class AskRow:
    id: str
    code: str
    agent: str
    asks: str
    """`to run`, `for a connection to`, `for the credential of` or `to have tools written for`."""
    subject: str
    chip: str
    """The tool's annotation; empty: it is about no tool, or one that is gone."""
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
    start: int
    """How many of those that wait stand before these."""
    total: int
    """How many wait."""
    ended: tuple[AskRow, ...]
    is_newest: bool
    """Whether those begin with the newest."""
    older: str
    """The ask after which the next ones begin; empty: there are none."""


def show(visit: Visit) -> PageResponse:
    query = visit.request.query
    before = query.get("before", "") if _ID.fullmatch(query.get("before", "")) else None
    asks = overview.asks(visit.deps, visit.person_id, before=before)
    waiting, ended = (tuple(_row(visit, asks, ask) for ask in some) for some in (asks.waiting, asks.ended))
    total, start = len(waiting), read_number(query.get("from", ""))
    start = start if start < total else 0
    frame = framing.wide(visit, total)
    some = waiting[start : start + SHOWN]
    return _fitted(AsksPage(frame, some, start, total, ended, is_newest=before is None, older=asks.after))


def _fitted(page: AsksPage) -> PageResponse:
    """The page with as many rows as there is room for; the others follow on the next ones."""
    response = html(page)
    over = len(response.body.encode()) - PAGE_BYTES
    if over <= 0:
        return response
    fewer = over // ROW_BYTES + 1
    if len(page.ended) > 1:
        ended = page.ended[: max(1, len(page.ended) - fewer)]
        return _fitted(replace(page, ended=ended, older=ended[-1].id))
    if len(page.waiting) > 1:
        return _fitted(replace(page, waiting=page.waiting[: max(1, len(page.waiting) - fewer)]))
    return response


def ask_again(visit: Visit) -> PageResponse:
    """Take a decline back: the agent's next call asks once more."""
    ask = ask_facts.find_ask(visit.deps, visit.person_id, visit.parts[0])
    if ask is None:
        raise NotFound
    answers.ask_again(visit.deps, ask)
    return visit.go("/asks")


def _row(visit: Visit, seen: Asks, ask: Ask) -> AskRow:
    asks, subject, detail = _told(visit, seen, ask)
    annotations = seen.annotations.get(subject) if isinstance(ask.question, ToolQuestion) else None
    return AskRow(
        id=ask.id,
        code=ask.code,
        agent=seen.agent_names.get(ask.agent_id, "an agent"),
        asks=asks,
        subject=subject,
        chip=chip(annotations) if annotations else "",
        is_tool=isinstance(ask.question, ToolQuestion),
        detail=detail,
        opened_at=ask.opened_at,
        expires_at=ask.expires_at,
        ended_at=_ended_at(ask),
        answer=_answer(ask),
        tone=_tone(ask),
        can_ask_again=ask.answer is AskAnswer.DECLINED,
    )


def _told(visit: Visit, seen: Asks, ask: Ask) -> tuple[str, str, str]:
    """(what it asks, about what, a detail)."""
    match ask.question:
        case ToolQuestion() as question:
            every = "You chose to be asked every time. " if question.every_time else ""
            return "to run", question.tool, f"{every}Version {question.version}."
        case ConnectionQuestion() as question:
            hosts = len(ask_facts.receivers(visit.deps, question))
            return "for a connection to", question.vendor, f"{count(hosts, 'host')} would receive the secret."
        case CredentialQuestion(connection_id=bound):
            return "for the credential of", seen.connection_names.get(bound, bound), "It is to be entered again."
        case AcquireQuestion() as question:
            return "to have tools written for", question.vendor, f"What it answers would go to {question.provider}."


def _ended_at(ask: Ask) -> datetime:
    """Of one that was closed, when it was asked: the closing keeps no time."""
    if ask.answered_at is not None:
        return ask.answered_at
    return ask.opened_at if _is_closed(ask) else ask.expires_at


def _is_closed(ask: Ask) -> bool:
    return ask.state is AskState.CLOSED


def _answer(ask: Ask) -> str:
    if ask.answer is not None:
        return ANSWERS[ask.answer]
    return ask.note.rstrip(".").lower() or "closed" if _is_closed(ask) else "not answered"


def _tone(ask: Ask) -> str:
    if ask.answer is None:
        return "calm"
    return "bad" if ask.answer in (AskAnswer.DENIED, AskAnswer.DECLINED) else "good"
