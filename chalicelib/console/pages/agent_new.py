"""A new agent: the form, and its token, which is shown this once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chalicelib.errors import Reason, Refusal
from chalicelib.model import CAP_RANGE, IDLE_WINDOW_DAYS_RANGE, Agent, Connection, ConnectionState
from chalicelib.services import agents, overview

from .. import agent_form, framing
from ..agent_form import AgentForm, Scope
from ..forms import FormFault, parse
from ..http import PageResponse
from ..made_once import sent_id
from ..render import Frame, html
from ..snippets import TRY_ANSWER, Snippet, snippets, try_it
from ..visit import Visit


@dataclass(frozen=True, slots=True)
class NewAgentPage:
    template: ClassVar[str] = "agent_new.html"
    frame: Frame
    agent_id: str
    """Chosen before the agent is made, so that a form that is sent twice makes one."""
    form: AgentForm
    connections: tuple[Connection, ...]
    """The live ones."""
    cap_range: range
    idle_window_range: range


@dataclass(frozen=True, slots=True)
class TokenPage:
    """An agent's token, shown this once: when it is made, and when it is rotated."""

    template: ClassVar[str] = "agent_token.html"
    frame: Frame
    agent: Agent
    secret: str
    mcp_url: str
    snippets: tuple[Snippet, ...]
    try_it: str
    try_answer: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class RepeatedPage:
    """What a form that was sent before is answered: nothing was done again, and no token is shown again."""

    template: ClassVar[str] = "agent_repeated.html"
    frame: Frame
    agent: Agent
    is_new: bool


def show(visit: Visit) -> PageResponse:
    return html(_page(visit, visit.deps.new_id(), AgentForm()))


def create(visit: Visit) -> PageResponse:
    agent_id = sent_id(visit, "agent_id")
    typed = agent_form.typed(visit.fields)
    try:
        wanted, scope = agent_form.read_limits(visit.fields), parse(Scope, visit.fields, agent_form.WORDS)
        made, token = agents.create_agent(
            visit.deps,
            visit.person_id,
            connection_ids=scope.connection_ids,
            agent_id=agent_id,
            **wanted.model_dump(),
        )
    except FormFault as fault:
        return html(_page(visit, agent_id, agent_form.with_faults(typed, fault.faults)), status=422)
    except Refusal as refusal:
        return _refused(visit, agent_id, typed, refusal)
    return token_page(visit, made, token, is_new=True)


def token_page(visit: Visit, agent: Agent, token: str, *, is_new: bool) -> PageResponse:
    url = f"{visit.deps.settings.public_base_url}/mcp"
    frame = framing.wide(visit)
    return html(TokenPage(frame, agent, token, url, snippets(url, token), try_it(url, token), TRY_ANSWER, is_new))


def _refused(visit: Visit, agent_id: str, typed: AgentForm, refusal: Refusal) -> PageResponse:
    """The id that the form carries is taken by the agent that the same form has made."""
    made = overview.find_agent(visit.deps, visit.person_id, agent_id)
    if made is not None:
        return html(RepeatedPage(framing.wide(visit), made.agent, is_new=True))
    if refusal.reason is Reason.CONNECTION_NOT_FOUND:
        return html(_page(visit, agent_id, agent_form.with_faults(typed, {"scope": refusal.message})), status=422)
    return html(_page(visit, agent_id, agent_form.refused(typed, refusal)), status=422)


def _page(visit: Visit, agent_id: str, form: AgentForm) -> NewAgentPage:
    every, waiting = visit.deps.store.table.together(
        lambda: overview.connections(visit.deps, visit.person_id),
        lambda: overview.count_waiting(visit.deps, visit.person_id),
    )
    return NewAgentPage(
        frame=framing.wide(visit, waiting),
        agent_id=agent_id,
        form=form,
        connections=tuple(connection for connection in every if connection.state is ConnectionState.LIVE),
        cap_range=CAP_RANGE,
        idle_window_range=IDLE_WINDOW_DAYS_RANGE,
    )
