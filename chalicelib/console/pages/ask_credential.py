"""Will the person enter this connection's credential again?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from chalicelib.errors import Refusal
from chalicelib.model import Ask, AskAnswer, Connection, CredentialQuestion
from chalicelib.services import answers, ask_facts
from chalicelib.services.ask_facts import Receiver

from .. import connection_form, framing
from ..forms import Unreadable
from ..http import PageResponse
from ..render import Frame, html
from ..scheme_words import BY_NAME, SchemeWords, label
from ..unseen import Piece, pieces
from ..visit import NotFound, Visit
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


def show(visit: Visit, ask: Ask, question: CredentialQuestion) -> PageResponse:
    ended = answers.find_end(visit.deps, ask)
    connection = ask_facts.find_connection(visit.deps, visit.person_id, question.connection_id)
    if ended is None and connection is None:
        raise NotFound
    if ended is not None or connection is None:
        assert ended is not None
        agent = ask_facts.find_agent_name(visit.deps, ask)
        subject = connection.display_name if connection else question.connection_id
        return ask_ended.show(visit, ended, agent=agent, subject=subject)
    return html(_page(visit, ask, question, connection))


def submit(visit: Visit, ask: Ask, question: CredentialQuestion) -> PageResponse:
    match visit.field("answer"):
        case "connect":
            return _give(visit, ask, question)
        case "decline":
            return back(visit, answers.decline(visit.deps, ask), AskAnswer.DECLINED)
        case _:
            raise Unreadable


def _give(visit: Visit, ask: Ask, question: CredentialQuestion) -> PageResponse:
    ended = answers.find_end(visit.deps, ask)
    connection = ask_facts.find_connection(visit.deps, visit.person_id, question.connection_id)
    if ended is not None:
        return back(visit, ended, AskAnswer.CONNECTED)
    if connection is None:
        raise NotFound
    secret = connection_form.read_secret(visit.fields, connection.scheme)
    try:
        answered = answers.give_credential(visit.deps, ask, secret)
    except Refusal as refusal:
        faults, others = connection_form.secret_faults(connection.scheme, refusal)
        return html(_page(visit, ask, question, connection, faults, others), status=422)
    return back(visit, answered, AskAnswer.CONNECTED)


def _page(
    visit: Visit,
    ask: Ask,
    question: CredentialQuestion,
    connection: Connection,
    faults: Mapping[str, str] | None = None,
    problems: tuple[str, ...] = (),
) -> CredentialAskPage:
    return CredentialAskPage(
        frame=framing.narrow(visit),
        code=ask.code,
        agent=ask_facts.find_agent_name(visit.deps, ask),
        vendor=connection.vendor,
        connection=connection.display_name,
        receivers=ask_facts.receivers(visit.deps, connection),
        scheme=label(connection.scheme),
        expires_at=ask.expires_at,
        reason=pieces(question.reason),
        words=BY_NAME[connection.scheme],
        faults=faults or {},
        problems=problems,
    )
