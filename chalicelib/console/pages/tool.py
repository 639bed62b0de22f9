"""One tool: in short, where it is, and its versions with source, change and schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final

from chalicelib.errors import Refusal
from chalicelib.model import Connection, ToolVersion
from chalicelib.services import tool_view
from chalicelib.services.tool_view import LastRun, ToolView

from ..http import PageResponse
from ..outcomes import outcome_of
from ..paging import cut, read_number
from ..render import Frame, html
from ..side_by_side import with_frame
from ..tool_places import PlaceRow, place_rows
from ..tool_versions import DESCRIPTION_BYTES, Begins, ChosenVersion, OlderVersion, chosen_version, older_versions
from ..unseen import Piece, pieces
from ..visit import NotFound, Visit
from ..words import CHIP_SENTENCES, CHIP_WORDS, Chip, chip, methods_of

PLACES_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class RunFacts:
    agent: str
    agent_id: str
    began_at: datetime
    tone: str
    icon: str
    words: str


@dataclass(frozen=True, slots=True)
class ToolPage:
    template: ClassVar[str] = "tool.html"
    frame: Frame
    tool: str
    chip: Chip
    chip_word: str
    chip_sentence: str
    methods: tuple[str, ...]
    """Writing ones first."""
    description: tuple[Piece, ...]
    author: str
    """Whose words the description is; empty: set-up brought it."""
    version: int
    published_at: datetime
    connection: Connection | None
    is_default: bool
    """Whether that connection is the tool's own default."""
    last_run: RunFacts | None
    withheld: str
    places: tuple[PlaceRow, ...]
    places_start: int
    """How many agents stand before these."""
    places_total: int
    chosen: ChosenVersion
    older: tuple[OlderVersion, ...]
    """The other versions that are shown, newest first."""
    still_older: int
    """The newest version that is not shown; 0: all are."""


def show(visit: Visit) -> PageResponse:
    asked = visit.request.query.get("version", "")
    version = read_number(asked) if asked else None
    try:
        view, frame = with_frame(
            visit, lambda: tool_view.view(visit.deps, visit.person_id, visit.parts[0], version=version)
        )
    except Refusal:
        raise NotFound from None
    return html(_page(frame, view, visit.request.query))


def _page(frame: Frame, view: ToolView, query: Mapping[str, str]) -> ToolPage:
    places = place_rows(view, frame.now)
    start = _number(query, "agents") if _number(query, "agents") < len(places) else 0
    begins = Begins(_number(query, "source"), _number(query, "change"), _number(query, "schema"))
    current = view.current
    kind = chip(current.annotations)
    writing, reading = methods_of(current)
    older = older_versions(view)
    last_shown = min([view.chosen.version, *(one.version for one in older)])
    return ToolPage(
        frame=frame,
        tool=current.wire_name,
        chip=kind,
        chip_word=CHIP_WORDS[kind],
        chip_sentence=CHIP_SENTENCES[kind],
        methods=writing + reading,
        description=cut(pieces(current.description), DESCRIPTION_BYTES),
        author=publisher_of(view, current),
        version=current.version,
        published_at=current.published_at,
        connection=view.connection,
        is_default=view.connection is not None and view.connection.id == current.connection_id,
        last_run=_run_facts(view.last_run),
        withheld=view.withheld,
        places=places[start : start + PLACES_SHOWN],
        places_start=start,
        places_total=len(places),
        chosen=chosen_version(view, begins),
        older=older,
        still_older=last_shown - 1,
    )


def _number(query: Mapping[str, str], name: str) -> int:
    return read_number(query.get(name, ""))


def publisher_of(view: ToolView, version: ToolVersion) -> str:
    agent = view.agents.get(version.published_by)
    return agent.name if agent else ""


def _run_facts(last: LastRun | None) -> RunFacts | None:
    if last is None:
        return None
    outcome = outcome_of(last.line)
    return RunFacts(last.agent.name, last.agent.id, last.run.started_at, outcome.tone, outcome.icon, outcome.words)
