"""Making agents and changing them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    CAP_DEFAULT,
    CAP_RANGE,
    IDLE_WINDOW_DAYS_DEFAULT,
    IDLE_WINDOW_DAYS_RANGE,
    Agent,
)
from chalicelib.services import asks, jobs
from chalicelib.services.deps import Deps
from chalicelib.services.identity import hash_token, new_token

AGENT_NAME_MAX: Final = 64
ATTEMPTS: Final = 4


def create_agent(
    deps: Deps,
    person_id: str,
    name: str,
    *,
    cap: int = CAP_DEFAULT,
    idle_window_days: int = IDLE_WINDOW_DAYS_DEFAULT,
    connection_ids: frozenset[str] | None = None,
    agent_id: str = "",
) -> tuple[Agent, str]:
    """A new agent and its token, which is shown once and stored as a hash.

    `agent_id`: chosen before, so that the same wish twice makes one agent; empty: a new one.
    """
    name = _checked_name(name)
    _check_bounds("cap", cap, CAP_RANGE)
    _check_bounds("idle window", idle_window_days, IDLE_WINDOW_DAYS_RANGE)
    _check_scope(deps, person_id, connection_ids)
    agent_id = agent_id or deps.new_id()
    token = new_token(deps, person_id, agent_id)
    agent = Agent(person_id, agent_id, name, hash_token(token), cap, idle_window_days, connection_ids, deps.now())
    if not deps.store.agents.add(agent):
        raise Refusal(Reason.INPUT_INVALID, f"There is an agent named {name!r} already. Choose another name.")
    return agent, token


def edit_limits(deps: Deps, person_id: str, agent_id: str, *, name: str, cap: int, idle_window_days: int) -> Agent:
    """Save name, cap and idle window; they take effect at the next sweep.

    Refuses `input_invalid` what is out of bounds, a name that another agent has, and an agent that is not there.
    """
    name = _checked_name(name)
    _check_bounds("cap", cap, CAP_RANGE)
    _check_bounds("idle window", idle_window_days, IDLE_WINDOW_DAYS_RANGE)
    for _ in range(ATTEMPTS):
        facts = deps.store.agents.find(person_id, agent_id)
        if facts is None or facts.agent.revoked_at is not None:
            raise Refusal(Reason.INPUT_INVALID, "There is no such agent.")
        edited = replace(facts.agent, name=name, cap=cap, idle_window_days=idle_window_days)
        if deps.store.agents.edit_limits(facts.agent, edited, deps.now()):
            return edited
        holder = deps.store.agents.find_by_name(person_id, name)
        if holder is not None and holder.agent.id != agent_id:
            break
    raise Refusal(Reason.INPUT_INVALID, f"There is an agent named {name!r} already. Choose another name.")


def edit_scope(deps: Deps, person_id: str, agent_id: str, connection_ids: frozenset[str] | None) -> Agent:
    """Which connections the agent may use; None: every one, later ones included. Another one does not exist for it.

    Refuses `input_invalid` an agent that is not there, `connection_not_found` a connection that is not the person's.
    """
    _check_scope(deps, person_id, connection_ids)
    agent = find_agent(deps, person_id, agent_id)
    if not deps.store.agents.edit_scope(agent, connection_ids):
        raise _moved()
    return replace(agent, connection_ids=connection_ids)


def find_agent(deps: Deps, person_id: str, agent_id: str) -> Agent:
    """The person's agent that is not revoked; another person's, and one that never was, are refused alike."""
    facts = deps.store.agents.find(person_id, agent_id)
    if facts is None or facts.agent.revoked_at is not None:
        raise Refusal(Reason.INPUT_INVALID, "There is no such agent.")
    return facts.agent


def rotate_token(deps: Deps, agent: Agent) -> str:
    """A new token; the old one ends at once, and every MCP session with it."""
    token = new_token(deps, agent.person_id, agent.id)
    if not deps.store.agents.replace_token(agent, hash_token(token)):
        raise _moved()
    return token


def revoke_agent(deps: Deps, person_id: str, agent_id: str) -> Agent:
    """End an agent: its token answers 401 from now on, its set is swept no more.

    Its open asks are closed and its jobs cancelled; another run in flight ends by itself. What is known of it stays:
    set, history, ledger. Its name is free again.
    """
    agent = find_agent(deps, person_id, agent_id)
    now = deps.now()
    if not deps.store.agents.revoke(agent, now):
        raise _moved()
    asks.close_asks(deps, person_id, lambda ask: ask.agent_id == agent_id, "The agent was revoked.")
    for job in jobs.open_jobs(deps, agent):
        jobs.cancel(deps, agent, job, "The agent was revoked.")
    return replace(agent, revoked_at=now)


def _moved() -> Refusal:
    return Refusal(Reason.INPUT_INVALID, "The agent changed meanwhile. Look at it and try again.")


def _check_scope(deps: Deps, person_id: str, connection_ids: frozenset[str] | None) -> None:
    if not connection_ids:
        return
    if not connection_ids <= {connection.id for connection in deps.store.grants.connections(person_id)}:
        raise Refusal(Reason.CONNECTION_NOT_FOUND, "There is no such connection.")


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > AGENT_NAME_MAX or not name.isprintable():
        raise Refusal(Reason.INPUT_INVALID, f"An agent's name has 1 to {AGENT_NAME_MAX} printable characters.")
    return name


def _check_bounds(what: str, value: int, bounds: range) -> None:
    """A whole number by its type, too: 20.0 and True would be stored as something that cannot be read again."""
    if type(value) is not int or value not in bounds:
        raise Refusal(
            Reason.INPUT_INVALID, f"The {what} is a whole number from {bounds[0]} to {bounds[-1]}, not {value!r}."
        )
