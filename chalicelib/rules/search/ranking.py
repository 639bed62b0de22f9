"""Which tools fit a query, best first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from chalicelib.rules.search.matching import Meaning, meaning_of
from chalicelib.rules.search.query import Query
from chalicelib.rules.search.vocabulary import Place, Vocabulary

FITS: Final = 0.5
"""The share of a query's telling words, by weight, that a tool must cover to be an answer."""
FITS_TWICE: Final = 0.34
"""Enough when two words are met surely, or the most telling one is."""
DOUBTFUL: Final = 0.4
"""Enough for the best tool alone, when nothing else fits."""
DOUBTFUL_SENTENCE: Final = 0.34
"""And in a query of this many telling words, of which some will be beside the point:"""
SENTENCE_LENGTH: Final = 4
BEYOND_DOUBT: Final = 0.65
"""When one tool covers this much the query is about this toolbox"""
NEAR_BEST: Final = 0.5
"""and what covers this share of the best is shown too."""
SURE: Final = 0.7
"""From this likeness on a word counts as met."""
CORRECTED_MOST: Final = 12
"""Telling words, the first ones, that are read as perhaps mistyped."""
UNKNOWN_MOST: Final = 1.2
"""A long sentence may hold many words that no tool knows; this many of them count."""
SLIGHT: Final = 0.5
"""An unknown word of a few letters weighs at most this share of the most telling word that is met."""

EXACT_WIRE_NAME: Final = 100.0
EXACT_SHORT_NAME: Final = 50.0
EXACT_VENDOR: Final = 10.0
WHOLE_NAME: Final = 0.15
NEIGHBOURS: Final = 0.1
ALL_WORDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Tally:
    strength: dict[Place, float]
    cover: dict[Place, float]
    met: dict[Place, int]
    """Tool → how many words it surely meets; the most telling word counts twice."""
    weight: float
    words: int


def rank(query: Query, vocabulary: Vocabulary) -> list[Place]:
    """Every tool that contains all of the query's words, and those that fit its meaning."""
    held = vocabulary.holding_all(query.all_words or tuple(query.folded.split()))
    meanings = [
        meaning_of(word, vocabulary, may_be_mistyped=place < CORRECTED_MOST) for place, word in enumerate(query.words)
    ]
    tally = _add_up(meanings)
    exact = _exact(query, vocabulary)
    places = {*held, *_fitting(tally), *exact}
    scores = _scores(places, query, tally, meanings, vocabulary)
    for place in held:
        scores[place] += ALL_WORDS
    for place, bonus in exact.items():
        scores[place] += bonus
    return sorted(places, key=lambda place: (-round(scores[place], 9), place))


def _add_up(meanings: Sequence[Meaning]) -> Tally:
    strength: defaultdict[Place, float] = defaultdict(float)
    cover: defaultdict[Place, float] = defaultdict(float)
    met: defaultdict[Place, int] = defaultdict(int)
    heaviest = max((meaning.weight for meaning in meanings), default=0.0)
    for meaning in meanings:
        counts = 0 if meaning.is_weak else 2 if meaning.weight == heaviest else 1
        for place, strong in meaning.strength.items():
            likeness = meaning.likeness[place]
            strength[place] += meaning.weight * strong
            cover[place] += meaning.weight * likeness
            if likeness >= SURE:
                met[place] += counts
    return Tally(strength, cover, met, _whole_weight(meanings) or 1.0, len(meanings))


def _whole_weight(meanings: Sequence[Meaning]) -> float:
    known = sum(meaning.weight for meaning in meanings if meaning.likeness)
    most = SLIGHT * _carrying_weight(meanings)
    unknown = [
        min(meaning.weight, most) if meaning.is_slight and most else meaning.weight
        for meaning in meanings
        if not meaning.likeness
    ]
    return known + min(sum(unknown), UNKNOWN_MOST * max(unknown, default=0.0))


def _carrying_weight(meanings: Sequence[Meaning]) -> float:
    """The weight of the most telling word that some tool surely meets; 0.0 when there is none.

    A verb or a weak word that opens the query does not count: what follows is what may be missing.
    """
    things = [m for place, m in enumerate(meanings) if place or not (m.is_weak or m.is_action)]
    return max((m.weight for m in things if max(m.likeness.values(), default=0.0) >= SURE), default=0.0)


def _fitting(tally: Tally) -> list[Place]:
    """The tools that cover enough, and those near a best one that is beyond doubt; or else the best one in doubt."""
    cover, best = tally.cover, max(tally.cover.values(), default=0.0)
    near = NEAR_BEST * best if best >= BEYOND_DOUBT * tally.weight else tally.weight
    once, twice = min(near, FITS * tally.weight), min(near, FITS_TWICE * tally.weight)
    fitting = [p for p, share in cover.items() if share >= twice and (share >= once or tally.met.get(p, 0) >= 2)]
    if fitting:
        least = max(cover[place] for place in fitting)
        return fitting + [place for place, share in cover.items() if share > least]
    doubtful = DOUBTFUL if tally.words < SENTENCE_LENGTH else DOUBTFUL_SENTENCE
    if best >= doubtful * tally.weight:
        return [max(cover, key=lambda place: (cover[place], tally.strength[place], -place))]
    return []


def _exact(query: Query, vocabulary: Vocabulary) -> dict[Place, float]:
    found: dict[Place, float] = {}
    if query.squeezed:
        for names, bonus in (
            (vocabulary.vendors, EXACT_VENDOR),
            (vocabulary.short_names, EXACT_SHORT_NAME),
            (vocabulary.wire_names, EXACT_WIRE_NAME),
        ):
            found.update(dict.fromkeys(names.get(query.squeezed, ()), bonus))
    return found


def _scores(
    places: Iterable[Place], query: Query, tally: Tally, meanings: Sequence[Meaning], vocabulary: Vocabulary
) -> dict[Place, float]:
    asked: dict[str, float] = {}
    for meaning in meanings:
        for key, sure in meaning.keys.items():
            asked[key] = max(asked.get(key, 0.0), sure)
    scores = dict.fromkeys(places, 0.0)
    for place in scores.keys() & tally.cover.keys():
        cover, strength = tally.cover[place] / tally.weight, tally.strength[place] / tally.weight
        named = _share_asked(vocabulary.name_stems[place], asked, vocabulary)
        scores[place] = strength * (0.6 + 0.4 * cover) + WHOLE_NAME * named
    for pair in query.pairs:
        for place in vocabulary.joined.get(pair, ()):
            if place in scores:
                scores[place] += NEIGHBOURS / max(len(query.pairs), 2)
    return scores


def _share_asked(name: Sequence[str], asked: Mapping[str, float], vocabulary: Vocabulary) -> float:
    """How much of a name the query asks for: a telling word that it does not ask for counts against the tool."""
    whole = sum(vocabulary.rarity[stem] for stem in name)
    return sum(vocabulary.rarity[stem] * asked.get(stem, 0.0) for stem in name) / whole if whole else 0.0
