"""What a query asks for: its telling words, each with the reading that its neighbours give it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from chalicelib.rules.search.concepts import Key, concepts
from chalicelib.rules.search.lexicon.small_words import (
    DETAIL_WORDS,
    DETERMINERS,
    FUNCTION_WORDS,
    PARTICLES,
    PLACING_WORDS,
    WISHING_WORDS,
)
from chalicelib.rules.search.spelling import fold, humps_of, squeeze, words_of
from chalicelib.rules.search.stems import stem_of

LENGTH_MOST: Final = 2_000
"""Characters of a query that are read: what contains a text contains its beginning too."""
WORDS_MOST: Final = 24
"""Telling words of a query that are weighed for rank."""

PARTED_MOST: Final = 4
"""Words between a verb and its particle."""

_TYPED: Final = re.compile(r"[^\W_]+")
_NUMBERED: Final = re.compile(r"#\d+|[A-Z]{2,}-\d+")


@dataclass(frozen=True, slots=True)
class Word:
    """One telling word of a query."""

    form: str
    stem: str
    phrases: tuple[Key, ...]
    """The known phrases it is part of."""
    joined: tuple[str, ...]
    """It and a neighbour written as one word."""
    is_argument: bool
    """It names somebody or somewhere rather than a purpose, if nothing is known of it."""
    is_name: bool
    """The query itself marks it as a name."""
    short_for: Key | None
    """The stem of the word that it shortens."""
    is_detail: bool
    """It tells more about the object, not what is to be done."""


@dataclass(frozen=True, slots=True)
class Query:
    folded: str
    squeezed: str
    """Letters and digits alone."""
    all_words: tuple[str, ...]
    """Every distinct word, function words included."""
    words: tuple[Word, ...]
    pairs: tuple[str, ...]
    """Stems of neighbouring words written as one."""


def parse(text: str) -> Query:
    """Read a query. Any text is one; a query of marks alone has no words."""
    text = text[:LENGTH_MOST]
    folded = fold(text)
    forms = _forms_of(text)
    stems = [stem_of(form) for form in forms]
    return Query(
        folded=folded,
        squeezed=squeeze(folded),
        all_words=tuple(dict.fromkeys(words_of(folded))),
        words=_telling_words(forms, stems, _proper_names(text)),
        pairs=tuple(dict.fromkeys(stem_of(a + b) for a, b in pairwise(forms))),
    )


def _forms_of(text: str) -> list[str]:
    """The words of a text; a camelCase one as its parts, a brand's (`GitHub`) whole."""
    forms: list[str] = []
    for typed in _TYPED.findall(text):
        for part in humps_of(typed) if typed[0].islower() else [typed]:
            forms += words_of(fold(part))
    return forms


def _proper_names(text: str) -> frozenset[str]:
    """Words that the text itself marks as names: capitals inside a sentence, addresses, numbered things."""
    named = [word for part in text.split() if _is_address(part) for word in words_of(fold(part))]
    typed = _TYPED.findall(text)
    if sum(word[0].islower() for word in typed) * 2 > len(typed):
        named += [fold(word) for word in typed[1:] if word[0].isupper() and not word.isupper()]
    return frozenset(named)


def _is_address(part: str) -> bool:
    return "@" in part or "://" in part or _NUMBERED.match(part) is not None


def _telling_words(forms: Sequence[str], stems: Sequence[str], names: frozenset[str]) -> tuple[Word, ...]:
    phrases = _phrases_by_place(forms, stems)
    words: dict[str, Word] = {}
    is_argument = is_detail = False
    for place, form in enumerate(forms):
        is_argument = _starts_argument(forms, place) or (is_argument and form not in FUNCTION_WORDS)
        is_detail = is_detail or (bool(words) and _starts_detail(forms, place))
        short_for = _short_for(forms, stems, place)
        says_nothing = form in FUNCTION_WORDS and (words or not short_for)
        if says_nothing or len(form) == 1 or stems[place] in words:
            continue
        words[stems[place]] = Word(
            form,
            stems[place],
            tuple(phrases.get(place, ())),
            _joined_with_neighbours(forms, place),
            is_argument or is_detail or form in names or form.isdigit(),
            form in names,
            short_for,
            is_detail,
        )
    return tuple(words.values())[:WORDS_MOST]


def _short_for(forms: Sequence[str], stems: Sequence[str], place: int) -> Key | None:
    """What the word shortens; one that is a word itself (`ad`, `del`) does so only where a verb opens the query."""
    short_for = concepts().shortened.get(forms[place])
    is_word = forms[place] in FUNCTION_WORDS or stems[place] in concepts().akin
    opens = place + 1 < len(forms) and all(form in FUNCTION_WORDS for form in forms[:place])
    return short_for if opens or not is_word else None


def _phrases_by_place(forms: Sequence[str], stems: Sequence[str]) -> dict[int, list[Key]]:
    """The known phrases that each word is part of; those of a verb and its particle may have a few words between."""
    phrases: dict[int, list[Key]] = {}
    for start, end, key in concepts().phrases_in(stems):
        for place in range(start, end):
            phrases.setdefault(place, []).append(key)
    for place, stem in enumerate(stems):
        for phrase in concepts().phrases.get(stem, ()):
            if len(phrase) == 2 and _is_parted(phrase[1], forms, place):
                phrases.setdefault(place, []).append(" ".join(phrase))
    return phrases


def _is_parted(particle: str, forms: Sequence[str], verb: int) -> bool:
    """Does the particle of this verb close its clause a few words on?"""
    after = range(verb + 2, min(verb + 2 + PARTED_MOST, len(forms)))
    at = next((place for place in after if forms[place] == particle), None) if particle in PARTICLES else None
    return at is not None and all(form in FUNCTION_WORDS - DETERMINERS for form in forms[at + 1 : at + 2])


def _starts_detail(forms: Sequence[str], place: int) -> bool:
    if forms[place] == "that":
        return forms[place - 1] not in FUNCTION_WORDS
    return forms[place] in DETAIL_WORDS


def _starts_argument(forms: Sequence[str], place: int) -> bool:
    before = place - 1
    while before >= 0 and forms[before] in DETERMINERS:
        before -= 1
    if before < 0 or forms[before] not in PLACING_WORDS:
        return False
    return forms[before] != "to" or (before > 0 and forms[before - 1] not in WISHING_WORDS)


def _joined_with_neighbours(forms: Sequence[str], place: int) -> tuple[str, ...]:
    around = forms[max(place - 1, 0) : place + 2]
    return tuple(stem_of(one + other) for one, other in pairwise(around))
