"""What the console lists of a person: asks, agents, connections, browsers. Reads only, of their own rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chalicelib.model import (
    AgentFacts,
    Annotations,
    Ask,
    Connection,
    ConnectionState,
    Login,
    ToolQuestion,
)
from chalicelib.services.deps import Deps

ASKS_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class Asks:
    waiting: tuple[Ask, ...]
    """Newest first."""
    ended: tuple[Ask, ...]
    """Answered, closed or expired; newest first."""
    agent_names: dict[str, str]
    """By agent id."""
    connection_names: dict[str, str]
    """By connection id."""
    annotations: dict[str, Annotations]
    """By wire name, of the tools that are asked about."""


def asks(deps: Deps, person_id: str) -> Asks:
    (newest, annotations), agents, connections = deps.store.table.together(
        lambda: _newest_asks(deps, person_id),
        lambda: deps.store.agents.every(person_id),
        lambda: deps.store.grants.connections(person_id),
    )
    now = deps.now()
    return Asks(
        waiting=tuple(ask for ask in newest if ask.is_open(now)),
        ended=tuple(ask for ask in newest if not ask.is_open(now)),
        agent_names={agent.id: agent.name for agent in agents},
        connection_names={connection.id: connection.display_name for connection in connections},
        annotations=annotations,
    )


def _newest_asks(deps: Deps, person_id: str) -> tuple[list[Ask], dict[str, Annotations]]:
    newest = deps.store.asks.newest(person_id, limit=ASKS_SHOWN)
    tools = {ask.question.tool for ask in newest if isinstance(ask.question, ToolQuestion)}
    cards = deps.store.toolbox.cards(person_id, sorted(tools))
    return newest, {card.wire_name: card.annotations for card in cards}


def count_waiting(deps: Deps, person_id: str) -> int:
    """Asks that wait, among the newest ones."""
    now = deps.now()
    return sum(ask.is_open(now) for ask in deps.store.asks.newest(person_id, limit=ASKS_SHOWN))


def find_agent(deps: Deps, person_id: str, agent_id: str) -> AgentFacts | None:
    """An agent with its set, revoked or not; None alike for another person's."""
    return deps.store.agents.find(person_id, agent_id) if agent_id.isalnum() else None


def connections(deps: Deps, person_id: str) -> list[Connection]:
    """Oldest first, revoked ones last."""
    every = deps.store.grants.connections(person_id)
    return sorted(every, key=lambda connection: connection.state is not ConnectionState.LIVE)


def browsers(deps: Deps, person_id: str) -> list[Login]:
    """Where the person is signed in, newest first."""
    now = deps.now()
    return [login for login in deps.store.people.logins(person_id) if now < login.expires_at]
