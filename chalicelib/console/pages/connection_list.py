"""Accounts at vendors: what is so with each, and a form for another one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final
from urllib.parse import urlsplit

from chalicelib.errors import Refusal
from chalicelib.model import Connection, ConnectionState
from chalicelib.services import connection_view, connections
from chalicelib.services.connection_view import ConnectionFacts

from .. import connection_form, framing
from ..connection_form import PRIMARY, ConnectionForm
from ..connection_states import State, state_of
from ..forms import FormFault, Unreadable
from ..http import PageResponse
from ..made_once import sent_id
from ..names import name_shown
from ..paging import PAGE_BYTES, read_number
from ..render import Frame, html
from ..scheme_words import label
from ..side_by_side import with_frame
from ..unseen import Piece
from ..visit import Visit

SHOWN: Final = 20
ROW_BYTES: Final = 1_500
"""About what one of them weighs."""
VENDOR: Final = "vendor"


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    id: str
    name: tuple[Piece, ...]
    vendor: str
    scheme: str
    hosts: tuple[str, ...]
    state: State
    is_live: bool
    is_ending: bool
    """Its revoke has begun and not ended."""
    has_secret: bool
    tools: int


@dataclass(frozen=True, slots=True)
class ConnectionsPage:
    template: ClassVar[str] = "connection_list.html"
    frame: Frame
    rows: tuple[ConnectionRow, ...]
    start: int
    """How many stand before these."""
    total: int
    new_id: str
    """Chosen before the connection is made, so that a form that is sent twice makes one."""
    form: ConnectionForm


@dataclass(frozen=True, slots=True)
class RepeatedConnectionPage:
    """What a form that was sent before is answered: no other connection was made."""

    template: ClassVar[str] = "connection_repeated.html"
    frame: Frame
    connection: Connection
    name: tuple[Piece, ...]
    has_live_secret: bool
    """Whether it has one that can be replaced."""


def show(visit: Visit) -> PageResponse:
    return _fitted(_page(visit, ConnectionForm(), visit.deps.new_id()))


def _fitted(page: ConnectionsPage, status: int = 200) -> PageResponse:
    """The page with as many connections as there is room for, one at least; the others follow on the next ones."""
    response = html(page, status=status)
    over = len(response.body.encode()) - PAGE_BYTES
    if over <= 0 or len(page.rows) <= 1:
        return response
    return _fitted(replace(page, rows=page.rows[: max(1, len(page.rows) - over // ROW_BYTES - 1)]), status)


def create(visit: Visit) -> PageResponse:
    person_id, new_id = visit.person_id, sent_id(visit, "connection_id")
    try:
        wanted, shown = connection_form.read(visit.fields)
    except FormFault:
        raise Unreadable from None
    try:
        connections.create_connection(visit.deps, person_id, wanted, connection_id=new_id)
    except Refusal as refusal:
        made = visit.deps.store.grants.find_connection(person_id, new_id)
        if made is not None:
            return html(_repeated(visit, made))
        faulty = connection_form.with_faults(shown, wanted, refusal, visit.deps.connections)
        return _fitted(_page(visit, _in_plain_words(faulty), new_id), status=422)
    return visit.go("/connections")


def _repeated(visit: Visit, made: Connection) -> RepeatedConnectionPage:
    has_live_secret = made.state is ConnectionState.LIVE and made.scheme != "none"
    return RepeatedConnectionPage(framing.wide(visit), made, name_shown(made.display_name), has_live_secret)


def _in_plain_words(form: ConnectionForm) -> ConnectionForm:
    """What is wrong with the vendor's name at its field, and an address where a host belongs told as one."""
    of_vendor = [problem for problem in form.problems if problem.startswith(f"{VENDOR} ")]
    faults = dict(form.faults)
    if of_vendor:
        faults[VENDOR] = "Lower-case letters and digits, joined by single hyphens: github."
    host = _host_of(form.primary_host)
    if PRIMARY in faults and host:
        faults[PRIMARY] = f"Only the host: {host}, without https:// and without a path."
    return replace(form, faults=faults, problems=tuple(p for p in form.problems if p not in of_vendor))


def _host_of(typed: str) -> str:
    """The host of an address that was pasted whole; empty: it is none."""
    try:
        return (urlsplit(typed if "//" in typed else f"//{typed}").hostname or "") if "/" in typed else ""
    except ValueError:
        return ""


def _page(visit: Visit, form: ConnectionForm, new_id: str) -> ConnectionsPage:
    every, frame = with_frame(visit, lambda: connection_view.every(visit.deps, visit.signed_in.person))
    start = read_number(visit.request.query.get("from", ""))
    start = start if start < len(every) else 0
    return ConnectionsPage(
        frame=frame,
        rows=tuple(_row(facts) for facts in every[start : start + SHOWN]),
        start=start,
        total=len(every),
        new_id=new_id,
        form=form,
    )


def _row(facts: ConnectionFacts) -> ConnectionRow:
    connection = facts.connection
    return ConnectionRow(
        id=connection.id,
        name=name_shown(connection.display_name),
        vendor=connection.vendor,
        scheme=label(connection.scheme),
        hosts=connection.hosts,
        state=state_of(facts),
        is_live=connection.state is ConnectionState.LIVE,
        is_ending=connection.state is ConnectionState.REVOKING,
        has_secret=connection.scheme != "none",
        tools=facts.tools,
    )
