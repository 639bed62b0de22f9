"""Which tools one word of a query may mean, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

from chalicelib.rules.search.concepts import Key, concepts
from chalicelib.rules.search.query import Word
from chalicelib.rules.search.vocabulary import PRIOR_TOOLS, Place, Uses, Vocabulary
from chalicelib.rules.search.wording import JOINED, corrected, keys_of

WEAK: Final = 0.45
WEAK_MOST: Final = 1.2
UNKNOWN: Final = 1.25
ARGUMENT: Final = 0.3
DETAIL: Final = 0.6
OTHERS: Final = 0.5
"""How much those that use only a like word make a word less telling."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one query word finds."""

    weight: float
    """How telling the word is in this toolbox."""
    strength: dict[Place, float]
    """Tool → likeness times prominence."""
    likeness: dict[Place, float]
    """Tool → how surely it is meant, in (0, 1]."""
    keys: dict[Key, float]
    is_weak: bool
    """Almost any tool could be asked for with it."""


def meaning_of(word: Word, vocabulary: Vocabulary, *, may_be_mistyped: bool) -> Meaning:
    keys = keys_of(word, vocabulary, concepts())
    if may_be_mistyped and not keys and not word.is_name:
        keys = corrected(word, vocabulary, concepts())
    strength: dict[Place, float] = {}
    likeness: dict[Place, float] = {}
    for key, sure in sorted(keys.items(), key=lambda item: (-item[1], item[0])):
        for place, prominence in _uses(key, vocabulary).items():
            strong = sure * prominence
            if place not in likeness:
                likeness[place] = sure
                strength[place] = strong
            elif strong > strength[place]:
                strength[place] = strong
    return Meaning(_weight(word, likeness, vocabulary), strength, likeness, keys, _is_weak(word))


def _uses(key: Key, vocabulary: Vocabulary) -> Uses:
    if key.startswith("="):
        return vocabulary.joined.get(key[1:], {})
    return vocabulary.uses.get(key, {})


def _weight(word: Word, likeness: dict[Place, float], vocabulary: Vocabulary) -> float:
    tools = len(vocabulary.texts) + PRIOR_TOOLS
    surely = sum(1 for sure in likeness.values() if sure >= JOINED)
    used_by = surely + OTHERS * (sum(likeness.values()) - surely)
    rarity = log(1 + (tools - used_by + 0.5) / (used_by + 0.5))
    if word.is_detail:
        rarity *= DETAIL
    if _is_weak(word):
        return min(rarity * WEAK, WEAK_MOST)
    if not likeness:
        is_elsewhere = word.form in concepts().vendors
        return rarity * (ARGUMENT if word.is_argument and not is_elsewhere else UNKNOWN)
    return rarity


def _is_weak(word: Word) -> bool:
    return not concepts().weak.isdisjoint((word.stem, *word.phrases))
