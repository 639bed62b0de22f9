"""What a person calls a connection, in a list: what an agent proposed may stand there."""

from __future__ import annotations

from typing import Final

from .paging import cut, short
from .unseen import Piece, pieces

NAME_SHOWN: Final = 60
"""Characters."""
NAME_BYTES: Final = 300
"""What it may weigh in a page, characters that are spelled out included."""


def name_shown(name: str) -> tuple[Piece, ...]:
    return cut(pieces(short(name, NAME_SHOWN)), NAME_BYTES)
