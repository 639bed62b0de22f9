"""The toolbox: every tool of the person, searched as an agent searches it, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final
from urllib.parse import urlencode

from chalicelib.errors import Refusal
from chalicelib.model import Annotations
from chalicelib.services import tool_view
from chalicelib.services.tool_view import QUERY_MAX, Shelf, ShelfRow, Wanted

from ..excerpts import excerpt
from ..http import PageResponse
from ..paging import read_number
from ..render import Frame, html
from ..side_by_side import with_frame
from ..unseen import Piece
from ..visit import NotFound, Visit
from ..words import CHIP_WORDS, Chip, chip

SHOWN: Final = 20
DESCRIPTION_CHARACTERS: Final = 140
AGENTS_NAMED: Final = 4
KINDS: Final[dict[str, Annotations]] = {
    "read": Annotations(read_only=True, destructive=False),
    "write": Annotations(read_only=False, destructive=False),
    "destructive": Annotations(read_only=False, destructive=True),
}


@dataclass(frozen=True, slots=True)
class ToolRow:
    tool: str
    chip: Chip
    chip_word: str
    description: tuple[Piece, ...]
    version: int
    published_at: datetime | None
    publisher: str
    agents: tuple[str, ...]
    more_agents: int
    withheld: str


@dataclass(frozen=True, slots=True)
class ToolboxPage:
    template: ClassVar[str] = "toolbox.html"
    frame: Frame
    rows: tuple[ToolRow, ...]
    query: str
    query_shown: tuple[Piece, ...]
    kind: str
    kinds: tuple[tuple[str, str], ...]
    connection: str
    """The name of the one whose tools these are; empty: of all."""
    connection_id: str
    offset: int
    total: int
    size: int
    is_narrowed: bool
    before: str
    """The address of the page before this one; empty: there is none."""
    after: str


def show(visit: Visit) -> PageResponse:
    asked = visit.request.query
    query, kind = asked.get("q", "").strip()[:QUERY_MAX], asked.get("kind", "")
    wanted = Wanted(query, KINDS.get(kind), asked.get("connection", "")[:40], read_number(asked.get("page", "")) or 1)
    try:
        shelf, frame = with_frame(
            visit, lambda: tool_view.shelf(visit.deps, visit.signed_in.person, wanted, size=SHOWN)
        )
    except Refusal:
        raise NotFound from None
    return html(_page(frame, shelf, wanted, kind if kind in KINDS else ""))


def _page(frame: Frame, shelf: Shelf, wanted: Wanted, kind: str) -> ToolboxPage:
    page = shelf.offset // SHOWN + 1
    more = shelf.offset + len(shelf.rows) < shelf.total
    return ToolboxPage(
        frame=frame,
        rows=tuple(_row(row) for row in shelf.rows),
        query=wanted.query,
        query_shown=excerpt(wanted.query, QUERY_MAX),
        kind=kind,
        kinds=tuple((name, CHIP_WORDS[chip(annotations)]) for name, annotations in KINDS.items()),
        connection=shelf.connection.display_name if shelf.connection else "",
        connection_id=wanted.connection_id,
        offset=shelf.offset,
        total=shelf.total,
        size=shelf.size,
        is_narrowed=bool(wanted.query or kind or wanted.connection_id),
        before=_address(wanted, kind, page - 1) if page > 1 else "",
        after=_address(wanted, kind, page + 1) if more else "",
    )


def _address(wanted: Wanted, kind: str, page: int) -> str:
    named = {"q": wanted.query, "kind": kind, "connection": wanted.connection_id, "page": str(page)}
    return f"/toolbox?{urlencode({name: value for name, value in named.items() if value})}"


def _row(row: ShelfRow) -> ToolRow:
    kind = chip(row.head.annotations)
    return ToolRow(
        tool=row.head.wire_name,
        chip=kind,
        chip_word=CHIP_WORDS[kind],
        description=excerpt(row.head.description, DESCRIPTION_CHARACTERS),
        version=row.head.version,
        published_at=row.published_at,
        publisher=row.publisher,
        agents=row.agents[:AGENTS_NAMED],
        more_agents=max(0, len(row.agents) - AGENTS_NAMED),
        withheld=row.withheld,
    )
