"""Which tool names are the most like one that is not there."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from typing import Final

from chalicelib.rules.search.spelling import fold, words_of
from chalicelib.rules.search.typos import distance

NAME_LENGTH_MOST: Final = 64
"""Characters of an unknown name that are compared; no wire name is as long."""
LIKELY: Final = 256
"""Names that share the most pairs of letters; only they are looked at closely,"""
SHORTLIST: Final = 16
"""and only so many of them letter by letter."""


def nearest(name: str, wire_names: Iterable[str], count: int = 3) -> list[str]:
    """The `count` names most like `name`, a wire name or a short one, the most alike first; equals by name.

    Fewer only when there are fewer names.
    """
    parts = words_of(fold(name[:NAME_LENGTH_MOST]))
    asked = "".join(parts)
    pairs = sorted({asked[place : place + 2] for place in range(len(asked) - 1)})
    likely = _sharing_most(pairs, sorted(set(wire_names)), max(LIKELY, count))
    roughly = [(_rough_likeness(parts, pairs, wire_name), wire_name) for wire_name in likely]
    shortlist = nlargest(max(SHORTLIST, count), roughly, key=lambda entry: entry[0])
    shortlist.sort(key=lambda entry: (-entry[0] - _agreement(asked, entry[1]), entry[1]))
    return [wire_name for _, wire_name in shortlist[:count]]


def _sharing_most(pairs: list[str], wire_names: list[str], count: int) -> list[str]:
    if len(wire_names) <= count:
        return wire_names
    squeezed = "\n".join(wire_names).replace("-", "").replace("_", "").split("\n")
    shared = [len([pair for pair in pairs if pair in whole]) for whole in squeezed]
    most = sorted(range(len(wire_names)), key=shared.__getitem__, reverse=True)[:count]
    return [wire_names[place] for place in sorted(most)]


def _rough_likeness(parts: list[str], pairs: list[str], wire_name: str) -> float:
    """Shared pairs of letters, with the whole name or with the short one, and shared parts: 0 to 2."""
    whole = wire_name.replace("-", "").replace("_", "")
    shared = [pair for pair in pairs if pair in whole]
    alone = wire_name[wire_name.rfind("__") + 1 :].replace("-", "").replace("_", "")
    likeness = max(_share(shared, whole, pairs), _share([pair for pair in shared if pair in alone], alone, pairs))
    return likeness + len([part for part in parts if part in wire_name]) / max(len(parts), 1)


def _share(shared: list[str], squeezed: str, pairs: list[str]) -> float:
    return 2 * len(shared) / (len(pairs) + max(len(squeezed) - 1, 1))


def _agreement(asked: str, wire_name: str) -> float:
    """How few errors part the name asked for from the whole name or the short one: 0 to 1."""
    _, _, short = wire_name.rpartition("__")
    return max(_few_errors(asked, "".join(words_of(form))) for form in {wire_name, short})


def _few_errors(one: str, other: str) -> float:
    length = max(len(one), len(other), 1)
    return 1 - distance(one, other, length) / length
