"""What an agent asks of its person beside approvals: to connect an account, or to enter a credential again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Agent, Connection, ConnectionQuestion, CredentialQuestion
from chalicelib.rules import connections as connection_rule
from chalicelib.rules.asks import Standing, is_worthless
from chalicelib.rules.names import find_name_fault
from chalicelib.services import asks
from chalicelib.services.asks import Waiting
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller

WORDS_MAX: Final = 500
"""Characters of an agent's own words that an ask shows."""


@dataclass(frozen=True, slots=True)
class WantedConnection:
    """An account as an agent describes it; no secret is among it."""

    vendor: str
    primary_host: str
    scheme: str
    scheme_config: Mapping[str, str] = field(default_factory=dict)
    hosts: Sequence[str] = ()
    display_name: str = ""
    docs_url: str = ""


@dataclass(frozen=True, slots=True)
class Connected:
    connection_id: str


Answer = Connected | Waiting


def request_connection(deps: Deps, caller: Caller, wanted: WantedConnection) -> Answer:
    """The connection that fits, if the agent has one; else the one open ask for it.

    Refuses `input_invalid` with everything that is wrong with it, `connection_declined`.
    """
    _check(deps, wanted)
    hosts = deps.connections.stored_hosts(wanted.primary_host, wanted.hosts)
    connections = deps.store.grants.connections(caller.person.id)
    usable = connection_rule.live(connection_rule.in_scope(caller.agent, connections))
    fitting = connection_rule.find_fitting(usable, wanted.vendor, wanted.scheme, hosts)
    if fitting is not None and (fitting.sealed_secret is not None or fitting.scheme == "none"):
        return Connected(fitting.id)
    question = ConnectionQuestion(
        vendor=wanted.vendor,
        primary_host=hosts[0],
        scheme=wanted.scheme,
        scheme_config=dict(wanted.scheme_config),
        hosts=hosts,
        display_name=wanted.display_name.strip()[:WORDS_MAX],
        docs_url=wanted.docs_url.strip()[:WORDS_MAX],
    )
    standing, place = asks.ask(deps, caller.agent, question)
    if standing is Standing.CONNECTED:
        connected = _connected(deps, caller.agent, wanted.vendor, place.ask_id)
        if connected is not None:
            return connected
        standing, place = asks.ask(deps, caller.agent, question, over=place.ask_id)
    if standing is Standing.DECLINED:
        raise asks.declined(wanted.vendor)
    return asks.waiting(deps, question, place)


def request_credential(deps: Deps, caller: Caller, connection_id: str, reason: str) -> Answer:
    """`connected` for a while after the person entered it; else the one open ask for it.

    Refuses `connection_not_found`, `connection_revoked`, `connection_declined`, `input_invalid`.
    """
    connection = mine(deps, caller, connection_id)
    if connection.scheme == "none":
        raise Refusal(Reason.INPUT_INVALID, f"{connection.id} needs no credential: its scheme is none.")
    question = CredentialQuestion(connection.id, reason.strip()[:WORDS_MAX])
    live = [deps.store.connection_is_live(connection)]
    standing, place = asks.ask(deps, caller.agent, question, also=live)
    if standing is Standing.CONNECTED:
        last = deps.store.traces.answers(connection.person_id).get(connection.id)
        if is_worthless(place, last):
            standing, place = asks.ask(deps, caller.agent, question, also=live, over=place.ask_id)
    if standing is Standing.CONNECTED:
        return Connected(connection.id)
    if standing is Standing.DECLINED:
        raise asks.declined(connection.vendor)
    return asks.waiting(deps, question, place)


def _connected(deps: Deps, agent: Agent, vendor: str, ask_id: str) -> Connected | None:
    """What came of an ask, though the person may have changed what was asked for. None: it was revoked since.

    Refuses `connection_revoked` for one that the person has taken out of the agent's scope.
    """
    ask = deps.store.asks.find(agent.person_id, ask_id)
    made = ask.connection_id if ask else None
    connection = deps.store.grants.find_connection(agent.person_id, made) if made else None
    if connection is None or not connection_rule.live([connection]):
        return None
    if not connection_rule.in_scope(agent, [connection]):
        raise Refusal(
            Reason.CONNECTION_REVOKED,
            f"The person connected {vendor} and it cannot be used by this agent now. Tell them, and go on without it.",
        )
    return Connected(connection.id)


def mine(deps: Deps, caller: Caller, connection_id: str) -> Connection:
    """The caller's own live connection. Refuses `connection_not_found`, `connection_revoked`."""
    found = deps.store.grants.find_connection(caller.person.id, connection_id[:64])
    if found is None or not connection_rule.in_scope(caller.agent, [found]):
        raise Refusal(
            Reason.CONNECTION_NOT_FOUND,
            f"There is no connection {connection_id[:60]!r}. find_tool lists the ones there are.",
        )
    if not connection_rule.live([found]):
        raise Refusal(
            Reason.CONNECTION_REVOKED,
            f"The connection {found.id} was revoked. Ask for a new one with request_connection.",
        )
    return found


def _check(deps: Deps, wanted: WantedConnection) -> None:
    problems = deps.connections.check(wanted.scheme, wanted.scheme_config, None, wanted.primary_host, wanted.hosts)
    fault = find_name_fault(wanted.vendor, "x")
    if fault is not None:
        problems.insert(0, fault)
    if problems:
        details = {"field": "vendor" if fault else _field(deps, wanted, problems[0]), "problems": problems}
        raise Refusal(Reason.INPUT_INVALID, f"{' '.join(problems)} Correct the call and repeat it.", details)


def _field(deps: Deps, wanted: WantedConnection, problem: str) -> str:
    """The field that a problem of the proxy's is about: it begins with its name, or is about a host."""
    if problem.startswith("scheme"):
        return problem.split()[0].rstrip(":")
    return "primaryHost" if deps.connections.check("none", {}, None, wanted.primary_host, ()) else "hosts"
