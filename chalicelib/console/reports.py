"""A dry run's report, as an ask shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import Refusal
from chalicelib.model import Json

from .unseen import Piece, pieces


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
    error: tuple[Piece, ...]
    """What ended it; empty: it came to its end."""
    result: tuple[Piece, ...]
    """What it would answer, with a stand-in for whatever was stopped; empty: nothing."""


def read_report(told: Json) -> Report:
    assert isinstance(told, dict)
    error: Any = told.get("error")
    return Report(
        passed=bool(told["passed"]),
        reads=tuple(_read(read) for read in _list(told, "reads")),
        previews=tuple(_preview(preview) for preview in _list(told, "previews")),
        error=pieces(str(error["message"])) if error else (),
        result=pieces(_text(told["result"])) if told.get("result") is not None else (),
    )


def refused(refusal: Refusal) -> Report:
    """It was not even begun."""
    return Report(False, (), (), pieces(refusal.message), ())


def _read(read: Any) -> Read:
    return Read(str(read["method"]), pieces(str(read["path"])), int(read["status"]))


def _preview(preview: Any) -> Preview:
    body = preview.get("body")
    shown = pieces(_text(body)) if body is not None else ()
    return Preview(str(preview["method"]), str(preview["host"]), pieces(str(preview["path"])), shown)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _list(told: Any, name: str) -> list[Any]:
    return list(told.get(name) or [])
