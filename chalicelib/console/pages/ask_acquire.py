"""May tools be written for this agent on a connection? The hosts that would be read, and who is sent the answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from chalicelib.model import AcquireQuestion, Ask, AskAnswer
from chalicelib.services import acquire_asks, ask_facts
from chalicelib.services.ask_facts import FoundAsk

from .. import framing
from ..forms import Unreadable
from ..http import PageResponse
from ..render import Frame, html
from ..unseen import Piece, pieces
from ..visit import Visit
from ..words import ALLOW_ACQUIRE, DENY_ACQUIRE, REASON
from . import ask_ended
from .ask_connection import back

ANSWERS: Final = {"allow": AskAnswer.ALLOWED, "deny": AskAnswer.DENIED}


@dataclass(frozen=True, slots=True)
class AcquireAskPage:
    template: ClassVar[str] = "ask_acquire.html"
    frame: Frame
    code: str
    agent: str
    vendor: str
    connection: tuple[Piece, ...]
    """Its display name."""
    hosts: tuple[str, ...]
    """The primary one first."""
    provider: str
    goal: tuple[Piece, ...]
    """The agent's words."""
    expires_at: datetime
    allow: str
    deny: str
    reason: str


def show(visit: Visit, found: FoundAsk, question: AcquireQuestion) -> PageResponse:
    if found.ended is not None:
        job = ask_facts.find_repeated_job(visit.deps, found.ask)
        return ask_ended.show(visit, found.ended, agent=found.agent, subject=question.display_name, came=job)
    return html(_page(visit, found.ask, question, found.agent))


def submit(visit: Visit, ask: Ask) -> PageResponse:
    """An answer leads back to this page by GET, which shows what holds."""
    said = visit.field("answer")
    if said not in ANSWERS:
        raise Unreadable
    answer = ANSWERS[said]
    return back(visit, acquire_asks.answer_acquire(visit.deps, ask, answer, reason=visit.field("reason")), answer)


def _page(visit: Visit, ask: Ask, question: AcquireQuestion, agent: str) -> AcquireAskPage:
    return AcquireAskPage(
        frame=framing.narrow(visit),
        code=ask.code,
        agent=agent,
        vendor=question.vendor,
        connection=pieces(question.display_name),
        hosts=question.hosts,
        provider=question.provider,
        goal=pieces(question.goal),
        expires_at=ask.expires_at,
        allow=ALLOW_ACQUIRE.format(agent=agent, provider=question.provider),
        deny=DENY_ACQUIRE.format(agent=agent),
        reason=REASON.format(agent=agent),
    )
