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
from chalicelib.rules.asks import ASK_OPEN
from chalicelib.services.deps import Deps

ASKS_SHOWN: Final = 20
"""Of those that wait no more, on one page."""
ASKS_READ: Final = 60
"""So many are looked through for them."""


@dataclass(frozen=True, slots=True)
class Asks:
    waiting: tuple[Ask, ...]
    """Newest first."""
    ended: tuple[Ask, ...]
    """Answered, closed or expired; newest first."""
    after: str
    """The ask after which the next page of those begins; empty: this is the last one."""
    agent_names: dict[str, str]
    """By agent id."""
    connection_names: dict[str, str]
    """By connection id."""
    annotations: dict[str, Annotations]
    """By wire name, of the tools that are asked about."""


def asks(deps: Deps, person_id: str, *, before: str | None = None) -> Asks:
    """What waits, and a page of what does not any more. `before`: the ask before which that begins. Two round trips."""
    (waiting, ended, after, annotations), agent_names, connections = deps.store.table.together(
        lambda: _asks(deps, person_id, before),
        lambda: deps.store.agents.names(person_id),
        lambda: deps.store.grants.connections(person_id),
    )
    return Asks(
        waiting=tuple(waiting),
        ended=tuple(ended),
        after=after,
        agent_names=agent_names,
        connection_names={connection.id: connection.display_name for connection in connections},
        annotations=annotations,
    )


def _asks(deps: Deps, person_id: str, before: str | None) -> tuple[list[Ask], list[Ask], str, dict[str, Annotations]]:
    now = deps.now()
    lately, some = deps.store.table.together(
        lambda: deps.store.asks.opened_since(person_id, now - ASK_OPEN),
        lambda: deps.store.asks.newest(person_id, before=before, limit=ASKS_READ),
    )
    found = [ask for ask in some if not ask.is_open(now)]
    ended = found[:ASKS_SHOWN]
    after = ended[-1].id if len(found) > ASKS_SHOWN else some[-1].id if len(some) == ASKS_READ else ""
    waiting = [ask for ask in lately if ask.is_open(now)]
    tools = {ask.question.tool for ask in waiting + ended if isinstance(ask.question, ToolQuestion)}
    cards = deps.store.toolbox.cards(person_id, sorted(tools))
    return waiting, ended, after, {card.wire_name: card.annotations for card in cards}


def count_waiting(deps: Deps, person_id: str) -> int:
    """Asks that wait. One round trip, which reads no more than the last day's."""
    now = deps.now()
    return deps.store.asks.count_open(person_id, now, now - ASK_OPEN)


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
