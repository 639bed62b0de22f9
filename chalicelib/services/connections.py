"""Connections: made, given another host or secret, and revoked; a credential is sealed before it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Agent, Cause, Connection, ConnectionState
from chalicelib.rules.membership import decide_exit
from chalicelib.rules.names import find_name_fault
from chalicelib.services.deps import Deps
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


def create_connection(deps: Deps, person_id: str, wanted: NewConnection) -> Connection:
    """Store a connection. Refuses `input_invalid` with everything that is wrong with it."""
    _check(deps, wanted)
    hosts = deps.connections.stored_hosts(wanted.primary_host, wanted.hosts)
    connection_id = deps.new_id()
    connection = Connection(
        person_id=person_id,
        id=connection_id,
        vendor=wanted.vendor,
        display_name=wanted.display_name or wanted.vendor,
        scheme=wanted.scheme,
        scheme_config=dict(wanted.scheme_config),
        primary_host=hosts[0],
        hosts=hosts,
        state=ConnectionState.LIVE,
        created_at=deps.now(),
        secret_revision=1,
        sealed_secret=deps.vault.seal(wanted.secret, person_id=person_id, connection_id=connection_id),
    )
    if not deps.store.grants.add_connection(connection):
        raise Refusal(Reason.INTERNAL, "The connection could not be stored. Try again.")
    return connection


def replace_connection(deps: Deps, seen: Connection, wanted: NewConnection) -> Connection:
    """The same connection with other hosts and another secret; a run reads it before its next vendor call."""
    _check(deps, wanted)
    hosts = deps.connections.stored_hosts(wanted.primary_host, wanted.hosts)
    connection = replace(
        seen,
        primary_host=hosts[0],
        hosts=hosts,
        secret_revision=seen.secret_revision + 1,
        sealed_secret=deps.vault.seal(wanted.secret, person_id=seen.person_id, connection_id=seen.id),
    )
    if not deps.store.grants.replace_connection(seen, connection):
        raise Refusal(Reason.CONNECTION_REVOKED, "The connection changed meanwhile. Look at it and try again.")
    return connection


def revoke(deps: Deps, person_id: str, connection_id: str) -> Connection:
    """Wipe the credential first, then take the connection from every agent. Repeating it goes on where it stopped.

    Demotes the tools bound to it (cause `revoke`), withdraws their approvals and closes its open asks. Tools and
    versions stay.
    """
    connection = deps.store.grants.find_connection(person_id, connection_id)
    if connection is None:
        raise Refusal(Reason.CONNECTION_NOT_FOUND, "There is no such connection.")
    deps.store.grants.begin_revoke(connection, deps.now())
    for agent_id in deps.store.agents.ids(person_id):
        _demote_bound(deps, person_id, agent_id, connection_id)
    deps.store.grants.end_revoke(connection)
    return replace(connection, state=ConnectionState.REVOKED, sealed_secret=None)


def _demote_bound(deps: Deps, person_id: str, agent_id: str, connection_id: str) -> None:
    facts = deps.store.agents.find(person_id, agent_id)
    if facts is None:
        return
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
        if deps.store.agents.change_set(facts, move.record, move.remaining):
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
