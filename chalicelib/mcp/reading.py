"""JSON from strangers: strict, bounded, and never an exception that nobody expects."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

BODY_BYTES_MAX: Final = 6 * 1024 * 1024
"""Lambda's payload limit; a larger body never arrives there, and locally it is refused the same way."""
DEPTH_MAX: Final = 128
EDGE_BYTES: Final = 4096

SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
ID: Final = rb'"id"\s*:\s*("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt])*"|-?\d{1,19})\s*'
ID_AT_HEAD: Final = re.compile(rb'\A\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*' + ID + rb"[,}]")
ID_AT_TAIL: Final = re.compile(ID + rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')
METHOD_AT_HEAD: Final = re.compile(rb'\A\s*\{[^{}\[\]]*?"method"\s*:\s*"([a-zA-Z/_]{1,64})"')


class Unreadable(Exception):
    """The body is no JSON that can be served. `message` says why, and quotes none of it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def read_json(body: bytes) -> Any:
    """The JSON value of a body. Raises Unreadable.

    Finite numbers only, Unicode text only, at most 6 MiB and 128 levels. A repeated key counts as its last value.
    """
    if len(body) > BODY_BYTES_MAX:
        raise Unreadable(f"The body is {len(body)} bytes; at most {BODY_BYTES_MAX} are read.")
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError:
        raise Unreadable("The body is not UTF-8.") from None
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    except ValueError as error:
        raise Unreadable(f"The body is not valid JSON: {_why(error)}.") from None
    if body.count(b"[") + body.count(b"{") > DEPTH_MAX and _is_deep(value):
        raise Unreadable(_TOO_DEEP)
    if SURROGATE_ESCAPE.search(body) and not _is_text(value):
        raise Unreadable("The body holds half of a surrogate pair, which is no Unicode text.")
    return value


def salvage(body: bytes) -> tuple[int | str | None, str]:
    """The id and the method of a message that could not be read, as far as its two ends show them.

    Whoever waits for that id then hears the error instead of waiting for its time-out.
    """
    found = ID_AT_HEAD.search(body[:EDGE_BYTES]) or ID_AT_TAIL.search(body[-EDGE_BYTES:])
    method = METHOD_AT_HEAD.search(body[:EDGE_BYTES])
    return _salvaged_id(found.group(1)) if found else None, method.group(1).decode() if method else ""


_TOO_DEEP: Final = f"The body is nested more than {DEPTH_MAX} levels deep."


def _salvaged_id(token: bytes) -> int | str | None:
    try:
        value = json.loads(token.decode("utf-8"))
    except ValueError:
        return None
    return value if isinstance(value, (int, str)) else None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number


def _why(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    return "a number is out of range" if "integer string" in str(error) else str(error)


def _is_deep(value: Any) -> bool:
    """Whether containers lie in each other more than `DEPTH_MAX` deep; level by level, since recursion could fail."""
    level = _containers([value])
    for _ in range(DEPTH_MAX):
        level = [inner for node in level for inner in _containers(node)]
    return bool(level)


def _containers(node: dict[str, Any] | list[Any]) -> list[dict[str, Any] | list[Any]]:
    children = node.values() if isinstance(node, dict) else node
    return [child for child in children if isinstance(child, (dict, list))]


def _is_text(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
