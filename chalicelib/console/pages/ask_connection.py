"""May Graft connect this account? Every host that will receive the secret stands first and largest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from chalicelib.errors import Refusal
from chalicelib.model import AskAnswer, ConnectionQuestion
from chalicelib.services import answers, ask_facts
from chalicelib.services.answers import Answered, Ended
from chalicelib.services.ask_facts import FoundAsk, Receiver

from .. import connection_form, framing
from ..connection_form import ConnectionForm
from ..forms import FormFault, Unreadable
from ..http import PageResponse
from ..render import Frame, html
from ..scheme_words import label
from ..unseen import Piece, pieces
from ..visit import Visit
from . import ask_ended


@dataclass(frozen=True, slots=True)
class ConnectionAskPage:
    template: ClassVar[str] = "ask_connection.html"
    frame: Frame
    code: str
    agent: str
    vendor: str
    receivers: tuple[Receiver, ...]
    scheme: str
    reach: tuple[str, ...]
    """The agents that could use it, by name."""
    expires_at: datetime
    display_name: tuple[Piece, ...]
    """The agent's words, as is the next one."""
    docs_url: tuple[Piece, ...]
    config: tuple[tuple[Piece, ...], ...]
    """What the scheme takes beside the secret, such as a header's name; the agent's words, too."""
    form: ConnectionForm
    opened: bool
    """Whether something behind the disclosure is wrong."""


def show(visit: Visit, found: FoundAsk, question: ConnectionQuestion) -> PageResponse:
    if found.ended is not None:
        return ask_ended.show(visit, found.ended, agent=found.agent, subject=question.vendor)
    return html(_page(visit, found, question, connection_form.asked(question, visit.deps.connections)))


def submit(visit: Visit, found: FoundAsk, question: ConnectionQuestion) -> PageResponse:
    match visit.field("answer"):
        case "connect":
            return _connect(visit, found, question)
        case "decline":
            return back(visit, answers.decline(visit.deps, found.ask), AskAnswer.DECLINED)
        case _:
            raise Unreadable


def back(visit: Visit, answered: Answered, said: AskAnswer) -> PageResponse:
    """To the ask by GET, which shows what holds."""
    late = f"?said={said}" if answered.ended is Ended.ANSWERED else ""
    return visit.go(f"/a/{answered.ask.code}", query=late)


def _connect(visit: Visit, found: FoundAsk, question: ConnectionQuestion) -> PageResponse:
    if found.ended is not None:
        return back(visit, found.ended, AskAnswer.CONNECTED)
    try:
        wanted, shown = connection_form.read(visit.fields, vendor=question.vendor)
    except FormFault:
        raise Unreadable from None
    try:
        answered, _ = answers.connect(visit.deps, found.ask, wanted)
    except Refusal as refusal:
        faulty = connection_form.with_faults(shown, wanted, refusal, visit.deps.connections)
        return html(_page(visit, found, question, faulty), status=422)
    return back(visit, answered, AskAnswer.CONNECTED)


def _page(visit: Visit, found: FoundAsk, question: ConnectionQuestion, form: ConnectionForm) -> ConnectionAskPage:
    reach = ask_facts.agents_in_reach(visit.deps, found)
    return ConnectionAskPage(
        frame=framing.narrow(visit),
        code=found.ask.code,
        agent=found.agent,
        vendor=question.vendor,
        receivers=ask_facts.receivers(visit.deps, question),
        scheme=label(question.scheme),
        reach=reach,
        expires_at=found.ask.expires_at,
        display_name=pieces(question.display_name),
        docs_url=pieces(question.docs_url),
        config=tuple(pieces(value) for value in question.scheme_config.values() if value),
        form=form,
        opened=form.is_faulty_beside_secrets,
    )
