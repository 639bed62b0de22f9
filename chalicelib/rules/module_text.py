"""Places in a module's text, as an author's editor counts them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from chalicelib.model import Problem

_NEW_LINE: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Place:
    line: int
    """1-based; 0: the module as a whole."""
    column: int
    """1-based, in characters."""

    def problem(self, rule: str, message: str, hint: str) -> Problem:
        return Problem(self.line, self.column, rule, message, hint)


class Text:
    """A source, and where its nodes are in it."""

    def __init__(self, source: str) -> None:
        self._source = source

    @cached_property
    def _lines(self) -> list[str]:
        return _NEW_LINE.split(self._source)

    def place(self, node: ast.expr | ast.stmt | ast.alias | ast.arg | ast.pattern) -> Place:
        """`ast` counts columns in UTF-8 bytes."""
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else ""
        if line.isascii():
            return Place(node.lineno, node.col_offset + 1)
        return Place(node.lineno, len(line.encode()[: node.col_offset].decode(errors="ignore")) + 1)

    def bulk(self) -> Place:
        """The line that is more than half of the source, else the source as a whole."""
        longest = max(self._lines, key=len)
        if len(longest) * 2 <= len(self._source):
            return Place(0, 0)
        return Place(self._lines.index(longest) + 1, len(longest) - len(longest.lstrip()) + 1)

    def place_of(self, at: int) -> Place:
        """The place of the character at index `at`."""
        breaks = list(_NEW_LINE.finditer(self._source, 0, at))
        return Place(len(breaks) + 1, at - (breaks[-1].end() if breaks else 0) + 1)
