"""Search over the heads of tools: by vendor, name and description, whatever the case, the accents and the order.

A search never hides a match: a tool that contains the query, or all of its words, is in the answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.model import ToolHead
from chalicelib.rules.search.likeness import nearest
from chalicelib.rules.search.query import parse
from chalicelib.rules.search.ranking import rank
from chalicelib.rules.search.vocabulary import Vocabulary

__all__ = ["Index", "nearest", "search"]


class Index:
    """The heads of one toolbox, made ready for many searches. Never changed once made."""

    def __init__(self, heads: Sequence[ToolHead]) -> None:
        self._heads = sorted(heads, key=lambda head: (head.wire_name, head.version, head.description))
        self._vocabulary = Vocabulary(self._heads)

    def search(self, query: str) -> list[ToolHead]:
        """Every match, best first; equals by wire name. An empty query matches everything, by wire name."""
        if not query.strip():
            return list(self._heads)
        parsed = parse(query)
        return [self._heads[place] for place in rank(parsed, self._vocabulary)]


def search(heads: Sequence[ToolHead], query: str) -> list[ToolHead]:
    """Every match among `heads`, best first. For more than one search, keep an `Index`."""
    return Index(heads).search(query)
