"""The input of a waiting call as a person reads it: every key and every value, whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .unseen import Piece, count_unseen, pieces

SHOWN_CHARACTERS: Final = 300
SHOWN_LINES: Final = 8
"""Beyond either a value stands behind a disclosure, whole."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One key of the input."""

    key: tuple[Piece, ...]
    kind: str
    """What it is and how long: `text, 32 characters`."""
    value: tuple[Piece, ...]
    is_long: bool
    characters: int
    unseen: int
    """How many characters of key and value cannot be seen."""


def shown(input: Mapping[str, Any]) -> tuple[Shown, ...]:
    return tuple(_shown(key, value) for key, value in input.items())


def _shown(key: str, value: Any) -> Shown:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return Shown(
        key=pieces(key),
        kind=_kind(value),
        value=pieces(text),
        is_long=len(text) > SHOWN_CHARACTERS or text.count("\n") >= SHOWN_LINES,
        characters=len(text),
        unseen=count_unseen(key) + count_unseen(text),
    )


def _kind(value: Any) -> str:
    match value:
        case str():
            return f"text, {_count(len(value), 'character')}"
        case bool():
            return "yes or no"
        case int() | float():
            return "number"
        case None:
            return "nothing"
        case Mapping():
            return f"object, {_count(len(value), 'key')}"
        case _:
            return f"list, {_count(len(value), 'item')}"


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"
