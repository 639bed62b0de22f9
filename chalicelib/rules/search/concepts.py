"""Which words of everyday English stand for one another, read from the lexicon once per process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from chalicelib.rules.search.lexicon import (
    abroad,
    actions,
    business,
    office,
    ordinary_words,
    shortened,
    technical,
    vendors,
    world,
)
from chalicelib.rules.search.lexicon.small_words import WEAK_WORDS
from chalicelib.rules.search.spelling import fold
from chalicelib.rules.search.stems import stem_of

Key: TypeAlias = str
"""A stem, or the stems of a phrase joined by spaces."""

SAME: Final = 0.8
CLOSE: Final = 0.5
VENDOR: Final = 0.35
FOREIGN: Final = 0.95


@dataclass(frozen=True, slots=True)
class Concepts:
    akin: dict[Key, dict[Key, float]]
    """Key → the keys it may stand for, each with its likeness in (0, 1)."""
    weak: frozenset[Key]
    """What almost any tool could be described with."""
    actions: frozenset[Key]
    """What one does with things."""
    phrases: dict[str, tuple[tuple[str, ...], ...]]
    """First stem → the phrases that begin with it, longest first."""
    vendors: frozenset[str]
    """Well-known vendors: to name one that a toolbox lacks is to ask for what is not there."""
    ordinary: frozenset[str]
    """Words that are spelt right, whatever they mean."""
    english: dict[str, Key]
    """Foreign word → stem of the English one."""
    shortened: dict[str, Key]
    """Shortened word → stem of the whole one."""

    def phrases_in(self, stems: Sequence[str]) -> Iterator[tuple[int, int, Key]]:
        """Every known phrase in a run of stems: its first place, the place after its last, its key."""
        for start, stem in enumerate(stems):
            for phrase in self.phrases.get(stem, ()):
                end = start + len(phrase)
                if tuple(stems[start:end]) == phrase:
                    yield start, end, " ".join(phrase)


def _key(entry: str) -> Key:
    return " ".join(stem_of(word) for word in entry.split("_"))


def _keys(entries: str) -> list[Key]:
    return [_key(entry) for entry in entries.split()]


def _rows(text: str) -> Iterator[str]:
    return (row for row in text.splitlines() if row)


def _relate(akin: dict[Key, dict[Key, float]], one: Key, other: Key, likeness: float) -> None:
    if one != other:
        known = akin.setdefault(one, {})
        known[other] = max(known.get(other, 0.0), likeness)


def _read_row(row: str, akin: dict[Key, dict[Key, float]]) -> list[Key]:
    mutual, _, led_to = row.partition(">")
    same_text, _, close_text = mutual.partition("|")
    same, close = _keys(same_text), _keys(close_text)
    for key in same:
        for other in _keys(led_to):
            _relate(akin, key, other, CLOSE)
        for other in same if not led_to else ():
            _relate(akin, key, other, SAME)
        for other in close:
            _relate(akin, key, other, CLOSE)
            _relate(akin, other, key, CLOSE)
    return same


def _write_as_one(akin: dict[Key, dict[Key, float]]) -> None:
    """A phrase written without its space (`signup`) is that phrase."""
    for phrase in [key for key in akin if " " in key]:
        joined = stem_of(phrase.replace(" ", ""))
        if joined not in akin:
            akin[joined] = {**akin[phrase], phrase: FOREIGN}


def _read_vendors(akin: dict[Key, dict[Key, float]]) -> frozenset[str]:
    known: set[str] = set()
    for row in _rows(vendors.ROWS):
        purpose, _, names = row.partition(":")
        for name in names.split():
            _relate(akin, _key(purpose), stem_of(name), VENDOR)
            known.add(name)
    return frozenset(known)


def _read_glossary(text: str) -> dict[str, Key]:
    """`word: others` rows, as other → stem of the word."""
    read: dict[str, Key] = {}
    for row in _rows(text):
        word, _, others = row.partition(":")
        for other in fold(others).split():
            read.setdefault(other, _key(word))
    return read


def _phrases_of(keys: Iterator[Key]) -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, set[tuple[str, ...]]] = {}
    for key in keys:
        stems = tuple(key.split(" "))
        if len(stems) > 1:
            found.setdefault(stems[0], set()).add(stems)
    return {first: tuple(sorted(phrases, key=lambda p: (-len(p), p))) for first, phrases in found.items()}


@cache
def concepts() -> Concepts:
    akin: dict[Key, dict[Key, float]] = {}
    weak: set[Key] = set()
    done: set[Key] = set()
    for text in (actions.ROWS, office.ROWS, business.ROWS, technical.ROWS, world.ROWS):
        for row in _rows(text):
            same = _read_row(row.removeprefix("~"), akin)
            if row.startswith("~"):
                weak.update(same)
            if text is actions.ROWS:
                done.update(same)
    phrases = _phrases_of(iter(akin))
    _write_as_one(akin)
    named = _read_vendors(akin)
    weak.update(map(stem_of, WEAK_WORDS))
    ordinary = frozenset(ordinary_words.ROWS.split())
    english, shorter = _read_glossary(abroad.ROWS), _read_glossary(shortened.ROWS)
    return Concepts(akin, frozenset(weak), frozenset(done), phrases, named, ordinary, english, shorter)
