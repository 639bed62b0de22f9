"""A connection's own query parameter: a module's spellings of it are taken out, and the key is put in on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote_plus

_PIECES = re.compile(r"([&;])")
"""Some servers still part a query at `;` too."""
_AS_UNDERSCORE = re.compile(r"[. ]")
"""PHP reads `api.key` and `api key` as `api_key`."""
_CUT = re.compile(r"[\[\x00]")
_DECODINGS_MAX: Final = 4


def comparable(name: str) -> str:
    """A parameter's name as lax servers read it: `API%255Fkey`, ` api.key` and `api_key[]` are all `api_key`."""
    for _ in range(_DECODINGS_MAX):
        decoded = unquote_plus(name)
        if decoded == name:
            break
        name = decoded
    return _AS_UNDERSCORE.sub("_", _CUT.split(name.strip(), maxsplit=1)[0]).casefold()


def without(target: str, own: frozenset[str]) -> str:
    """The encoded target without the parameters of these names, in their comparable form, however they are spelled."""
    path, mark, query = target.partition("?")
    if not own or not mark:
        return target
    kept = [
        (separator, piece) for separator, piece in _separated(query) if comparable(piece.partition("=")[0]) not in own
    ]
    rest = "".join(f"{separator if place else ''}{piece}" for place, (separator, piece) in enumerate(kept))
    return f"{path}?{rest}" if rest else path


def _separated(query: str) -> Iterable[tuple[str, str]]:
    """(the separator before it, piece)."""
    parts = ["&", *_PIECES.split(query)]
    return zip(parts[::2], parts[1::2], strict=True)


def with_params(target: str, params: Iterable[tuple[str, str]]) -> str:
    """The encoded target with these parameters at its end."""
    added = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in params)
    if not added:
        return target
    return f"{target}{'&' if '?' in target else '?'}{added}"
