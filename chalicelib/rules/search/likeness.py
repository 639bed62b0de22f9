"""Which tool names are the most like one that is not there."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from typing import Final

from chalicelib.rules.search.spelling import fold, words_of
from chalicelib.rules.search.typos import distance

NAME_LENGTH_MOST: Final = 64
"""Characters of an unknown name that are compared; no wire name is as long."""
SHORTLIST: Final = 16


def nearest(name: str, wire_names: Iterable[str], count: int = 3) -> list[str]:
    """The `count` names most like `name`, a wire name or a short one, the most alike first; equals by name.

    Fewer only when there are fewer names.
    """
    parts = words_of(fold(name[:NAME_LENGTH_MOST]))
    asked = "".join(parts)
    pairs = sorted({asked[place : place + 2] for place in range(len(asked) - 1)})
    roughly = [(_rough_likeness(parts, pairs, wire_name), wire_name) for wire_name in sorted(set(wire_names))]
    shortlist = nlargest(max(SHORTLIST, count), roughly, key=lambda entry: entry[0])
    shortlist.sort(key=lambda entry: (-entry[0] - _agreement(asked, entry[1]), entry[1]))
    return [wire_name for _, wire_name in shortlist[:count]]


def _rough_likeness(parts: list[str], pairs: list[str], wire_name: str) -> float:
    """Shared pairs of letters, with the whole name or with the short one, and shared parts: 0 to 2."""
    vendor, _, short = wire_name.rpartition("__")
    alone = short.replace("-", "")
    whole = vendor.replace("-", "") + alone
    shared = sum(part in wire_name for part in parts) / len(parts) if parts else 0.0
    return max(_share(pairs, whole), _share(pairs, alone)) + shared


def _share(pairs: list[str], squeezed: str) -> float:
    if not pairs:
        return 0.0
    return 2 * sum(pair in squeezed for pair in pairs) / (len(pairs) + max(len(squeezed) - 1, 1))


def _agreement(asked: str, wire_name: str) -> float:
    """How few errors part the name asked for from the whole name or the short one: 0 to 1."""
    _, _, short = wire_name.rpartition("__")
    return max(_few_errors(asked, "".join(words_of(form))) for form in {wire_name, short})


def _few_errors(one: str, other: str) -> float:
    length = max(len(one), len(other), 1)
    return 1 - distance(one, other, length) / length
