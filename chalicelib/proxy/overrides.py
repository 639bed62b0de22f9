"""The method a request asks the vendor's framework to pretend: `_method` in query or body, as Rails, Symfony,
Laravel and Express read it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl

from chalicelib.model import READING_METHODS, WRITING_METHODS
from chalicelib.proxy.call import Call

_FIELD: Final = "_method"
_METHODS: Final = READING_METHODS | WRITING_METHODS
_PHP_UNDERSCORES = re.compile(r"[. \[]")
"""PHP reads `.method` as `_method`."""
_PART = re.compile(r"""name=["']?_method["']?[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n\s*([A-Za-z]+)""")


def pretended_methods(call: Call) -> frozenset[str]:
    """The HTTP methods (upper case) that the call asks the vendor to take instead of its own; mostly none."""
    _, _, query = call.target.partition("?")
    values = [*_from_pairs(parse_qsl(query, keep_blank_values=True)), *_from_body(call)]
    return frozenset(value.strip().upper() for value in values) & _METHODS


def _from_body(call: Call) -> Iterable[str]:
    content_type = next((value.lower() for name, value in call.headers if name.lower() == "content-type"), "")
    if not call.body:
        return ()
    text = call.body.decode()
    if "form-urlencoded" in content_type:
        return _from_pairs(parse_qsl(text, keep_blank_values=True))
    if "multipart/" in content_type:
        return _PART.findall(text)
    if "json" in content_type and (_FIELD in text or "\\u" in text):
        return _from_json(text)
    return ()


def _from_json(text: str) -> Iterator[str]:
    """Every top-level `_method`, repeated keys included."""
    if not text.lstrip().startswith("{"):
        return
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return
    yield from _from_pairs((name, value) for name, value in pairs if isinstance(value, str))


def _from_pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (value for name, value in pairs if _PHP_UNDERSCORES.sub("_", name.lstrip()) == _FIELD)
