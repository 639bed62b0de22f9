"""HTML as the text that a reader sees, and its links."""

from __future__ import annotations

import re
from typing import Final

from chalicelib.proxy.html_pieces import Tag, find_attribute, pieces

CHARACTERS_MAX: Final = 1_000_000
"""Of the source; what comes after is left out."""
LINKS_MAX: Final = 2_000
LINK_WORDS_MAX: Final = 120
_SILENT: Final = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "form"})
_BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "fieldset", "figure", "footer", "hr"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "header", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr"}
    | {"ul"}
)
_SPACES: Final = re.compile(r"\s+")


def read_html(html: str) -> tuple[str, list[tuple[str, str]]]:
    """(text, links as (href, words)). Whatever is hidden by markup (scripts, comments, forms) is left out."""
    reader = _Reader()
    for piece in pieces(html[:CHARACTERS_MAX]):
        if isinstance(piece, str):
            reader.say(piece)
        elif piece.is_end:
            reader.close(piece.name)
        else:
            reader.open(piece)
    return reader.text(), reader.links


class _Reader:
    def __init__(self) -> None:
        self.links: list[tuple[str, str]] = []
        self._pieces: list[str] = []
        self._silent = _Silence()
        self._in_pre = 0
        self._href: str | None = None
        self._words: list[str] = []

    def text(self) -> str:
        """Without spaces at the ends of lines, and without empty lines."""
        lines = (line.rstrip(" \t") for line in "".join(self._pieces).split("\n"))
        return "\n".join(line for line in lines if line).strip()

    def open(self, tag: Tag) -> None:
        self._silent.open(tag.name)
        if tag.name in _BLOCKS:
            self._pieces.append("\n")
        if tag.name in ("td", "th"):
            self._pieces.append("| ")
        if tag.name == "pre":
            self._in_pre += 1
        if tag.name == "a":
            self._href, self._words = find_attribute(tag, "href"), []

    def close(self, name: str) -> None:
        self._silent.close(name)
        if name in _BLOCKS:
            self._pieces.append("\n")
        if name == "pre":
            self._in_pre = max(0, self._in_pre - 1)
        if name == "a" and self._href and len(self.links) < LINKS_MAX:
            words = " ".join("".join(self._words).split())[:LINK_WORDS_MAX]
            self.links.append((self._href, words))
            self._href = None

    def say(self, data: str) -> None:
        if self._silent:
            return
        self._add(data)
        if self._href is not None:
            self._words.append(data)

    def _add(self, data: str) -> None:
        """Spaces and line ends count once, but in what is laid out already."""
        if not self._in_pre:
            data = _SPACES.sub(" ", data)
            at_start = not self._pieces or self._pieces[-1].endswith((" ", "\n"))
            data = data.lstrip(" ") if at_start else data
        if data:
            self._pieces.append(data)


class _Silence:
    """The elements that are open and hide what is in them. One that ends, ends all that began inside it."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._first: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._open)

    def open(self, name: str) -> None:
        if name == "body":
            self.close("head")
        if name in _SILENT:
            self._first.setdefault(name, len(self._open))
            self._open.append(name)

    def close(self, name: str) -> None:
        first = self._first.get(name)
        if first is not None:
            del self._open[first:]
            self._first = {each: at for each, at in self._first.items() if at < first}
