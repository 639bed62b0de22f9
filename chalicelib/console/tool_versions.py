"""The versions of a tool: one whole, with its lines, its change and its schema, and the others in a line each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from chalicelib.model import ToolVersion
from chalicelib.services.tool_view import VERSIONS_SHOWN, ToolView, writing_lines

from .changes import Difference, difference, source_lines
from .unseen import Piece, count_unseen, pieces
from .words import CHIP_WORDS, Chip, chip, count


@dataclass(frozen=True, slots=True)
class SourceLine:
    text: tuple[Piece, ...]
    mark: str
    """The writing methods that it calls; empty: none."""
    kind: str
    """`write` or `destructive`; empty: it calls none."""


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
    change: Difference | None
    """None: the source is the same, or there is nothing to compare it with."""
    lines: tuple[SourceLine, ...]
    writing: int
    """Lines that write."""
    unseen: int
    """Characters of the source that cannot be seen."""
    schema: tuple[tuple[Piece, ...], ...]
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


def chosen_version(view: ToolView) -> ChosenVersion:
    chosen = view.chosen
    before = view.before(chosen)
    lines = _source(chosen)
    is_current = chosen.version == view.current.version
    return ChosenVersion(
        version=chosen.version,
        chip=chip(chosen.annotations),
        chip_word=CHIP_WORDS[chip(chosen.annotations)],
        is_current=is_current,
        publisher=_publisher(view, chosen),
        published_at=chosen.published_at,
        since=pieces(_since(before, chosen)),
        change=difference(before, chosen) if before is not None and before.source != chosen.source else None,
        lines=lines,
        writing=sum(bool(line.mark) for line in lines),
        unseen=count_unseen(chosen.source),
        schema=source_lines(json.dumps(chosen.input_schema, indent=2, ensure_ascii=False)),
        description=() if is_current else pieces(chosen.description),
    )


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
            since=pieces(_since(view.before(one), one)),
        )
        for one in shown
        for kind in [chip(one.annotations)]
    )


def _publisher(view: ToolView, version: ToolVersion) -> str:
    agent = view.agents.get(version.published_by)
    return agent.name if agent else ""


def _source(version: ToolVersion) -> tuple[SourceLine, ...]:
    writes = writing_lines(version.source)
    return tuple(
        SourceLine(text, " ".join(methods), _kind(methods))
        for number, text in enumerate(source_lines(version.source), start=1)
        for methods in [writes.get(number, ())]
    )


def _kind(methods: tuple[str, ...]) -> str:
    if not methods:
        return ""
    return "destructive" if "DELETE" in methods else "write"


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
