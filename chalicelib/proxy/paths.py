"""The request target: a path as a module wrote it, with its params, made safe for the request line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NoReturn
from urllib.parse import quote, unquote

from chalicelib.errors import Reason, Refusal

TARGET_MAX: Final = 16 * 1024
"""Characters, after encoding."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LEADS_ELSEWHERE = re.compile(r"//|[A-Za-z][A-Za-z0-9+.-]*:|[^/?]*@")
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SEGMENT = re.compile(r"(?:^|(?<=[/\\]))[^/\\;]*")
"""A segment as a lax server reads it: encoded separators separate, and what follows a `;` is no part of it."""
_PATH_SAFE: Final = "/:@!$&'()*+,;=~%"
_QUERY_SAFE: Final = _PATH_SAFE + "?"


def build_target(path: str, params: Iterable[tuple[str, str]] = ()) -> str:
    """Path and query, percent-encoded, starting with one `/`.

    Percent-encoded bytes (`%0d%0a` too) are data and stay as they are. Refuses `host_not_allowed` what could name
    another host, `tool_failed` what a request line cannot carry and dot segments, raw or encoded.
    """
    _require_relative(path)
    if _CONTROL.search(path):
        _fail("A path cannot hold control characters; percent-encode them.")
    if "#" in path:
        _fail("A path carries no fragment; write %23 for a literal #.")
    plain, _, query = path.partition("?")
    plain = plain if plain.startswith("/") else f"/{plain}"
    if any(segment in {".", ".."} for segment in _SEGMENT.findall(unquote(plain))):
        _fail("A path cannot hold the segments '.' or '..'; write the path it should lead to.")
    pairs = [f"{_encode(name, '')}={_encode(value, '')}" for name, value in params]
    queries = [_encode(_keep_percent(query), _QUERY_SAFE)] if query else []
    return _bounded("?".join(filter(None, (_encode(_keep_percent(plain), _PATH_SAFE), "&".join(queries + pairs)))))


def _require_relative(path: str) -> None:
    if "\\" in path or _LEADS_ELSEWHERE.match(path):
        raise Refusal(
            Reason.HOST_NOT_ALLOWED,
            f"{path[:80]!a} is not a path on the connection's host. Start it with a single '/', "
            "and name another declared host with host=.",
        )


def _keep_percent(text: str) -> str:
    return _BARE_PERCENT.sub("%25", text)


def _encode(text: str, safe: str) -> str:
    try:
        return quote(text, safe=safe)
    except UnicodeEncodeError:
        _fail("The path or its params hold half of a surrogate pair, which cannot be encoded.")


def _bounded(target: str) -> str:
    if len(target) > TARGET_MAX:
        _fail(f"The path with its params has {len(target)} characters; at most {TARGET_MAX} can be sent.")
    return target


def _fail(message: str) -> NoReturn:
    raise Refusal(Reason.TOOL_FAILED, message)
