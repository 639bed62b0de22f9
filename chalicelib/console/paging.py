"""What a page may weigh, and texts cut to what they weigh once they are HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import accumulate, takewhile
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
    """The beginning that weighs no more than so many bytes, then an ellipsis."""
    room = most
    for at, piece in enumerate(pieces):
        weight = weigh([piece])
        if weight > room:
            return (*pieces[:at], *_begin(piece, room), Piece("…"))
        room -= weight
    return tuple(pieces)


def cut_and_told(pieces: Sequence[Piece], most: int, where: str = "") -> tuple[Piece, ...]:
    """The same; how many characters are left out stands at the end, and `where`."""
    shown = cut(pieces, most)
    if shown == tuple(pieces):
        return shown
    left = sum(len(piece.text) for piece in pieces) - sum(len(piece.text) for piece in shown[:-1])
    return (*shown[:-1], Piece(f"… and {left} more characters{where}"))


def _begin(piece: Piece, room: int) -> tuple[Piece, ...]:
    """What fits of a text that can be seen; the name of what cannot stays whole."""
    if piece.is_unseen:
        return ()
    weights = accumulate(map(weigh_text, piece.text))
    fits = sum(1 for _ in takewhile(lambda weight: weight <= room, weights))
    return (Piece(piece.text[:fits]),) if fits else ()


def short(text: str, length: int) -> str:
    """On one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def read_number(text: str, *, most: int = 10**9) -> int:
    """A number in an address; 0 for anything that is none."""
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) <= 12 else 0
