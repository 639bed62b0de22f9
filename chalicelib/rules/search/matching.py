"""Which tools one word of a query may mean, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

from chalicelib.rules.search.concepts import Key, concepts
from chalicelib.rules.search.query import Word
from chalicelib.rules.search.vocabulary import PRIOR_TOOLS, Place, Uses, Vocabulary
from chalicelib.rules.search.wording import JOINED, corrected, is_small_word_mistyped, keys_of

WEAK: Final = 0.45
WEAK_MOST: Final = 1.2
UNKNOWN: Final = 1.25
ARGUMENT: Final = 0.3
DETAIL: Final = 0.6
SLIGHT_LENGTH: Final = 3
SHORT_LENGTH: Final = 4
"""Up to this length a slip for a weak word is read as weak."""
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
    is_action: bool
    """It is what one does with things."""
    is_slight: bool
    """Nothing is known of it, and it is too short to say what it was meant to be."""


def meaning_of(word: Word, vocabulary: Vocabulary, *, may_be_mistyped: bool) -> Meaning:
    keys = keys_of(word, vocabulary, concepts())
    is_unknown, is_weak = not keys, _is_weak(word, vocabulary)
    if may_be_mistyped and is_unknown and not word.is_name:
        keys = corrected(word, vocabulary, concepts())
        is_weak = is_weak or (len(word.form) <= SHORT_LENGTH and _stands_for_weak(keys))
    strength, likeness = _found_by(keys, vocabulary)
    is_unknown = is_unknown and not likeness
    is_empty = is_unknown and is_small_word_mistyped(word.form)
    weight = 0.0 if is_empty else _weight(word, likeness, vocabulary, is_weak=is_weak)
    is_action = word.stem in concepts().actions
    return Meaning(weight, strength, likeness, keys, is_weak, is_action, is_unknown and _is_slight(word))


def _found_by(keys: dict[Key, float], vocabulary: Vocabulary) -> tuple[dict[Place, float], dict[Place, float]]:
    """The strength and the likeness of every tool that uses one of the keys."""
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
    return strength, likeness


def _uses(key: Key, vocabulary: Vocabulary) -> Uses:
    if key.startswith("="):
        return vocabulary.joined.get(key[1:], {})
    return vocabulary.uses.get(key, {})


def _weight(word: Word, likeness: dict[Place, float], vocabulary: Vocabulary, *, is_weak: bool) -> float:
    tools = len(vocabulary.texts) + PRIOR_TOOLS
    surely = sum(1 for sure in likeness.values() if sure >= JOINED)
    used_by = surely + OTHERS * (sum(likeness.values()) - surely)
    rarity = log(1 + (tools - used_by + 0.5) / (used_by + 0.5))
    if word.is_detail:
        rarity *= DETAIL
    if is_weak:
        return min(rarity * WEAK, WEAK_MOST)
    if not likeness:
        is_elsewhere = word.form in concepts().vendors
        return rarity * (ARGUMENT if word.is_argument and not is_elsewhere else UNKNOWN)
    return rarity


def _is_weak(word: Word, vocabulary: Vocabulary) -> bool:
    if word.short_for in concepts().weak and word.stem not in vocabulary.uses:
        return True
    return not concepts().weak.isdisjoint((word.stem, *word.phrases))


def _stands_for_weak(keys: dict[Key, float]) -> bool:
    """Was it meant to be a weak word? It is as weak then."""
    sure = max(keys.values(), default=0.0)
    return any(key in concepts().weak for key, likeness in keys.items() if likeness == sure)


def _is_slight(word: Word) -> bool:
    known = concepts()
    is_right = word.is_argument or word.form in known.ordinary or word.form in known.vendors
    return len(word.form) <= SLIGHT_LENGTH and not is_right
