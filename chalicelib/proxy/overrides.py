"""The method a request asks the vendor's framework to pretend: a field such as `_method` in query or body, as Rails,
Symfony, Laravel and Express read it, or a header whose whole value is a method.

Headers that name a method in their name never get this far: `headers.py` takes them out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, unquote

from chalicelib.model import READING_METHODS, WRITING_METHODS
from chalicelib.proxy.call import Call

_METHODS: Final = READING_METHODS | WRITING_METHODS
_FIELDS: Final = frozenset({"_method", "__method"})
_FIELDS_IN_LETTERS: Final = frozenset(
    {"httpmethod", "xhttpmethod", "methodoverride", "xmethodoverride", "httpmethodoverride", "xhttpmethodoverride"}
)
"""Headers of that kind that some servers read from the query or a form too, in whatever punctuation."""
_PHP_UNDERSCORES = re.compile(r"[. \[]")
"""PHP reads `.method` as `_method`."""
_NO_LETTER = re.compile(r"[^a-z]")
_BLANK_LINE = re.compile(r"\r?\n[ \t]*\r?\n")
_PART_NAME = re.compile(r"""name\*?=["']?([^"';\r\n]*)""", re.IGNORECASE)
_WORD = re.compile(r"\s*([A-Za-z]*)")


def pretended_methods(call: Call) -> frozenset[str]:
    """The HTTP methods (upper case) that the call asks the vendor to take instead of its own; mostly none."""
    _, _, query = call.target.partition("?")
    in_headers = (value for _, value in call.headers)
    values = [*in_headers, *_from_pairs(_pairs(query)), *_from_body(call)]
    return frozenset(value.strip().upper() for value in values) & _METHODS


def _from_body(call: Call) -> Iterable[str]:
    content_type = " ".join(value.lower() for name, value in call.headers if name.lower() == "content-type")
    if not call.body:
        return
    text = call.body.decode()
    if "form-urlencoded" in content_type:
        yield from _from_pairs(_pairs(text))
    if "multipart/" in content_type:
        yield from _from_parts(text)
    if "json" in content_type and ("method" in text.lower() or "\\u" in text):
        yield from _from_json(text)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Some servers still part pairs at `;` too. Millions of pairs are not taken apart for nothing."""
    if "method" not in unquote(text).lower():
        return
    yield from parse_qsl(text, keep_blank_values=True)
    if ";" in text:
        yield from parse_qsl(text, keep_blank_values=True, separator=";")


def _from_parts(text: str) -> Iterator[str]:
    """The word after each head that names such a field, wherever the boundaries are."""
    if "method" not in text.lower():
        return
    head, *rest = _BLANK_LINE.split(text)
    for body in rest:
        if any(_is_override(name) for name in _PART_NAME.findall(head)):
            yield _WORD.match(body)[1]  # type: ignore[index]  # it matches anything
        head = body


def _from_json(text: str) -> Iterator[str]:
    """Every such key at the top level, repeated keys included."""
    if not text.lstrip().startswith("{"):
        return
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return
    yield from _from_pairs((name, value) for name, value in pairs if isinstance(value, str))


def _from_pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (value for name, value in pairs if _is_override(name))


def _is_override(name: str) -> bool:
    plain = _PHP_UNDERSCORES.sub("_", name.strip()).lower()
    return plain in _FIELDS or _NO_LETTER.sub("", plain) in _FIELDS_IN_LETTERS
