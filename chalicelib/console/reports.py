"""A dry run's report, as an ask shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.errors import Refusal
from chalicelib.model import Json

from .paging import cut_and_told
from .unseen import Piece, pieces

CALLS_SHOWN: Final = 8
"""Stopped ones, and as many reads."""
PATH_BYTES: Final = 200
ERROR_BYTES: Final = 500
RESULT_BYTES: Final = 1_500
BODIES_BYTES: Final = 4_000
"""What each may weigh in a page, the bodies together: it is a report, not what is allowed."""


@dataclass(frozen=True, slots=True)
class Read:
    method: str
    path: tuple[Piece, ...]
    status: int


@dataclass(frozen=True, slots=True)
class Preview:
    """A call that stopped at the proxy."""

    method: str
    host: str
    path: tuple[Piece, ...]
    body: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Report:
    passed: bool
    reads: tuple[Read, ...]
    previews: tuple[Preview, ...]
    more_reads: int
    more_previews: int
    """How many calls there were beside those."""
    error: tuple[Piece, ...]
    """What ended it; empty: it came to its end."""
    result: tuple[Piece, ...]
    """What it would answer, with a stand-in for whatever was stopped; empty: nothing."""


def read_report(told: Json) -> Report:
    assert isinstance(told, dict)
    error: Any = told.get("error")
    reads, previews = _list(told, "reads"), _list(told, "previews")
    return Report(
        passed=bool(told["passed"]),
        reads=tuple(map(_read, reads[:CALLS_SHOWN])),
        previews=tuple(
            _preview(one, BODIES_BYTES // min(len(previews), CALLS_SHOWN)) for one in previews[:CALLS_SHOWN]
        ),
        more_reads=max(0, len(reads) - CALLS_SHOWN),
        more_previews=max(0, len(previews) - CALLS_SHOWN),
        error=_shown(str(error["message"]), ERROR_BYTES) if error else (),
        result=_shown(_text(told["result"]), RESULT_BYTES) if told.get("result") is not None else (),
    )


def refused(refusal: Refusal) -> Report:
    """It was not even begun."""
    return Report(False, (), (), 0, 0, pieces(refusal.message), ())


def _read(read: Any) -> Read:
    return Read(str(read["method"]), _shown(str(read["path"]), PATH_BYTES), int(read["status"]))


def _preview(preview: Any, room: int) -> Preview:
    body = preview.get("body")
    shown = _shown(_text(body), room) if body is not None else ()
    return Preview(str(preview["method"]), str(preview["host"]), _shown(str(preview["path"]), PATH_BYTES), shown)


def _shown(text: str, most: int) -> tuple[Piece, ...]:
    return cut_and_told(pieces(text), most)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _list(told: Any, name: str) -> list[Any]:
    return list(told.get(name) or [])
