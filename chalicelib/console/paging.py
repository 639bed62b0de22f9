"""What a page may weigh, and texts cut to what they weigh once they are HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from .unseen import Piece

PAGE_BYTES: Final = 30_000
_UNSEEN_BYTES: Final = 29
"""The element around a character that is spelled out."""


def weigh(pieces: Sequence[Piece]) -> int:
    """Bytes of this text in a page."""
    return sum(weigh_text(piece.text) + _UNSEEN_BYTES * piece.is_unseen for piece in pieces)


def weigh_text(text: str) -> int:
    return len(escape(text).encode("utf-8", "replace"))


def cut(pieces: Sequence[Piece], most: int) -> tuple[Piece, ...]:
    """The first pieces that weigh no more than so many bytes, then an ellipsis."""
    used = 0
    for at, piece in enumerate(pieces):
        used += weigh([piece])
        if used > most:
            return (*pieces[:at], Piece("…"))
    return tuple(pieces)


def short(text: str, length: int) -> str:
    """On one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def read_number(text: str, *, most: int = 10**9) -> int:
    """A number in an address; 0 for anything that is none."""
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) <= 12 else 0
