"""Connections: made, given another host or secret, and revoked; a credential is sealed before it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Agent, Ask, Cause, Connection, ConnectionQuestion, ConnectionState
from chalicelib.rules.membership import decide_exit
from chalicelib.rules.names import find_name_fault
from chalicelib.services import asks, jobs
from chalicelib.services.deps import Deps, log
from chalicelib.services.retries import attempts

LEAVING_MAX: Final = 100
"""Tools that leave in one transaction: an update expression has at most 4 KB. The rest follows in further ones."""


@dataclass(frozen=True, slots=True)
class NewConnection:
    """A connection as a person describes it. `secret`: the scheme's fields, typed by the person."""

    vendor: str
    primary_host: str
    scheme: str = "none"
    scheme_config: Mapping[str, str] = field(default_factory=dict)
    hosts: Sequence[str] = ()
    display_name: str = ""
    secret: Mapping[str, str] = field(default_factory=dict, repr=False)
    confirmed_token_host: str = ""
    """The foreign host of a token URL that the person has confirmed by name."""


def create_connection(deps: Deps, person_id: str, wanted: NewConnection, *, connection_id: str = "") -> Connection:
    """Store a connection. Refuses `input_invalid` with everything that is wrong with it.

    `connection_id`: chosen before, so that the same wish twice makes one connection; empty: a new one.
    """
    connection = described(deps, person_id, wanted, connection_id=connection_id)
    if not deps.store.grants.add_connection(connection):
        raise Refusal(Reason.INTERNAL, "The connection could not be stored. Try again.")
    return connection


def described(deps: Deps, person_id: str, wanted: NewConnection, *, connection_id: str = "") -> Connection:
    """The connection that this would be, its credential sealed.

    Refuses `input_invalid`; with `tokenHost` in its details a foreign token host that is not confirmed.
    """
    _check(deps, wanted)
    hosts = deps.connections.stored_hosts(wanted.primary_host, wanted.hosts)
    config = deps.connections.stored_config(wanted.scheme, wanted.scheme_config, hosts[0], wanted.confirmed_token_host)
    connection_id = connection_id or deps.new_id()
    return Connection(
        person_id=person_id,
        id=connection_id,
        vendor=wanted.vendor,
        display_name=wanted.display_name.strip() or wanted.vendor,
        scheme=wanted.scheme,
        scheme_config=config,
        primary_host=hosts[0],
        hosts=hosts,
        state=ConnectionState.LIVE,
        created_at=deps.now(),
        secret_revision=1,
        sealed_secret=deps.vault.seal(wanted.secret, person_id=person_id, connection_id=connection_id),
    )


def replace_connection(deps: Deps, seen: Connection, wanted: NewConnection) -> Connection:
    """The same connection with other hosts and another secret; a run reads it before its next vendor call."""
    _check(deps, wanted)
    hosts = deps.connections.stored_hosts(wanted.primary_host, wanted.hosts)
    return _replaced(deps, seen, _sealed(deps, replace(seen, primary_host=hosts[0], hosts=hosts), wanted.secret))


def replace_secret(deps: Deps, seen: Connection, secret: Mapping[str, str]) -> Connection:
    """The same connection with another secret. Refuses `input_invalid`, `connection_revoked`."""
    return _replaced(deps, seen, with_secret(deps, seen, secret))


def with_secret(deps: Deps, seen: Connection, secret: Mapping[str, str]) -> Connection:
    """The connection as it would be with this secret, sealed. Refuses `input_invalid`."""
    asked = deps.connections.asked_config(seen.scheme_config)
    _check(deps, NewConnection(seen.vendor, seen.primary_host, seen.scheme, asked, seen.hosts, "", secret))
    return _sealed(deps, seen, secret)


def _sealed(deps: Deps, connection: Connection, secret: Mapping[str, str]) -> Connection:
    sealed = deps.vault.seal(secret, person_id=connection.person_id, connection_id=connection.id)
    revision = connection.secret_revision + 1
    return replace(connection, secret_revision=revision, sealed_secret=sealed, secret_saved_at=deps.now())


def _replaced(deps: Deps, seen: Connection, connection: Connection) -> Connection:
    if not deps.store.grants.replace_connection(seen, connection):
        raise Refusal(Reason.CONNECTION_REVOKED, "The connection changed meanwhile. Look at it and try again.")
    return connection


def revoke(deps: Deps, person_id: str, connection_id: str) -> Connection:
    """Wipe the credential first, then take the connection from every agent. Repeating it goes on where it stopped.

    Demotes the tools bound to it (cause `revoke`), withdraws their approvals, closes its open asks and cancels the jobs
    that write tools for it. Tools and versions stay. An agent that cannot be read now never stops the others: the
    connection stays `revoking`, and each tick of the sweep goes on with it.
    """
    connection = deps.store.grants.find_connection(person_id, connection_id)
    if connection is None:
        raise Refusal(Reason.CONNECTION_NOT_FOUND, "There is no such connection.")
    deps.store.grants.begin_revoke(connection, deps.now())
    asks.close_asks(deps, person_id, lambda ask: uses(ask, connection_id), "The connection was revoked.")
    freed = [_demoted_bound(deps, person_id, agent_id, connection_id) for agent_id in deps.store.agents.ids(person_id)]
    if not all(freed):
        return replace(connection, state=ConnectionState.REVOKING, sealed_secret=None)
    deps.store.grants.end_revoke(connection)
    return replace(connection, state=ConnectionState.REVOKED, sealed_secret=None)


def _demoted_bound(deps: Deps, person_id: str, agent_id: str, connection_id: str) -> bool:
    """False: this agent could not be freed of the connection, and has to be visited again."""
    try:
        _demote_bound(deps, person_id, agent_id, connection_id)
    except Exception:
        log.exception("agent %s could not be freed of connection %s", agent_id, connection_id)
        return False
    return True


def uses(ask: Ask, connection_id: str) -> bool:
    """Whether what was asked is about this connection."""
    question = ask.question
    return not isinstance(question, ConnectionQuestion) and question.connection_id == connection_id


def _demote_bound(deps: Deps, person_id: str, agent_id: str, connection_id: str) -> None:
    facts = deps.store.agents.find(person_id, agent_id)
    if facts is None:
        return
    jobs.cancel_of_connection(deps, facts.agent, connection_id)
    while _demote_some(deps, facts.agent, connection_id):
        continue
    deps.store.grants.withdraw_all(facts.agent, connection_id)


def _demote_some(deps: Deps, agent: Agent, connection_id: str) -> bool:
    """Demote up to a transaction's worth of the bound tools. False: there was none."""
    for _ in attempts(deps, "an agent's working set"):
        facts = deps.store.agents.find(agent.person_id, agent.id)
        promoted = [promotion.tool for promotion in facts.promotions] if facts else []
        bound = sorted(deps.store.toolbox.bound_to(agent.person_id, connection_id, promoted))[:LEAVING_MAX]
        if facts is None or not bound:
            return False
        move = decide_exit(facts, set(bound), Cause.REVOKE, deps.now())
        if deps.store.sets.change(facts, move.record, move.remaining):
            return True
    raise AssertionError("unreachable: attempts() ends with a refusal")


def _check(deps: Deps, wanted: NewConnection) -> None:
    problems = deps.connections.check(
        wanted.scheme, wanted.scheme_config, wanted.secret, wanted.primary_host, wanted.hosts
    )
    fault = find_name_fault(wanted.vendor, "x")
    if fault is not None:
        problems.insert(0, fault)
    if problems:
        raise Refusal(Reason.INPUT_INVALID, " ".join(problems), {"problems": problems})
