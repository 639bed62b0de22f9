"""The versions of a tool: one whole, with its lines, its change and its schema, and the others in a line each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.model import ToolVersion
from chalicelib.services.tool_view import VERSIONS_SHOWN, ToolView

from .changes import Line, difference, source_lines
from .code_windows import SourceLine, change_window, marked_lines, numbers_that_write, source_window, text_window
from .paging import cut
from .unseen import Piece, count_unseen, pieces
from .windows import Window
from .words import CHIP_WORDS, Chip, chip, count

SOURCE_BYTES: Final = 10_000
CHANGE_BYTES: Final = 4_000
SCHEMA_BYTES: Final = 2_000
"""Room in the page for each of the three; what does not fit is a link away."""
DESCRIPTION_BYTES: Final = 3_000
SINCE_BYTES: Final = 400


@dataclass(frozen=True, slots=True)
class ChosenVersion:
    version: int
    chip: Chip
    chip_word: str
    is_current: bool
    publisher: str
    published_at: datetime
    since: tuple[Piece, ...]
    """What changed since the version before, in words; empty: it is the first, or that one cannot be read."""
    change: Window[Line] | None
    """None: the source is the same, or there is nothing to compare it with."""
    is_change_open: bool
    source: Window[SourceLine]
    writing: tuple[int, ...]
    """The numbers of the lines that write, from 1."""
    unseen: int
    """Characters of the source that cannot be seen."""
    schema: Window[tuple[Piece, ...]]
    is_schema_open: bool
    description: tuple[Piece, ...]
    """Where it is not the current version: its author's words then."""


@dataclass(frozen=True, slots=True)
class OlderVersion:
    version: int
    chip: Chip
    chip_word: str
    publisher: str
    published_at: datetime
    since: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Begins:
    """With which line each text begins, from 0; what the address names is opened."""

    source: int = 0
    change: int = 0
    schema: int = 0


def chosen_version(view: ToolView, begins: Begins) -> ChosenVersion:
    chosen = view.chosen
    before = view.before(chosen)
    lines = marked_lines(chosen)
    schema = source_lines(json.dumps(chosen.input_schema, indent=2, ensure_ascii=False))
    is_current = chosen.version == view.current.version
    return ChosenVersion(
        version=chosen.version,
        chip=chip(chosen.annotations),
        chip_word=CHIP_WORDS[chip(chosen.annotations)],
        is_current=is_current,
        publisher=_publisher(view, chosen),
        published_at=chosen.published_at,
        since=cut(pieces(_since(before, chosen)), SINCE_BYTES),
        change=_change(before, chosen, begins.change),
        is_change_open=begins.change > 0,
        source=source_window(lines, begins.source, SOURCE_BYTES),
        writing=numbers_that_write(lines),
        unseen=count_unseen(chosen.source),
        schema=text_window(schema, begins.schema, SCHEMA_BYTES),
        is_schema_open=begins.schema > 0,
        description=() if is_current else cut(pieces(chosen.description), DESCRIPTION_BYTES),
    )


def _change(before: ToolVersion | None, after: ToolVersion, start: int) -> Window[Line] | None:
    if before is None or before.source == after.source:
        return None
    return change_window(difference(before, after), start, CHANGE_BYTES)


def older_versions(view: ToolView) -> tuple[OlderVersion, ...]:
    """The others that are shown, newest first."""
    shown = [version for version in view.versions[:VERSIONS_SHOWN] if version.version != view.chosen.version]
    return tuple(
        OlderVersion(
            version=one.version,
            chip=kind,
            chip_word=CHIP_WORDS[kind],
            publisher=_publisher(view, one),
            published_at=one.published_at,
            since=cut(pieces(_since(view.before(one), one)), SINCE_BYTES),
        )
        for one in shown
        for kind in [chip(one.annotations)]
    )


def _publisher(view: ToolView, version: ToolVersion) -> str:
    agent = view.agents.get(version.published_by)
    return agent.name if agent else ""


def _since(before: ToolVersion | None, after: ToolVersion) -> str:
    if before is None:
        return ""
    found = difference(before, after)
    lines = f"{count(found.put_in, 'line')} in, {found.taken_out} out." if found.lines else "The source is the same."
    told = [f"Since version {before.version}: {lines[0].lower()}{lines[1:]}", found.beside, *_further(before, after)]
    return " ".join(sentence for sentence in told if sentence)


def _further(before: ToolVersion, after: ToolVersion) -> list[str]:
    """What a difference does not tell by itself."""
    told = []
    if before.input_schema != after.input_schema:
        told += [] if _asks_for(before) != _asks_for(after) else ["Its input schema asks differently for the same."]
    else:
        told.append("The input schema is the same.")
    if before.methods - after.methods:
        told.append(f"It no longer uses {', '.join(sorted(before.methods - after.methods))}.")
    elif before.methods == after.methods:
        told.append("The methods are the same.")
    if before.connection_id != after.connection_id:
        told.append("Its default connection is another one.")
    return told


def _asks_for(version: ToolVersion) -> frozenset[str]:
    properties = version.input_schema.get("properties")
    return frozenset(properties) if isinstance(properties, dict) else frozenset()
