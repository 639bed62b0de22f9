"""What one word of a query may stand for: itself, its other forms, its likes, what it was perhaps meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from chalicelib.rules.search.concepts import FOREIGN, Concepts, Key, concepts
from chalicelib.rules.search.lexicon.small_words import FUNCTION_WORDS, PARTICLES
from chalicelib.rules.search.query import Word
from chalicelib.rules.search.vocabulary import Vocabulary

JOINED: Final = 0.95
LONGER_FORM: Final = 0.7
SHORTER_FORM: Final = 0.75
INSIDE: Final = 0.55
SHORT_BEGINNING: Final = 0.5
"""Three letters say little about a word that is more than twice as long."""
PARTED: Final = 0.6
"""A verb that has a particle means something else than alone."""
LONG_ENOUGH: Final = 6
"""A shorter unknown word that names somebody or somewhere is that name, not a slip."""
SHORTENED: Final = 0.9
ONE_ERROR: Final = 0.85
TWO_ERRORS: Final = 0.7

_ENDINGS: Final = ("er", "or", "al", "ity", "able", "ful", "ive", "ment", "ship", "s")
_PREFIXES: Final = ("sub", "re", "un", "auto", "multi", "pre", "web", "micro", "co")


def keys_of(word: Word, vocabulary: Vocabulary, known: Concepts) -> dict[Key, float]:
    """Every stem, phrase and joined pair that the word may stand for, with its likeness."""
    keys: dict[Key, float] = {}
    for phrase in word.phrases:
        _merge(keys, _with_akin(phrase, 1.0, known))
    for pair in word.joined:
        if pair in vocabulary.uses or pair in known.akin:
            _merge(keys, _with_akin(pair, JOINED, known))
    literal = _literal_keys(word, vocabulary)
    if any(phrase.rpartition(" ")[2] in PARTICLES for phrase in word.phrases):
        literal = {key: sure * PARTED for key, sure in literal.items()}
    _merge(keys, literal)
    if not word.phrases:
        _merge(keys, _with_akin(word.stem, 1.0, known))
    if word.short_for and word.stem not in vocabulary.uses:
        _merge(keys, _with_akin(word.short_for, SHORTENED, known))
    if word.stem in known.akin:
        return keys
    english = _english_of(word.form, known)
    if english:
        _merge(keys, _with_akin(english, FOREIGN, known))
    if not literal and keys.keys() <= {word.stem}:
        return _without_prefix(word, vocabulary, known)
    return keys


def _english_of(form: str, known: Concepts) -> Key | None:
    """The English of a foreign word, whose plural may not be in the lexicon."""
    singulars = (form, form.removesuffix("s"), form.removesuffix("es"), form.removesuffix("n"), form.removesuffix("en"))
    return next((known.english[singular] for singular in singulars if singular in known.english), None)


def _merge(keys: dict[Key, float], more: dict[Key, float]) -> None:
    for key, sure in more.items():
        if sure > keys.get(key, 0.0):
            keys[key] = sure


def _with_akin(key: Key, sure: float, known: Concepts) -> dict[Key, float]:
    return {other: sure * likeness for other, likeness in known.akin.get(key, {}).items()} | {key: sure}


def _literal_keys(word: Word, vocabulary: Vocabulary) -> dict[Key, float]:
    """What is written like the word: itself, longer and shorter forms, words that contain it, joined pairs."""
    form, stem = word.form, word.stem
    is_known = stem in vocabulary.uses
    keys: dict[Key, float] = {stem: 1.0} if is_known else {}
    damp = 0.6 if is_known else 1.0
    if len(form) >= 3:
        least = SHORT_BEGINNING if len(form) == 3 else 0.0
        longer = (other for other in vocabulary.beginning_with(form) if len(form) >= least * len(other))
        _merge(keys, _alike(form, longer, LONGER_FORM * damp, vocabulary))
    if is_known:
        if len(form) >= 5:
            _merge(keys, _alike(form, vocabulary.containing(form), INSIDE, vocabulary))
        return keys
    if stem in vocabulary.joined:
        keys["=" + stem] = JOINED
    _merge(keys, _shorter(stem, vocabulary))
    if len(form) >= 4 and not keys:
        _merge(keys, _alike(form, vocabulary.containing(form), INSIDE, vocabulary))
    return keys


def _alike(form: str, others: Iterable[str], most: float, vocabulary: Vocabulary) -> dict[Key, float]:
    found: dict[Key, float] = {}
    for other in others:
        stem, sure = vocabulary.stem_of(other), most * (0.6 + 0.4 * len(form) / len(other))
        found[stem] = max(found.get(stem, 0.0), sure)
    return found


def _shorter(stem: str, vocabulary: Vocabulary) -> dict[Key, float]:
    for ending in _ENDINGS:
        short = stem.removesuffix(ending)
        for base in (short, short[:-1] if short[-2:-1] == short[-1:] else short):
            if short != stem and len(base) >= 4 and (base in vocabulary.uses or base in concepts().akin):
                return _with_akin(base, SHORTER_FORM, concepts())
    return {}


def _without_prefix(word: Word, vocabulary: Vocabulary, known: Concepts) -> dict[Key, float]:
    """What `subdomain` and `resend` are made of."""
    for prefix in _PREFIXES:
        base = word.stem.removeprefix(prefix)
        if base != word.stem and len(base) >= 4 and (base in vocabulary.uses or base in known.akin):
            return _with_akin(base, SHORTER_FORM, known)
    return {}


def corrected(word: Word, vocabulary: Vocabulary, known: Concepts) -> dict[Key, float]:
    """The word as it was perhaps meant."""
    if word.form in known.ordinary or (word.is_argument and len(word.form) < LONG_ENOUGH):
        return {}
    errors, forms = vocabulary.spellings.nearest(word.form)
    if not forms and word.stem != word.form:
        errors, forms = vocabulary.spellings.nearest(word.stem)
    sure = ONE_ERROR if errors == 1 else TWO_ERRORS
    keys: dict[Key, float] = {}
    for form in (form for form in forms if form not in FUNCTION_WORDS):
        _merge(keys, _with_akin(vocabulary.stem_of(form), sure, known))
    return keys


def is_small_word_mistyped(form: str) -> bool:
    """Is it a word like `the` with two neighbouring letters swapped?"""
    swaps = (form[:at] + form[at + 1] + form[at] + form[at + 2 :] for at in range(len(form) - 1))
    return len(form) >= 3 and any(swapped in FUNCTION_WORDS for swapped in swaps)
