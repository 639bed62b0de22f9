"""The person's agents, and a form for another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from chalicelib.errors import Refusal
from chalicelib.model import CAP_DEFAULT, CAP_RANGE, IDLE_WINDOW_DAYS_DEFAULT, IDLE_WINDOW_DAYS_RANGE, Agent
from chalicelib.services import agents, overview

from .. import framing
from ..forms import Form, FormFault, parse
from ..http import PageResponse
from ..render import Frame, html
from ..visit import Visit

WORDS: Final = {
    "cap": f"The cap is a whole number from {CAP_RANGE[0]} to {CAP_RANGE[-1]}.",
    "idle_window_days": (
        f"The idle window is a whole number from {IDLE_WINDOW_DAYS_RANGE[0]} to {IDLE_WINDOW_DAYS_RANGE[-1]} days."
    ),
}


class NewAgent(Form):
    name: str = ""
    cap: int = CAP_DEFAULT
    idle_window_days: int = IDLE_WINDOW_DAYS_DEFAULT


@dataclass(frozen=True, slots=True)
class AgentsPage:
    template: ClassVar[str] = "agents.html"
    frame: Frame
    agents: tuple[Agent, ...]
    name: str
    cap: str
    idle_window_days: str
    faults: dict[str, str]


@dataclass(frozen=True, slots=True)
class TokenPage:
    """An agent's token, shown this once: when it is made, and when it is rotated."""

    template: ClassVar[str] = "token.html"
    frame: Frame
    agent: str
    agent_id: str
    bearer: str
    mcp_url: str
    is_new: bool


def show(visit: Visit) -> PageResponse:
    return html(_page(visit, {}, "", str(CAP_DEFAULT), str(IDLE_WINDOW_DAYS_DEFAULT)))


def create(visit: Visit) -> PageResponse:
    typed = visit.field("name"), visit.field("cap"), visit.field("idle_window_days")
    person_id = visit.person_id
    try:
        wanted = parse(NewAgent, visit.fields, WORDS)
        made, token = agents.create_agent(
            visit.deps, person_id, wanted.name, cap=wanted.cap, idle_window_days=wanted.idle_window_days
        )
    except FormFault as fault:
        return html(_page(visit, fault.faults, *typed), status=422)
    except Refusal as refusal:
        return html(_page(visit, {_field_of(refusal.message): refusal.message}, *typed), status=422)
    return token_page(visit, made, token, is_new=True)


def token_page(visit: Visit, agent: Agent, token: str, *, is_new: bool) -> PageResponse:
    url = f"{visit.deps.settings.public_base_url}/mcp"
    return html(TokenPage(framing.wide(visit), agent.name, agent.id, token, url, is_new))


def _field_of(message: str) -> str:
    return "cap" if "The cap" in message else "idle_window_days" if "idle window" in message else "name"


def _page(visit: Visit, faults: dict[str, str], name: str, cap: str, idle_window_days: str) -> AgentsPage:
    every = tuple(overview.agents(visit.deps, visit.person_id))
    return AgentsPage(framing.wide(visit), every, name, cap, idle_window_days, faults)
