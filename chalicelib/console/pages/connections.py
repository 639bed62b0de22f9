"""Accounts at vendors: each with its hosts and tools; added, given another secret, revoked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from chalicelib.errors import Refusal
from chalicelib.model import Connection, ConnectionState
from chalicelib.services import ask_facts, connections, overview
from chalicelib.services.ask_facts import Receiver
from chalicelib.services.overview import RevokeEffects

from .. import connection_form, framing
from ..connection_form import ConnectionForm
from ..forms import FormFault, Unreadable
from ..http import PageResponse
from ..render import Frame, html
from ..scheme_words import BY_NAME, SchemeWords, label
from ..visit import NotFound, Visit


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    id: str
    name: str
    vendor: str
    scheme: str
    hosts: tuple[str, ...]
    is_live: bool
    has_secret: bool
    tools: int


@dataclass(frozen=True, slots=True)
class ConnectionsPage:
    template: ClassVar[str] = "connections.html"
    frame: Frame
    rows: tuple[ConnectionRow, ...]
    form: ConnectionForm


@dataclass(frozen=True, slots=True)
class SecretPage:
    template: ClassVar[str] = "connection_secret.html"
    frame: Frame
    connection: Connection
    receivers: tuple[Receiver, ...]
    words: SchemeWords
    faults: Mapping[str, str]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RevokeConnectionPage:
    template: ClassVar[str] = "connection_revoke.html"
    frame: Frame
    connection: Connection
    effects: RevokeEffects


def show(visit: Visit) -> PageResponse:
    return html(_page(visit, ConnectionForm()))


def create(visit: Visit) -> PageResponse:
    person_id = visit.person_id
    try:
        wanted, shown = connection_form.read(visit.fields)
    except FormFault:
        raise Unreadable from None
    try:
        connections.create_connection(visit.deps, person_id, wanted)
    except Refusal as refusal:
        faulty = connection_form.with_faults(shown, wanted, refusal, visit.deps.connections)
        return html(_page(visit, faulty), status=422)
    return visit.go("/connections")


def show_secret(visit: Visit) -> PageResponse:
    return html(_secret_page(visit, _find_live(visit)))


def replace_secret(visit: Visit) -> PageResponse:
    connection = _find_live(visit)
    secret = connection_form.read_secret(visit.fields, connection.scheme)
    try:
        connections.replace_secret(visit.deps, connection, secret)
    except Refusal as refusal:
        told = [str(problem) for problem in refusal.details.get("problems", [refusal.message])]
        faults, others = connection_form.field_faults(connection.scheme, told)
        return html(_secret_page(visit, connection, faults, tuple(others)), status=422)
    return visit.go("/connections")


def show_revoke(visit: Visit) -> PageResponse:
    connection = _find_live(visit)
    effects = overview.revoke_effects(visit.deps, connection)
    return html(RevokeConnectionPage(framing.wide(visit), connection, effects))


def revoke(visit: Visit) -> PageResponse:
    """Repeating it goes on where it stopped."""
    connection = _find(visit)
    connections.revoke(visit.deps, connection.person_id, connection.id)
    return visit.go("/connections")


def _find(visit: Visit) -> Connection:
    connection = ask_facts.find_connection(visit.deps, visit.person_id, visit.parts[0])
    if connection is None:
        raise NotFound
    return connection


def _find_live(visit: Visit) -> Connection:
    connection = _find(visit)
    if connection.state is not ConnectionState.LIVE:
        raise NotFound
    return connection


def _page(visit: Visit, form: ConnectionForm) -> ConnectionsPage:
    every = overview.connections(visit.deps, visit.person_id)
    tools = overview.tools_of(visit.deps, visit.person_id)
    return ConnectionsPage(framing.wide(visit), tuple(_row(c, tools[c.id]) for c in every), form)


def _row(connection: Connection, tools: int) -> ConnectionRow:
    return ConnectionRow(
        id=connection.id,
        name=connection.display_name,
        vendor=connection.vendor,
        scheme=label(connection.scheme),
        hosts=connection.hosts,
        is_live=connection.state is ConnectionState.LIVE,
        has_secret=connection.scheme != "none",
        tools=tools,
    )


def _secret_page(
    visit: Visit,
    connection: Connection,
    faults: Mapping[str, str] | None = None,
    problems: tuple[str, ...] = (),
) -> SecretPage:
    return SecretPage(
        frame=framing.wide(visit),
        connection=connection,
        receivers=ask_facts.receivers(visit.deps, connection),
        words=BY_NAME[connection.scheme],
        faults=faults or {},
        problems=problems,
    )
