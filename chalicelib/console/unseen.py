"""Characters that a reader does not see, spelled out: control, zero-width, bidirectional and filler characters.

What a person allows has to be what they read. Text is cut into pieces: what can be shown as it is, and what cannot.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

SPELLED_OUT_MAX: Final = 8
"""In a longer run of such characters only their numbers are given: a text of nothing else stays a page."""
_CATEGORIES: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by their category, and blank on the screen."""
_SELECTORS: Final = ((0xFE00, 0xFE0F), (0x180B, 0x180F), (0xE0100, 0xE01EF))
_CONTROLS: Final = {0: "null", 7: "bell", 8: "backspace", 9: "tab", 13: "carriage return", 27: "escape", 127: "delete"}


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    """To be shown as it is; or, of what cannot be seen, its name."""
    is_unseen: bool = False


def pieces(text: str) -> tuple[Piece, ...]:
    """The text in order. Lines still end where they end: a line break is seen."""
    return tuple(_pieces(text))


def count_unseen(text: str) -> int:
    return sum(is_unseen(character) for character in text)


def is_unseen(character: str) -> bool:
    if character == "\n" or " " <= character <= "~":
        return False
    code = ord(character)
    return (
        unicodedata.category(character) in _CATEGORIES
        or character in _FILLERS
        or (unicodedata.category(character) == "Zs" and character != " ")
        or any(first <= code <= last for first, last in _SELECTORS)
    )


def _pieces(text: str) -> Iterator[Piece]:
    for hidden, characters in groupby(text, is_unseen):
        run = "".join(characters)
        if not hidden:
            yield Piece(run)
        elif len(run) > SPELLED_OUT_MAX:
            yield Piece(_in_numbers(run), is_unseen=True)
        else:
            yield from (Piece(_name(character), is_unseen=True) for character in run)


def _in_numbers(run: str) -> str:
    """`U+200B ×500, U+202E`."""
    told = ((_number(character), len(list(same))) for character, same in groupby(run))
    return ", ".join(f"{number} ×{times}" if times > 1 else number for number, times in told)


def _name(character: str) -> str:
    name = unicodedata.name(character, "") or _CONTROLS.get(ord(character), "control or unknown character")
    return f"{_number(character)} {name.lower()}"


def _number(character: str) -> str:
    return f"U+{ord(character):04X}"
