"""Will the person enter this connection's credential again?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from chalicelib.errors import Refusal
from chalicelib.model import AskAnswer, Connection, CredentialQuestion
from chalicelib.services import answers, ask_facts
from chalicelib.services.ask_facts import FoundAsk, Receiver

from .. import connection_form, framing
from ..forms import Unreadable
from ..http import PageResponse
from ..render import Frame, html
from ..scheme_words import BY_NAME, SchemeWords, label
from ..unseen import Piece, pieces
from ..visit import Visit
from . import ask_ended
from .ask_connection import back


@dataclass(frozen=True, slots=True)
class CredentialAskPage:
    template: ClassVar[str] = "ask_credential.html"
    frame: Frame
    code: str
    agent: str
    vendor: str
    connection: str
    receivers: tuple[Receiver, ...]
    scheme: str
    expires_at: datetime
    reason: tuple[Piece, ...]
    """The agent's words."""
    words: SchemeWords
    faults: Mapping[str, str]
    problems: tuple[str, ...]


def show(visit: Visit, found: FoundAsk, question: CredentialQuestion) -> PageResponse:
    connection = found.connection
    if found.ended is not None:
        subject = connection.display_name if connection else question.connection_id
        return ask_ended.show(visit, found.ended, agent=found.agent, subject=subject)
    assert connection is not None, "an ask about no connection has ended"
    return html(_page(visit, found, question, connection))


def submit(visit: Visit, found: FoundAsk, question: CredentialQuestion) -> PageResponse:
    match visit.field("answer"):
        case "connect":
            return _give(visit, found, question)
        case "decline":
            return back(visit, answers.decline(visit.deps, found.ask), AskAnswer.DECLINED)
        case _:
            raise Unreadable


def _give(visit: Visit, found: FoundAsk, question: CredentialQuestion) -> PageResponse:
    connection = found.connection
    if found.ended is not None:
        return back(visit, found.ended, AskAnswer.CONNECTED)
    assert connection is not None, "an ask about no connection has ended"
    secret = connection_form.read_secret(visit.fields, connection.scheme)
    try:
        answered = answers.give_credential(visit.deps, found.ask, secret)
    except Refusal as refusal:
        faults, others = connection_form.secret_faults(connection.scheme, refusal)
        return html(_page(visit, found, question, connection, faults, others), status=422)
    return back(visit, answered, AskAnswer.CONNECTED)


def _page(
    visit: Visit,
    found: FoundAsk,
    question: CredentialQuestion,
    connection: Connection,
    faults: Mapping[str, str] | None = None,
    problems: tuple[str, ...] = (),
) -> CredentialAskPage:
    return CredentialAskPage(
        frame=framing.narrow(visit),
        code=found.ask.code,
        agent=found.agent,
        vendor=connection.vendor,
        connection=connection.display_name,
        receivers=ask_facts.receivers(visit.deps, connection),
        scheme=label(connection.scheme),
        expires_at=found.ask.expires_at,
        reason=pieces(question.reason),
        words=BY_NAME[connection.scheme],
        faults=faults or {},
        problems=problems,
    )
