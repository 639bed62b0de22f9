"""How text becomes words: one spelling for letters that differ in case, width or accent only."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def fold(text: str) -> str:
    """`text` without case, accents and compatibility forms, white space collapsed.

    Letter by letter, so that a part of a text folds to a part of the folded text.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    plain = _without_marks(_without_marks(text).casefold())
    return " ".join(plain.split())


def _without_marks(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def words_of(folded: str) -> list[str]:
    """The runs of letters and digits of a folded text, in order."""
    return _WORD.findall(folded)


def squeeze(folded: str) -> str:
    """The letters and digits alone: equal for every spelling of one name."""
    return "".join(_WORD.findall(folded))


def humps_of(word: str) -> list[str]:
    """The parts of a camelCase word as it was typed; one part when it has no humps."""
    return _HUMP.split(word)
