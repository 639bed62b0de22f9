"""Which connections an agent may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chalicelib.errors import Refusal
from chalicelib.model import Agent, Connection, ConnectionState
from chalicelib.services import agents, overview

from .. import framing
from ..agent_form import Scope
from ..forms import FormFault, Unreadable, parse
from ..http import PageResponse
from ..render import Frame, html
from ..visit import Visit
from .agent_found import find_live


@dataclass(frozen=True, slots=True)
class ScopePage:
    template: ClassVar[str] = "agent_scope.html"
    frame: Frame
    agent: Agent
    connection_ids: frozenset[str] | None
    """Those to show as chosen; None: every one."""
    connections: tuple[Connection, ...]
    """The live ones."""
    fault: str


def show(visit: Visit) -> PageResponse:
    agent = find_live(visit)
    return html(_page(visit, agent, agent.connection_ids))


def save(visit: Visit) -> PageResponse:
    agent = find_live(visit)
    try:
        wanted = parse(Scope, visit.fields, {}).connection_ids
    except FormFault:
        raise Unreadable from None
    try:
        agents.edit_scope(visit.deps, agent.person_id, agent.id, wanted)
    except Refusal as refusal:
        return html(_page(visit, agent, wanted, refusal.message), status=409)
    return visit.go(f"/agents/{agent.id}")


def _page(visit: Visit, agent: Agent, chosen: frozenset[str] | None, fault: str = "") -> ScopePage:
    every, waiting = visit.deps.store.table.together(
        lambda: overview.connections(visit.deps, agent.person_id),
        lambda: overview.count_waiting(visit.deps, agent.person_id),
    )
    live = tuple(connection for connection in every if connection.state is ConnectionState.LIVE)
    return ScopePage(framing.wide(visit, waiting), agent, chosen, live, fault)
