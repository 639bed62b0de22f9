"""Connections: made, and given another host or secret, with the credential sealed before it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, ConnectionState
from chalicelib.rules.names import find_name_fault
from chalicelib.services.deps import Deps


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


def _check(deps: Deps, wanted: NewConnection) -> None:
    problems = deps.connections.check(
        wanted.scheme, wanted.scheme_config, wanted.secret, wanted.primary_host, wanted.hosts
    )
    fault = find_name_fault(wanted.vendor, "x")
    if fault is not None:
        problems.insert(0, fault)
    if problems:
        raise Refusal(Reason.INPUT_INVALID, " ".join(problems), {"problems": problems})
