"""What holds of a person's asks and of what they granted whenever nobody is writing."""

from __future__ import annotations

from collections import Counter

from chalicelib.model import Approval, Ask, AskState, Connection, ConnectionState, ToolQuestion
from chalicelib.rules.asks import question_digest
from chalicelib.services.deps import Deps
from tests.races.invariants import facts_of


def check_asks(deps: Deps, person_id: str) -> None:
    """For a table in which every approval came of an ask."""
    asks = deps.store.asks.newest(person_id)
    questions = Counter((ask.agent_id, question_digest(ask.question)) for ask in asks if ask.is_open(deps.now()))
    assert set(questions.values()) <= {1}, "one question has two open asks"
    for ask in asks:
        _check_place(deps, ask)
        assert deps.store.asks.find_by_code(person_id, ask.code) == ask
    connections = {connection.id: connection for connection in deps.store.grants.connections(person_id)}
    for approval, agent_id in approvals_of(deps, person_id):
        assert _was_said(approval, [ask for ask in asks if ask.agent_id == agent_id]), "nobody gave this approval"
        _check_bound(approval.connection_id, connections)
    for ask in asks:
        if ask.state is AskState.OPEN and isinstance(ask.question, ToolQuestion):
            _check_bound(ask.question.connection_id, connections)


def approvals_of(deps: Deps, person_id: str) -> list[tuple[Approval, str]]:
    """With the id of the agent that each is about."""
    agents = [facts_of(deps, person_id, agent_id).agent for agent_id in deps.store.agents.ids(person_id)]
    return [(approval, agent.id) for agent in agents for approval in deps.store.grants.all_approvals(agent)]


def _check_place(deps: Deps, ask: Ask) -> None:
    """The place that a repeated call looks at leads to the open ask, and remembers nothing that was not said."""
    place = deps.store.asks.find_place(ask.person_id, ask.agent_id, question_digest(ask.question))
    if ask.is_open(deps.now()):
        assert place is not None, "an open ask that no repeated call would find"
        assert (place.ask_id, place.code, place.answer) == (ask.id, ask.code, None)
    elif place is not None and place.ask_id == ask.id:
        assert place.answer == ask.answer


def _was_said(approval: Approval, asks: list[Ask]) -> bool:
    said = (approval.tool, approval.version, approval.connection_id, approval.answer.value, approval.answered_at)
    return any(
        (ask.question.tool, ask.question.version, ask.question.connection_id, ask.answer, ask.answered_at) == said
        for ask in asks
        if isinstance(ask.question, ToolQuestion) and ask.answer is not None
    )


def _check_bound(connection_id: str | None, connections: dict[str, Connection]) -> None:
    if connection_id is not None:
        state = connections[connection_id].state
        assert state is not ConnectionState.REVOKED, "something is left of a connection that was revoked"
