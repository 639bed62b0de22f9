"""Sources, changes and schemas: as many of their lines as a page has room for, and which of them write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chalicelib.model import ToolVersion
from chalicelib.services.tool_view import writing_lines

from .changes import Difference, Line, source_lines
from .paging import cut_and_told, weigh
from .unseen import Piece
from .windows import Window, window

LONGEST_BYTES: Final = 1_900
LINE_BYTES: Final = 32
"""The elements around a line."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    text: tuple[Piece, ...]
    mark: str
    """The writing methods that it calls; empty: none."""
    kind: str
    """`write` or `destructive`; empty: it calls none."""


def marked_lines(version: ToolVersion) -> tuple[SourceLine, ...]:
    """Every line of its source."""
    writes = writing_lines(version.source)
    return tuple(
        SourceLine(_short(text), " ".join(methods), _kind(methods))
        for number, text in enumerate(source_lines(version.source), start=1)
        for methods in [writes.get(number, ())]
    )


def numbers_that_write(lines: Sequence[SourceLine]) -> tuple[int, ...]:
    """From 1."""
    return tuple(number for number, line in enumerate(lines, start=1) if line.mark)


def source_window(lines: Sequence[SourceLine], start: int, room: int) -> Window[SourceLine]:
    """`start`: how many lines stand before; `room`: bytes in the page. The same of the other two."""
    return window(lines, start, room, lambda line: weigh_line(line.text) + 3 * LINE_BYTES * bool(line.mark))


def change_window(found: Difference, start: int, room: int) -> Window[Line]:
    return whole_window([Line(line.kind, _short(line.text)) for line in found.lines], start, room)


def text_window(lines: Sequence[tuple[Piece, ...]], start: int, room: int) -> Window[tuple[Piece, ...]]:
    return window([_short(line) for line in lines], start, room, weigh_line)


def whole_window(lines: Sequence[Line], start: int, room: int) -> Window[Line]:
    """Of what a person is to allow: no line of it is cut, whatever it weighs."""
    return window(lines, start, room, lambda line: weigh_line(line.text) + LINE_BYTES)


def weigh_line(text: tuple[Piece, ...]) -> int:
    return weigh(text) + LINE_BYTES


def _short(line: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """A line that would fill a page by itself ends with how much of it is not there."""
    return cut_and_told(line, LONGEST_BYTES, " in this line")


def _kind(methods: tuple[str, ...]) -> str:
    if not methods:
        return ""
    return "destructive" if "DELETE" in methods else "write"
