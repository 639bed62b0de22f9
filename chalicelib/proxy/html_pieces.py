"""HTML as a row of tags and texts, in one pass, however broken it is.

The library's parser reads some pages of a megabyte for hours. Here every construct that is not closed reaches to the
end of the page, as in a browser, so nothing is looked at twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final, NamedTuple, TypeAlias


class Tag(NamedTuple):
    name: str
    """In lower case."""
    is_end: bool
    rest: str
    """The attributes as they were written."""


Piece: TypeAlias = "Tag | str"

_PIECE: Final = re.compile(
    r"""
    (?P<text> (?: [^<]+ | <(?![A-Za-z/!?]) )++ )
    | <!-- .*? (?: --!?> | \Z )
    | < (?P<end> /? ) (?P<name> [A-Za-z] [^\s/>]* )
        (?P<rest> (?: [^>=]+ | =\s*"[^"]*(?:"|\Z) | =\s*'[^']*(?:'|\Z) | = )*+ ) (?: > | \Z )
    | < [!?/] [^>]* (?: > | \Z )
    """,
    re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE: Final = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s>]+)))?""")
_RAW: Final = {
    name: re.compile(rf"</{name}(?=[\s/>]|\Z)", re.IGNORECASE)
    for name in ("script", "style", "iframe", "textarea", "title")
}
"""Elements whose content is no markup, and no text of the page either."""


def pieces(html: str) -> Iterator[Piece]:
    """Comments, declarations and the content of raw elements are left out; a text may come in pieces."""
    at = 0
    while found := _PIECE.match(html, at):
        at = found.end()
        if found["text"]:
            yield unescaped(found["text"])
        elif found["name"]:
            tag = Tag(found["name"].lower(), bool(found["end"]), found["rest"])
            yield tag
            at = _end_of_raw(html, at, tag)


def _end_of_raw(html: str, at: int, tag: Tag) -> int:
    closing = _RAW.get(tag.name)
    if closing is None or tag.is_end:
        return at
    end = closing.search(html, at)
    return end.start() if end else len(html)


def find_attribute(tag: Tag, name: str) -> str | None:
    """The value of the first of this name; None: the tag has none."""
    for found in _ATTRIBUTE.finditer(tag.rest):
        if found[1].lower() == name:
            return unescaped(found[2] or found[3] or found[4] or "")
    return None


def unescaped(text: str) -> str:
    """With character references replaced; a text with a number that is too long for one stays as it is."""
    try:
        return unescape(text)
    except ValueError:
        return text
