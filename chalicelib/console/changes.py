"""What changed between two versions of a tool: its lines, its input, its methods, its words."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.model import ToolVersion

from .unseen import Piece, pieces

CONTEXT_LINES: Final = 3

Kind = Literal["same", "in", "out", "gap"]


@dataclass(frozen=True, slots=True)
class Line:
    kind: Kind
    text: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    lines: tuple[Line, ...]
    put_in: int
    taken_out: int
    beside: str
    """What else changed, as sentences."""


def difference(before: ToolVersion, after: ToolVersion) -> Difference:
    lines = tuple(_lines(before.source, after.source))
    return Difference(
        lines=lines,
        put_in=sum(line.kind == "in" for line in lines),
        taken_out=sum(line.kind == "out" for line in lines),
        beside=" ".join(_beside(before, after)),
    )


def source_lines(source: str) -> tuple[tuple[Piece, ...], ...]:
    """Every line of a module, in pieces."""
    return tuple(pieces(line) for line in source.removesuffix("\n").split("\n"))


def _lines(before: str, after: str) -> Iterator[Line]:
    """A unified difference. Only `\\n` ends a line, whatever else Python would take for an end."""
    told = difflib.unified_diff(before.split("\n"), after.split("\n"), n=CONTEXT_LINES, lineterm="")
    kinds: dict[str, Kind] = {"+": "in", "-": "out", " ": "same"}
    seen_hunks = 0
    for number, line in enumerate(told):
        if number < 2:
            continue
        if line.startswith("@@"):
            seen_hunks += 1
            if seen_hunks > 1:
                yield Line("gap", pieces("…"))
            continue
        yield Line(kinds[line[:1]], pieces(line[1:]))


def _beside(before: ToolVersion, after: ToolVersion) -> Iterator[str]:
    old, new = (set(_properties(version)) for version in (before, after))
    if new - old:
        yield f"It asks for {', '.join(sorted(new - old))} too."
    if old - new:
        yield f"It no longer asks for {', '.join(sorted(old - new))}."
    if after.methods - before.methods:
        yield f"It uses {', '.join(sorted(after.methods - before.methods))} now, which it did not."
    if before.description != after.description:
        yield "Its author describes it differently."


def _properties(version: ToolVersion) -> list[str]:
    properties = version.input_schema.get("properties")
    return list(properties) if isinstance(properties, dict) else []
