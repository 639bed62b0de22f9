"""HTML as the text that a reader sees, and its links."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

CHARACTERS_MAX: Final = 1_000_000
"""Of the source; what comes after is left out."""
LINK_WORDS_MAX: Final = 120
_SILENT: Final = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "form"})
_BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figure", "footer", "hr"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "header", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr"}
    | {"ul"}
)
_SPACES: Final = re.compile(r"\s+")
_EMPTY_LINES: Final = re.compile(r"[ \t]*\n(?:[ \t]*\n)*")


def read_html(html: str) -> tuple[str, list[tuple[str, str]]]:
    """(text, links as (href, words)). Whatever is hidden by markup (scripts, comments, forms) is left out."""
    reader = _Reader()
    reader.feed(html[:CHARACTERS_MAX])
    reader.close()
    return reader.text(), reader.links


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[str, str]] = []
        self._pieces: list[str] = []
        self._silent: list[str] = []
        self._in_pre = 0
        self._href: str | None = None
        self._words: list[str] = []

    def text(self) -> str:
        return _EMPTY_LINES.sub("\n", "".join(self._pieces)).strip()

    def _add(self, data: str) -> None:
        """Spaces and line ends count once, but in what is laid out already."""
        if not self._in_pre:
            data = _SPACES.sub(" ", data)
            at_start = not self._pieces or self._pieces[-1].endswith((" ", "\n"))
            data = data.lstrip(" ") if at_start else data
        if data:
            self._pieces.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        if tag in _BLOCKS:
            self._pieces.append("\n")
        if tag in ("td", "th"):
            self._pieces.append("| ")
        if tag == "pre":
            self._in_pre += 1
        if tag == "a":
            self._href, self._words = dict(attrs).get("href"), []

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        if tag in _BLOCKS:
            self._pieces.append("\n")
        if tag == "pre":
            self._in_pre = max(0, self._in_pre - 1)
        if tag == "a" and self._href:
            words = " ".join("".join(self._words).split())[:LINK_WORDS_MAX]
            self.links.append((self._href, words))
            self._href = None

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self._add(data)
        if self._href is not None:
            self._words.append(data)
