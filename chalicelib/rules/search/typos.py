"""Which known words a mistyped one may have been."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

FAR_WORD_LENGTH: Final = 8
"""From this length on two errors are forgiven; from 4 letters on one is."""

SHORT_WORD_LENGTH: Final = 6
"""Up to this length one letter may be taken only for one that sounds like it or lies beside it."""

_KEYBOARD: Final = {
    letter: (row, column + row * 0.4)
    for row, keys in enumerate(("qwertyuiop", "asdfghjkl", "zxcvbnm"))
    for column, letter in enumerate(keys)
}
_NO_VOWELS: Final = str.maketrans("", "", "aeiou")
_DOUBLED: Final = re.compile(r"(.)\1+")
_SOUNDS_LIKE: Final = {letter: group[0] for group in ("ckqx", "sz", "fp", "vw", "gj", "iye") for letter in group}


def distance(one: str, other: str, most: int) -> int:
    """Damerau-Levenshtein distance (adjacent letters may swap); `most + 1` when it is over `most`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    one, other = _unlike_middles(one, other)
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)


def _unlike_middles(one: str, other: str) -> tuple[str, str]:
    """Both words without the beginning and the end that they share."""
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    one, other = one[start:], other[start:]
    shorter -= start
    end = next((at for at in range(shorter) if one[-1 - at] != other[-1 - at]), shorter)
    return one[: len(one) - end], other[: len(other) - end]


def _letters(word: str) -> int:
    mask = 0
    for letter in word:
        mask |= 1 << (ord(letter) & 31)
    return mask


def _sound(letter: str) -> str:
    return _SOUNDS_LIKE.get(letter, letter)


def _is_shortened(word: str, other: str) -> bool:
    """Is `word` what is left of `other` when letters are dropped?"""
    letters = iter(other)
    return all(letter in letters for letter in word)


def _skeleton(word: str) -> str:
    """The first letter and the consonants after it, doubled ones once."""
    bare = word[:1] + word[1:].translate(_NO_VOWELS)
    return _DOUBLED.sub(r"\1", bare)


def _is_likely_exchange(word: str, other: str) -> bool:
    """Of two words of one length: are they apart by swapped letters, by vowels, or by a slip of a finger?"""
    if sorted(word) == sorted(other):
        return True
    return all(a == b or _is_mistakable(a, b) for a, b in zip(word, other, strict=True))


def _is_mistakable(one: str, other: str) -> bool:
    if _sound(one) == _sound(other) or (one in "aeiouy" and other in "aeiouy"):
        return True
    here, there = _KEYBOARD.get(one), _KEYBOARD.get(other)
    return bool(here and there and abs(here[0] - there[0]) <= 1 and abs(here[1] - there[1]) <= 1.1)


class Spellings:
    """Known words, arranged so that a look-up reads only those that begin alike."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(word for word in known if len(word) >= 3)
        self._alike: dict[str, list[tuple[int, int, str]]] = {}
        self._tails: dict[str, list[str]] = {}
        self._skeletons: dict[str, list[str]] = {}
        for word in sorted(self._known):
            self._alike.setdefault(_sound(word[0]), []).append((len(word), _letters(word), word))
            self._tails.setdefault(word[1:], []).append(word)
            self._skeletons.setdefault(_skeleton(word), []).append(word)

    def nearest(self, word: str) -> tuple[int, tuple[str, ...]]:
        """The known words with the fewest errors to `word`, and that number of errors (0: there are none near)."""
        if len(word) < 3 or len(word) > 40 or word.isdigit():
            return 0, ()
        one_off = sorted({*self._within(word, 1), *self._other_beginning(word), *self._without_vowels(word)})
        if one_off:
            return 1, tuple(one_off)
        if len(word) >= FAR_WORD_LENGTH:
            return 2, tuple(self._within(word, 2))
        return 2, tuple(self._two_letters_longer(word)) if len(word) >= 5 else ()

    def _without_vowels(self, word: str) -> list[str]:
        """Known words of which this one is what is left without vowels: `lst`, `updt`, `clndr`."""
        is_bare = word[1:] == word[1:].translate(_NO_VOWELS)
        return self._skeletons.get(_skeleton(word), []) if is_bare else []

    def _two_letters_longer(self, word: str) -> list[str]:
        """Known words of which a short word is what is left when two letters are dropped."""
        alike = self._alike.get(_sound(word[0]), ())
        return [other for length, _, other in alike if length == len(word) + 2 and _is_shortened(word, other)]

    def _within(self, word: str, most: int) -> list[str]:
        length, mask, found = len(word), _letters(word), []
        for other_length, other_mask, other in self._alike.get(_sound(word[0]), ()):
            close = abs(length - other_length) <= most and (mask ^ other_mask).bit_count() <= 2 * most
            if close and self._is_slip(word, other) and distance(word, other, most) <= most:
                found.append(other)
        return found

    def _other_beginning(self, word: str) -> list[str]:
        """Known words that differ by one error at the first letter."""
        swapped = word[1] + word[0] + word[2:]
        likely = [word[1:], swapped, *self._tails.get(word, ())]
        if len(word) >= 5:
            likely += self._tails.get(word[1:], ())
        return [other for other in likely if other in self._known and self._is_slip(word, other)]

    @staticmethod
    def _is_slip(word: str, other: str) -> bool:
        """In a short word another letter makes another word: there only a missing, extra or swapped letter counts."""
        length = max(len(word), len(other))
        if len(word) == 3 and length == 4 and word[0] == other[0] and word[-1] == other[-1]:
            return _is_shortened(word, other) and _skeleton(word) == _skeleton(other)
        if len(word) <= 3 or length <= 3:
            return sorted(word) == sorted(other)
        if length == 4:
            return len(word) != len(other) or sorted(word) == sorted(other)
        return length > SHORT_WORD_LENGTH or len(word) != len(other) or _is_likely_exchange(word, other)
