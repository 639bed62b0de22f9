"""An agent's token replaced, and an agent's end. Each on a page that says first what it does."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import ClassVar, Final

from chalicelib.model import Agent, RunKind
from chalicelib.services import agents, jobs, overview

from .. import framing
from ..http import PageResponse
from ..render import Frame, html
from ..visit import Visit
from .agent_found import find, find_live
from .agent_new import RepeatedPage, token_page

_PURPOSE: Final = b"graft rotates this token once 1"


@dataclass(frozen=True, slots=True)
class RotatePage:
    template: ClassVar[str] = "agent_rotate.html"
    frame: Frame
    agent: Agent
    seen: str
    """Names the token that is replaced, so that a form that is sent twice replaces one."""


@dataclass(frozen=True, slots=True)
class RevokeAgentPage:
    template: ClassVar[str] = "agent_revoke.html"
    frame: Frame
    agent: Agent
    runs: int
    """In flight, jobs left out."""
    waiting: int
    """Its asks that would be closed."""
    jobs: int
    """Its open jobs that would be cancelled."""


def show_rotate(visit: Visit) -> PageResponse:
    agent = find_live(visit)
    return html(RotatePage(framing.wide(visit), agent, _mark_of(agent)))


def rotate(visit: Visit) -> PageResponse:
    agent = find_live(visit)
    if not hmac.compare_digest(_mark_of(agent).encode(), visit.field("seen").encode("utf-8", "replace")):
        return html(RepeatedPage(framing.wide(visit), agent, is_new=False))
    return token_page(visit, agent, agents.rotate_token(visit.deps, agent), is_new=False)


def show_revoke(visit: Visit) -> PageResponse:
    agent, asks, open_jobs = visit.deps.store.table.together(
        lambda: find_live(visit),
        lambda: overview.asks(visit.deps, visit.person_id),
        lambda: jobs.count_open(visit.deps, visit.person_id, visit.parts[0]),
    )
    runs = sum(run.kind is not RunKind.ACQUIRE for run in agent.runs.values())
    its = sum(ask.agent_id == agent.id for ask in asks.waiting)
    return html(RevokeAgentPage(framing.wide(visit, len(asks.waiting)), agent, runs, its, open_jobs))


def revoke(visit: Visit) -> PageResponse:
    """Repeating it changes nothing."""
    agent = find(visit).agent
    if agent.revoked_at is None:
        agents.revoke_agent(visit.deps, agent.person_id, agent.id)
    return visit.go(f"/agents/{agent.id}")


def _mark_of(agent: Agent) -> str:
    return hmac.digest(agent.token_hash.encode(), _PURPOSE, hashlib.sha256).hex()[:16]
