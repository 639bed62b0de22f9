"""The words of the tools, and which tool uses which: what a search looks things up in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise
from math import log
from typing import Final, TypeAlias

from chalicelib.model import ToolHead
from chalicelib.rules.search.concepts import Key, concepts
from chalicelib.rules.search.spelling import fold, squeeze, words_of
from chalicelib.rules.search.stems import stem_of
from chalicelib.rules.search.typos import Spellings

Place: TypeAlias = int
"""A tool's place in the order of wire names."""
Uses: TypeAlias = dict[Place, float]
"""Tool → how prominently it uses a word, in (0, 1.2]."""

NAME_WEIGHT: Final = 1.0
VENDOR_WEIGHT: Final = 0.9
DESCRIPTION_WEIGHT: Final = 0.6
AGAIN_WEIGHT: Final = 0.1
"""For a word that stands in another field too."""
USUAL_DESCRIPTION_WORDS: Final = 12
PRIOR_TOOLS: Final = 60
"""Tools that every toolbox is taken to have besides its own: keeps small ones from finding each word common."""
EXPANSIONS_MOST: Final = 60
"""A beginning that more words share than this says nothing."""


class Vocabulary:
    def __init__(self, heads: Sequence[ToolHead]) -> None:
        """`heads` in the order of their wire names."""
        self.texts: list[str] = []
        self.uses: dict[Key, Uses] = {}
        self.joined: dict[str, Uses] = {}
        """Two neighbouring words of a name written as one → the tools."""
        self.wire_names: dict[str, list[Place]] = {}
        self.short_names: dict[str, list[Place]] = {}
        self.vendors: dict[str, list[Place]] = {}
        self.name_stems: list[tuple[str, ...]] = []
        self._stems: dict[str, str] = {}
        for place, head in enumerate(heads):
            self._add(place, head)
        tools = len(heads) + PRIOR_TOOLS
        self.rarity = {key: log(tools / len(uses)) for key, uses in self.uses.items()}
        self._forms = sorted(self._stems)
        self._all_forms = "\n" + "\n".join(self._forms) + "\n"

    @cached_property
    def spellings(self) -> Spellings:
        """Made when the first unknown word is asked for."""
        keys = (part for key in concepts().akin for part in key.split(" "))
        return Spellings({*self._forms, *self._stems.values(), *keys})

    def stem_of(self, form: str) -> str:
        return self._stems.get(form) or stem_of(form)

    def _add(self, place: Place, head: ToolHead) -> None:
        vendor, name, description = fold(head.vendor), fold(head.name), fold(head.description)
        self.texts.append(f"{vendor}__{name} {description}")
        self.wire_names.setdefault(squeeze(vendor + name), []).append(place)
        self.short_names.setdefault(squeeze(name), []).append(place)
        self.vendors.setdefault(squeeze(vendor), []).append(place)
        name_words, vendor_words, described = words_of(name), words_of(vendor), words_of(description)
        name_stems = self._learn(name_words)
        self.name_stems.append(tuple(dict.fromkeys(name_stems)))
        thinned = DESCRIPTION_WEIGHT / (0.85 + 0.15 * max(len(described), 4) / USUAL_DESCRIPTION_WORDS)
        self._count(place, name_stems, NAME_WEIGHT)
        self._count(place, self._learn(vendor_words), VENDOR_WEIGHT)
        self._count(place, self._learn(described), thinned)
        for one, other in pairwise([*vendor_words, *name_words]):
            self.joined.setdefault(stem_of(one + other), {})[place] = NAME_WEIGHT

    def _learn(self, words: Sequence[str]) -> list[str]:
        known, stems = self._stems, []
        for word in words:
            stem = known.get(word)
            if stem is None:
                stem = known[word] = stem_of(word)
            stems.append(stem)
        return stems

    def _count(self, place: Place, stems: Sequence[str], weight: float) -> None:
        keys = dict.fromkeys(stems)
        keys.update(dict.fromkeys(key for _, _, key in concepts().phrases_in(stems)))
        for key in keys:
            uses = self.uses.setdefault(key, {})
            seen = uses.get(place)
            uses[place] = weight if seen is None else max(seen, weight) + AGAIN_WEIGHT

    def beginning_with(self, start: str) -> Iterator[str]:
        """The words that begin with `start` and are longer, in alphabetical order; bounded."""
        first = bisect_left(self._forms, start)
        for form in islice(self._forms, first, first + EXPANSIONS_MOST):
            if not form.startswith(start):
                return
            if form != start:
                yield form

    def containing(self, part: str) -> Iterator[str]:
        """The words that contain `part` past their beginning, in alphabetical order; bounded."""
        at, found = self._all_forms.find(part), 0
        while at != -1 and found < EXPANSIONS_MOST:
            start, end = self._all_forms.rfind("\n", 0, at) + 1, self._all_forms.find("\n", at)
            if start != at:
                found += 1
                yield self._all_forms[start:end]
            at = self._all_forms.find(part, end)

    def holding_all(self, words: Sequence[str]) -> list[Place]:
        """The tools whose text contains every one of the words, as words or parts of words."""
        places: Sequence[Place] = range(len(self.texts))
        for word in sorted(words, key=len, reverse=True):
            places = [place for place in places if word in self.texts[place]]
        return list(places)
