"""One agent: the person's answers about it, what it may connect to, its token, and its end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from chalicelib.errors import Refusal
from chalicelib.model import Agent, AgentFacts, Answer, Approval, Connection, ConnectionState
from chalicelib.services import agents, approvals, overview

from .. import framing
from ..forms import Form, FormFault, Unreadable, parse
from ..http import PageResponse
from ..render import Frame, html
from ..unseen import Piece, pieces
from ..visit import NotFound, Visit
from ..words import STANDING
from .agents import token_page


class Scope(Form):
    scope: Literal["all", "list"]
    connection: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRow:
    tool: str
    connection_id: str
    connection: str
    answer: str
    tone: str
    version: int
    answered_at: datetime
    reason: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class AgentPage:
    template: ClassVar[str] = "agent.html"
    frame: Frame
    agent: Agent
    answers: tuple[AnswerRow, ...]
    connections: tuple[Connection, ...]
    """The live ones."""
    fault: str


@dataclass(frozen=True, slots=True)
class RotatePage:
    template: ClassVar[str] = "agent_rotate.html"
    frame: Frame
    agent: Agent


@dataclass(frozen=True, slots=True)
class RevokeAgentPage:
    template: ClassVar[str] = "agent_revoke.html"
    frame: Frame
    agent: Agent
    waiting: int
    """Its asks that would be closed."""


def show(visit: Visit) -> PageResponse:
    return html(_page(visit, _find(visit).agent))


def edit_scope(visit: Visit) -> PageResponse:
    agent = _find_live(visit)
    try:
        wanted = parse(Scope, visit.fields, {})
        chosen = None if wanted.scope == "all" else frozenset(wanted.connection)
        agents.edit_scope(visit.deps, agent.person_id, agent.id, chosen)
    except FormFault:
        raise Unreadable from None
    except Refusal as refusal:
        return html(_page(visit, agent, refusal.message), status=409)
    return visit.go(f"/agents/{agent.id}")


def withdraw(visit: Visit) -> PageResponse:
    """Forget an answer, so that the next call asks."""
    agent = _find(visit).agent
    tool, bound = visit.field("tool"), visit.field("connection") or None
    approvals.withdraw(visit.deps, agent.person_id, agent.id, tool, bound)
    return visit.go(f"/agents/{agent.id}")


def show_rotate(visit: Visit) -> PageResponse:
    return html(RotatePage(framing.wide(visit), _find_live(visit)))


def rotate(visit: Visit) -> PageResponse:
    agent = _find_live(visit)
    return token_page(visit, agent, agents.rotate_token(visit.deps, agent), is_new=False)


def show_revoke(visit: Visit) -> PageResponse:
    agent = _find_live(visit)
    asks = overview.asks(visit.deps, visit.person_id)
    its = sum(ask.agent_id == agent.id for ask in asks.waiting)
    return html(RevokeAgentPage(framing.wide(visit, len(asks.waiting)), agent, its))


def revoke(visit: Visit) -> PageResponse:
    agent = _find_live(visit)
    agents.revoke_agent(visit.deps, agent.person_id, agent.id)
    return visit.go(f"/agents/{agent.id}")


def _find(visit: Visit) -> AgentFacts:
    facts = overview.find_agent(visit.deps, visit.person_id, visit.parts[0])
    if facts is None:
        raise NotFound
    return facts


def _find_live(visit: Visit) -> Agent:
    agent = _find(visit).agent
    if agent.revoked_at is not None:
        raise NotFound
    return agent


def _page(visit: Visit, agent: Agent, fault: str = "") -> AgentPage:
    every = overview.connections(visit.deps, agent.person_id)
    names = {connection.id: connection.display_name for connection in every}
    return AgentPage(
        frame=framing.wide(visit),
        agent=agent,
        answers=tuple(_row(approval, names) for approval in overview.approvals(visit.deps, agent)),
        connections=tuple(connection for connection in every if connection.state is ConnectionState.LIVE),
        fault=fault,
    )


def _row(approval: Approval, names: dict[str, str]) -> AnswerRow:
    bound = approval.connection_id or ""
    return AnswerRow(
        tool=approval.tool,
        connection_id=bound,
        connection=names.get(bound, bound) if bound else "without a connection",
        answer=STANDING[approval.answer],
        tone="bad" if approval.answer is Answer.DENIED else "good",
        version=approval.version,
        answered_at=approval.answered_at,
        reason=pieces(approval.reason),
    )
