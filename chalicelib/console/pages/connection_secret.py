"""Another secret for a connection: typed here, sealed, and never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from chalicelib.errors import Refusal
from chalicelib.model import Connection, ConnectionState
from chalicelib.services import ask_facts, connections
from chalicelib.services.ask_facts import Receiver

from .. import connection_form, framing
from ..http import PageResponse
from ..render import Frame, html
from ..scheme_words import BY_NAME, SchemeWords
from ..visit import NotFound, Visit


@dataclass(frozen=True, slots=True)
class SecretPage:
    template: ClassVar[str] = "connection_secret.html"
    frame: Frame
    connection: Connection
    receivers: tuple[Receiver, ...]
    words: SchemeWords
    faults: Mapping[str, str]
    problems: tuple[str, ...]


def show(visit: Visit) -> PageResponse:
    return html(_page(visit, _find_live(visit)))


def replace(visit: Visit) -> PageResponse:
    connection = _find_live(visit)
    secret = connection_form.read_secret(visit.fields, connection.scheme)
    try:
        connections.replace_secret(visit.deps, connection, secret)
    except Refusal as refusal:
        faults, others = connection_form.secret_faults(connection.scheme, refusal)
        return html(_page(visit, connection, faults, others), status=422)
    return visit.go("/connections")


def _find_live(visit: Visit) -> Connection:
    """Another person's, one that never was and one that was revoked are the same nothing."""
    connection = ask_facts.find_connection(visit.deps, visit.person_id, visit.parts[0])
    if connection is None or connection.state is not ConnectionState.LIVE:
        raise NotFound
    return connection


def _page(
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
