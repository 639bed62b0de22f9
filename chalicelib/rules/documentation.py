"""Which pages of documentation are worth reading for a goal, and how much of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from chalicelib.model import Page
from chalicelib.rules.search.spelling import fold, words_of
from chalicelib.rules.search.stems import stem_of

PAGES_MAX: Final = 6
PAGE_CHARACTERS_MAX: Final = 24_000
ALL_CHARACTERS_MAX: Final = 60_000
_URL: Final = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_SLIGHT: Final = frozenset(
    {"a", "all", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its", "my", "of", "on"}
    | {"or", "that", "the", "to", "which", "with"}
)
_USUAL: Final = frozenset(
    map(stem_of, ("api", "reference", "endpoint", "rest", "pagination", "authentication", "errors"))
)


def find_urls(text: str) -> list[str]:
    """The addresses in a text, in order, each once, without the punctuation behind them."""
    return list(dict.fromkeys(found.rstrip(".,;:!?)]}") for found in _URL.findall(text)))


def rank_links(page: Page, goal: str, known: Iterable[str]) -> list[str]:
    """The page's links that share most words with the goal, best first; those that share none are left out."""
    wanted, seen = _stems(goal), set(known)
    scored = [(_score(_stems(f"{words} {_path(url)}"), wanted), url) for url, words in page.links if url not in seen]
    return [url for score, url in sorted(scored, key=lambda each: -each[0]) if score > 0]


def _score(words: set[str], wanted: set[str]) -> float:
    return len(words & wanted) + len(words & _USUAL) / 4


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2]


def _stems(text: str) -> set[str]:
    return {stem_of(word) for word in words_of(fold(text)) if word not in _SLIGHT}


def cut_pages(pages: Iterable[Page]) -> list[Page]:
    """The pages within what a prompt may hold, in order; each keeps its beginning."""
    kept: list[Page] = []
    left = ALL_CHARACTERS_MAX
    for page in pages:
        text = _cut(page.text, min(PAGE_CHARACTERS_MAX, left))
        left -= len(text)
        if text:
            kept.append(Page(page.url, text))
    return kept


def _cut(text: str, most: int) -> str:
    return text[: max(0, most)]
