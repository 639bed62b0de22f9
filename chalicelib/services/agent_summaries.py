"""What a person is shown of all their agents. Reads only; every figure comes from the rows that the rule reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.model import Agent, AgentFacts, Person, Presence, SweepReport
from chalicelib.rules import listing as listing_rule
from chalicelib.rules.sweep import is_in_flight, next_sweep_at
from chalicelib.services import cards, overview
from chalicelib.services.deps import Deps


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """One agent as the list of agents shows it."""

    agent: Agent
    presence: Presence | None
    in_flight: bool
    withheld: int = 0
    """Tools of its set that its list leaves out."""

    @property
    def seen_at(self) -> datetime | None:
        """When its harness was last there, as far as a row tells; None: never."""
        times = [at for at in self.agent.used.values() if at] + [run.started_at for run in self.agent.runs.values()]
        if self.presence is not None:
            times.append(self.presence.seen_at)
        return max(times, default=None)


@dataclass(frozen=True, slots=True)
class AgentsView:
    """The person's agents, and what stands beside them."""

    summaries: tuple[AgentSummary, ...]
    waiting: int
    """Asks that wait for the person."""
    report: SweepReport | None
    next_sweep_at: datetime | None


def summaries(deps: Deps, person_id: str, agent_ids: Sequence[str]) -> list[AgentSummary]:
    """Of these agents, revoked ones included, oldest first, without what their lists withhold. One round trip."""
    found, seen = deps.store.table.together(
        lambda: deps.store.agents.some(person_id, agent_ids),
        lambda: deps.store.traces.presences(person_id, agent_ids),
    )
    now = deps.now()
    return [AgentSummary(agent, seen.get(agent.id), is_in_flight(agent, now)) for agent in found]


def view(deps: Deps, person: Person, agent_ids: Sequence[str]) -> AgentsView:
    """These agents, oldest first and revoked ones last, the last sweep and what waits, in two round trips."""
    every, seen, waiting, report = deps.store.table.together(
        lambda: deps.store.agents.facts_of(person.id, agent_ids),
        lambda: deps.store.traces.presences(person.id, agent_ids),
        lambda: overview.count_waiting(deps, person.id),
        deps.store.sweeps.find_report,
    )
    withheld = _withheld(deps, person, every)
    now = deps.now()
    found = [
        AgentSummary(agent, seen.get(agent.id), is_in_flight(agent, now), withheld.get(agent.id, 0))
        for agent in (facts.agent for facts in every)
    ]
    found.sort(key=lambda summary: summary.agent.revoked_at is not None)
    return AgentsView(tuple(found), waiting, report, next_sweep_at(report, now))


def _withheld(deps: Deps, person: Person, every: Sequence[AgentFacts]) -> dict[str, int]:
    """By agent id, how many of its tools its list leaves out. Cards that are known already are not read again."""
    live = [facts for facts in every if facts.agent.revoked_at is None]
    tools = sorted({promotion.tool for facts in live for promotion in facts.promotions})
    known = cards.find_cards(deps, person, tools)
    left_out = {tool for tool in tools if listing_rule.find_fault(known.get(tool)) is not None}
    return {facts.agent.id: sum(p.tool in left_out for p in facts.promotions) for facts in live}
