"""The agent that an address names. Another person's is the same nothing as one that never was."""

from __future__ import annotations

from chalicelib.errors import Refusal
from chalicelib.model import Agent, AgentFacts
from chalicelib.services import agent_view

from ..visit import NotFound, Visit


def find(visit: Visit) -> AgentFacts:
    """Revoked ones included. One round trip."""
    try:
        return agent_view.find_facts(visit.deps, visit.person_id, visit.parts[0])
    except Refusal:
        raise NotFound from None


def find_live(visit: Visit) -> Agent:
    agent = find(visit).agent
    if agent.revoked_at is not None:
        raise NotFound
    return agent
