"""What a person is shown of their connections. Reads only; a state is what was recorded, never a guess."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from chalicelib.model import AgentFacts, Approval, Ask, Connection, ConnectionState, Person, VendorAnswer
from chalicelib.services import toolbox
from chalicelib.services.connections import uses
from chalicelib.services.deps import Deps
from chalicelib.services.tool_view import used_by

if TYPE_CHECKING:
    from chalicelib.rules.search import Index


@dataclass(frozen=True, slots=True)
class ConnectionFacts:
    """One connection. `answer`: what its vendor last said to the secret it has now; None: nothing yet."""

    connection: Connection
    answer: VendorAnswer | None
    tools: int
    """How many tools' runs would use it."""

    @property
    def has_new_secret(self) -> bool:
        """Whether the person replaced its secret since it was made."""
        return self.connection.secret_saved_at is not None


@dataclass(frozen=True, slots=True)
class Leaving:
    """What one agent would lose with a connection."""

    agent: str
    tools: tuple[str, ...]
    """Wire names that would leave its working set."""
    answers: tuple[str, ...]
    """Wire names of the tools whose approval would be withdrawn."""


@dataclass(frozen=True, slots=True)
class RevokeEffects:
    """What revoking a connection would take away now."""

    connection: Connection
    leaving: tuple[Leaving, ...]
    """Agents that would lose something."""
    asks: int
    jobs: int
    """Open ones that would be cancelled, of all agents."""
    tools: tuple[str, ...]
    """Wire names of every tool whose default it is; they stay in the toolbox."""


def every(deps: Deps, person: Person) -> list[ConnectionFacts]:
    """Oldest first, revoked ones last. One round trip."""
    connections, answers, index = deps.store.table.together(
        lambda: deps.store.grants.connections(person.id),
        lambda: deps.store.traces.answers(person.id),
        lambda: toolbox.index(deps, person),
    )
    tools = _counted(index, connections)
    facts = [ConnectionFacts(c, _current(c, answers.get(c.id)), tools.get(c.id, 0)) for c in connections]
    return sorted(facts, key=lambda one: one.connection.state is not ConnectionState.LIVE)


def _current(connection: Connection, answer: VendorAnswer | None) -> VendorAnswer | None:
    """What an older secret was answered says nothing of this one."""
    since = connection.secret_saved_at or connection.created_at
    return answer if answer is not None and answer.at >= since else None


def _counted(index: Index, connections: Sequence[Connection]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for head in index.search(""):
        used = used_by(head, connections)
        if used is not None:
            counted[used.id] = counted.get(used.id, 0) + 1
    return counted


def find_effects(deps: Deps, person: Person, connection_id: str) -> RevokeEffects | None:
    """None: the person has no such connection. Two round trips."""
    connection, agent_ids, index, asks = deps.store.table.together(
        lambda: deps.store.grants.find_connection(person.id, connection_id),
        lambda: deps.store.agents.ids(person.id),
        lambda: toolbox.index(deps, person),
        lambda: deps.store.asks.newest(person.id),
    )
    if connection is None:
        return None
    bound = frozenset(head.wire_name for head in index.search("") if head.connection_id == connection_id)
    facts, open_jobs, *approvals = deps.store.table.together(
        lambda: deps.store.agents.facts_of(person.id, agent_ids),
        lambda: deps.store.jobs.open_of(person.id, agent_ids),
        *(partial(deps.store.grants.approvals_of, person.id, agent_id) for agent_id in agent_ids),
    )
    answers = dict(zip(agent_ids, approvals, strict=True))
    losses = [_leaving(one, bound, connection_id, answers[one.agent.id]) for one in facts]
    return RevokeEffects(
        connection=connection,
        leaving=tuple(loss for loss in losses if loss.tools or loss.answers),
        asks=_waiting(asks, deps, connection_id),
        jobs=sum(job.connection_id == connection_id for job in open_jobs),
        tools=tuple(sorted(bound)),
    )


def _leaving(facts: AgentFacts, bound: frozenset[str], connection_id: str, approvals: Iterable[Approval]) -> Leaving:
    return Leaving(
        agent=facts.agent.name,
        tools=tuple(p.tool for p in facts.promotions if p.tool in bound and facts.agent.revoked_at is None),
        answers=tuple(sorted(a.tool for a in approvals if a.connection_id == connection_id)),
    )


def _waiting(asks: Iterable[Ask], deps: Deps, connection_id: str) -> int:
    now = deps.now()
    return sum(ask.is_open(now) and uses(ask, connection_id) for ask in asks)
