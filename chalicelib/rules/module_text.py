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

    def place(self, node: ast.expr | ast.stmt | ast.alias | ast.arg) -> Place:
        """`ast` counts columns in UTF-8 bytes."""
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else ""
        return Place(node.lineno, len(line.encode()[: node.col_offset].decode(errors="ignore")) + 1)

    def place_of(self, at: int) -> Place:
        """The place of the character at index `at`."""
        breaks = list(_NEW_LINE.finditer(self._source, 0, at))
        return Place(len(breaks) + 1, at - (breaks[-1].end() if breaks else 0) + 1)
