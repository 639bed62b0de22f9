"""Whether the due index tells the truth: recomputed for every agent, and mended where it is late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from chalicelib.model import Agent
from chalicelib.rules.sweep import find_due
from chalicelib.services.deps import Deps


@dataclass(frozen=True, slots=True)
class Drift:
    """An agent that the sweep would have visited too late, or never."""

    agent: Agent
    stored: datetime | None
    true: datetime


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An agent whose row cannot be read; the others are reconciled all the same."""

    agent_id: str


def reconcile(deps: Deps) -> Iterator[Drift | Unreadable | None]:
    """One answer for each agent: its drift, mended; None: its entry is right, or early, which costs one visit."""
    for scanned in deps.store.sweeps.all_agents():
        if isinstance(scanned, str):
            yield Unreadable(scanned)
            continue
        agent, stored = scanned
        yield None if agent.revoked_at is not None else _reconciled(deps, agent, stored)


def _reconciled(deps: Deps, agent: Agent, stored: datetime | None) -> Drift | None:
    """Suspicion comes from what the scan read; the verdict from the agent read again, consistently."""
    facts = deps.store.agents.find(agent.person_id, agent.id)
    if facts is None or facts.agent.rev != agent.rev:
        return None
    true = find_due(facts.agent, facts.promotions, deps.now())
    if true is None or (stored is not None and stored <= true):
        return None
    deps.store.sweeps.mark_due(agent, deps.now())
    return Drift(agent, stored, true)
