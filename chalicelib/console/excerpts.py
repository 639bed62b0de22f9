"""The beginning of a text, for where there is no room for all of it."""

from __future__ import annotations

from typing import Final

from .unseen import Piece, pieces

PIECES_MAX: Final = 9
"""A text of characters that have to be spelled out does not make a list as long as a book."""


def excerpt(text: str, characters: int) -> tuple[Piece, ...]:
    """At most so many characters, on one line; an ellipsis stands for what was cut."""
    line = " ".join(text[: 2 * characters].split("\n")).strip()
    cut = line[:characters].rstrip() if len(line) > characters else line
    shown = pieces(cut)[:PIECES_MAX]
    is_whole = len(line) <= characters and len(text) <= 2 * characters and shown == pieces(cut)
    return shown if is_whole else (*shown, Piece("…"))
