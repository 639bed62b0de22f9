"""A light English stemmer: one stem for the inflections of a word, never a whole word family."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_IRREGULAR: Final = {
    form: stem
    for stem, forms in {
        "send": "sent",
        "buy": "bought",
        "pay": "paid",
        "make": "made making",
        "find": "found",
        "get": "got gotten getting",
        "give": "gave given giving",
        "write": "wrote written",
        "run": "ran running",
        "meet": "met",
        "sell": "sold",
        "leave": "left",
        "keep": "kept",
        "hold": "held",
        "build": "built",
        "speak": "spoke spoken",
        "spend": "spent",
        "take": "took taken taking",
        "do": "did done doing",
        "go": "went gone going",
        "see": "saw seen seeing",
        "tell": "told",
        "bring": "brought",
        "put": "putting",
        "break": "broke broken",
        "choose": "chose chosen",
        "know": "knew known",
        "freeze": "froze frozen",
        "hide": "hid hidden",
        "lose": "lost losing",
        "person": "people persons",
        "child": "children",
        "man": "men",
        "woman": "women",
        "index": "indices indexes",
        "analysis": "analyses",
        "matrix": "matrices",
        "vertex": "vertices",
        "criterion": "criteria",
        "bus": "buses",
        "news": "news",
        "use": "used using uses",
        "embed": "embeds embedded embedding",
        "die": "dying dies died",
        "string": "strings",
        "need": "needs needed",
        "feed": "feeds feeding",
        "speed": "speeds",
        "seed": "seeds",
        "series": "series",
        "address": "addresses addressed addressing",
        "reconcile": "reconciliation reconciliations",
        "production": "productions",
        "statement": "statements",
        "department": "departments",
        "apartment": "apartments",
        "convert": "conversion conversions",
        "extend": "extension extensions",
        "submit": "submission submissions submitted submitting",
        "describe": "description descriptions",
        "decide": "decision decisions",
        "ad": "ads",
        "id": "ids",
        "ip": "ips",
        "vm": "vms",
        "pr": "prs",
        "dm": "dms",
        "pc": "pcs",
        "tv": "tvs",
        "pdf": "pdfs",
    }.items()
    for form in (stem, *forms.split())
}
_WHOLE: Final = {
    "states": "state",
    "state": "state",
    "planes": "plane",
    "plane": "plane",
    "care": "care",
    "cares": "care",
}
"""Without its e each of these would be another word."""
_VOWEL: Final = re.compile(r"[aeiouy]")
_BRITISH: Final = re.compile(r"is(e|ed|es|er|ing|ation|ations)$")
_ATE: Final = re.compile(r"[^eom]at$")
_ADVERB: Final = re.compile(r"[tkhdsel]ly$")
_DOUBLED: Final = re.compile(r"([bdgmnprt])\1$")
_LONG_DOUBLED: Final = re.compile(r"([lsfz])\1$")


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """The stem of a folded word. A word of other than ASCII letters, or under 3 letters, is its own stem."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    if word in _IRREGULAR:
        return _trimmed(_IRREGULAR[word])
    return _trimmed(_without_ending(_american(_singular(word))))


def _american(word: str) -> str:
    if len(word) >= 7:
        word = _BRITISH.sub(r"iz\1", word)
    if len(word) >= 6 and word.endswith("our"):
        return word[:-3] + "or"
    return word[:-2] if word.endswith("logue") else word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "xes", "zes", "ches", "shes", "uses")):
        return word[:-2]
    return word[:-1]


def _without_ending(word: str) -> str:
    for ending, least, replacement in (
        ("ification", 2, "ify"),
        ("ion", 5, ""),
        ("ied", 2, "y"),
        ("ing", 3, ""),
        ("ed", 3, ""),
    ):
        if word.endswith(ending) and not word.endswith("eed"):
            rest = word[: -len(ending)]
            return rest + replacement if len(rest) >= least and _VOWEL.search(rest) else word
    if word.endswith("ment") and (len(word) >= 8 or word == "payment"):
        return word[:-4]
    if _ADVERB.search(word) and len(word) >= 6:
        return word[:-2]
    return word


def _trimmed(stem: str) -> str:
    """One spelling for what endings leave behind: final e, -ate, final y, doubled consonants."""
    if len(stem) >= 4 and stem.endswith("e"):
        stem = stem[:-1]
    if len(stem) >= 6 and _ATE.search(stem):
        stem = stem[:-2]
    if len(stem) >= 4 and stem.endswith("y") and not _VOWEL.match(stem[-2]):
        stem = stem[:-1] + "i"
    if (len(stem) >= 4 and _DOUBLED.search(stem)) or (len(stem) >= 6 and _LONG_DOUBLED.search(stem)):
        stem = stem[:-1]
    return stem
