"""Text at the wall: a run's input on its way in, its result on its way out.

Only text crosses, so no object of a module ever reaches the host's encoder. What comes back is still a stranger's
text: it is parsed here and every value looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any, Final, NoReturn

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Json, JsonObject
from chalicelib.sandbox.limits import RESULT_BYTES, RESULT_DEPTH, RESULT_INTEGERS

_LONGEST_INTEGER: Final = 20
"""Characters of the longest integer that can be in range; longer ones are never converted."""
_ROOM_FOR_THE_NOTE: Final = 1024
_LONGEST_PATH: Final = 80
_BEYOND: Final = "an integer beyond 64 bits; return it as text"


class _Absurd:
    """Stands for a number that JSON readers would not agree on."""

    def __init__(self, literal: str) -> None:
        self.literal = literal


class _Twice:
    """Stands for an object that has a key twice, of which a reader keeps one."""

    def __init__(self, key: str) -> None:
        self.key = key


def repeated_key(pairs: list[tuple[str, Any]]) -> str | None:
    """The first key of a JSON object that it had before."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Twice:
    made = dict(pairs)
    if len(made) < len(pairs) and (key := repeated_key(pairs)) is not None:
        return _Twice(key)
    return made


def input_text(value: JsonObject) -> str:
    """The input of a run as JSON text. Raises Refusal(input_invalid) for what JSON cannot carry."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal(Reason.INPUT_INVALID, f"The input is not plain JSON: {error}") from error
    return whole_text(text)


def whole_text(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD: the sandbox speaks UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def result_of(text: str) -> Json:
    """The result that `text` spells, or a marked head of it when it is over 256 KiB.

    Raises Refusal(tool_failed), naming the path, for what is not plain JSON.
    """
    if len(text) > RESULT_BYTES or _utf8_size(text) > RESULT_BYTES:
        return _head_of(text)
    try:
        value = json.loads(text, parse_int=_integer, parse_constant=_Absurd, object_pairs_hook=_object)
    except RecursionError:
        _refuse(f"result is nested deeper than {RESULT_DEPTH} levels")
    except ValueError:
        _refuse("the result is not JSON")
    _look_at_all(value)
    return value  # type: ignore[no-any-return]  # every value in it was just looked at


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _integer(literal: str) -> int | _Absurd:
    return int(literal) if len(literal) <= _LONGEST_INTEGER else _Absurd(literal)


def _look_at_all(value: Any) -> None:
    """Without recursion: the text may be as deep as it is long."""
    level: list[tuple[str, Any]] = [("result", value)]
    for _ in range(RESULT_DEPTH):
        if not level:
            return
        level = [child for path, one in level for child in _look_at(path, one)]
    for path, one in level:
        if isinstance(one, dict | list):
            _refuse(f"{_short(path)} is nested deeper than {RESULT_DEPTH} levels")
        _look_at(path, one)


def _look_at(path: str, value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, dict):
        return ((f"{path}[{key!r}]", one) for key, one in value.items())
    if isinstance(value, list):
        return ((f"{path}[{index}]", one) for index, one in enumerate(value))
    if isinstance(value, _Twice):
        _refuse(f"{_short(path)} has two entries with the key {value.key[:_LONGEST_PATH]!r}, written as text")
    if isinstance(value, _Absurd) and value.literal.lstrip("-").isdigit():
        _refuse(f"{_short(path)} is {_BEYOND}")
    if isinstance(value, _Absurd):
        _refuse(f"{_short(path)} is {value.literal[:30]}, a number that JSON cannot carry")
    if type(value) is int and value not in RESULT_INTEGERS:
        _refuse(f"{_short(path)} is {_BEYOND}")
    if type(value) is float and not isfinite(value):
        _refuse(f"{_short(path)} is {value}, a number that JSON cannot carry")
    return ()


def _refuse(what: str) -> NoReturn:
    raise Refusal(Reason.TOOL_FAILED, f"The module's result cannot be sent: {what}.")


def _short(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else path[:_LONGEST_PATH] + "..."


def _head_of(text: str) -> JsonObject:
    """As much of `text` as fits beside the note, counted in the longer (ASCII-escaped) spelling."""
    room = RESULT_BYTES - _ROOM_FOR_THE_NOTE
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(json.dumps(text[:middle])) <= room else (low, middle - 1)
    note = (
        f"The result is {len(text):,} characters of JSON; the limit is {RESULT_BYTES // 1024} KiB. `head` is its "
        "beginning, cut off. Narrow the call: ask for fewer items, fewer fields or one page, and call again."
    )
    return {"truncated": True, "head": whole_text(text[:low]), "note": note}
