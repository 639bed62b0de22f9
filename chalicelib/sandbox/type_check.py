"""Monty's own checker over an author's module, then a first execution of its top level.

Only the parameters of `run` get types, written into its `def` line, so lines stay exact and columns are mapped back.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from chalicelib.model import Problem
from chalicelib.sandbox import check_failures
from chalicelib.sandbox.check_failures import MESSAGE_MAX
from chalicelib.sandbox.encode import whole_text
from chalicelib.sandbox.limits import MEMORY_BYTES, TOP_LEVEL_SECONDS, TYPE_CHECK_SECONDS
from chalicelib.sandbox.stubs import HTTP_TYPE, INPUT_TYPE, STUBS

if TYPE_CHECKING:
    from pydantic_monty import Monty

PROBLEMS_MAX: Final = 50

_HINTS: Final = {
    "unresolved-import": "Import only modules that the sandbox has, and only names that are really in them.",
    "unresolved-reference": "Define the name first or correct its spelling; the sandbox lacks some builtins of Python.",
    "unresolved-attribute": "Correct the spelling. `http` has get, head, post, put, patch and delete; a response has "
    "status, headers, text(), json(), ok and raise_for_status().",
    "missing-argument": "Give the argument that is missing.",
    "unknown-argument": "Take the argument out or correct its name; http takes params, json, data, headers and host.",
    "too-many-positional-arguments": "Name the arguments after the first: http.get(path, params=...).",
    "positional-only-parameter-as-kwarg": "Give this argument by position.",
    "parameter-already-assigned": "Give each argument once.",
    "invalid-argument-type": "Pass a value of the type that the call expects.",
    "no-matching-overload": "Pass arguments that one of the forms of this call accepts.",
    "call-non-callable": "Call a function, not a value.",
    "invalid-syntax": "Correct the syntax.",
}
"""The rules that refuse, each with its hint. Every other one advises."""
_OF_HEADERS: Final = re.compile(r"`Headers`|`dict\.__init__`|`MutableMapping\.update`")
_HEADERS_HINT: Final = "Where the value is a response's headers: dict(r.headers.items()) makes a dict of them."
_NO_FAULT: Final = "Object of type `Headers` has no attribute `keys`"
"""It has, hidden by the stubs."""
_ADVICE: Final = "This does not stop a publish; look whether it can go wrong."
_ONLY_WHEN_NONE: Final = re.compile(r"on `None` in union|found `[^`]*\| None`")
"""A value that may be None: right as often as it is there, so it advises."""

_RUN: Final = re.compile(
    r"^def[ \t]+run\s*\(\s*input\b(?P<input>(?!\s*:))?[^,()]*,\s*http\b(?P<http>(?!\s*:))?", re.MULTILINE
)
_NEW_LINE: Final = re.compile(r"\r\n|\r|\n")
_NEVER_RUN: Final = "_graft_checked_only\n"
"""An undefined name above the module: its finding keeps the checker from executing what follows. Takes one line."""


@dataclass(frozen=True, slots=True)
class _Insertion:
    at: int
    line: int
    """1-based."""
    column: int
    """1-based, in characters, where the text went in."""
    text: str


def type_check(pool: Monty, source: str) -> tuple[Problem, ...]:
    """The findings by line and column, at most 50. Never raises for what `source` holds."""
    text = whole_text(source)
    findings = _typed(pool, text)
    if not any(finding.blocking for finding in findings):
        findings = (*_executed(pool, text), *findings)
    return findings[:PROBLEMS_MAX]


def _typed(pool: Monty, text: str) -> tuple[Problem, ...]:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError, MontyTypingError

    insertions = _annotations(text)
    try:
        _feed(pool, _NEVER_RUN + _with(text, insertions), typed=True)
    except MontyTypingError as error:
        findings = (json.loads(line) for line in error.display().split("\n") if line)
        found = (_problem(finding, insertions) for finding in findings if finding["message"] != _NO_FAULT)
        return tuple(sorted((p for p in found if p.line > 0), key=lambda p: (p.line, p.column)))
    except MontySyntaxError as error:
        problem = check_failures.unreadable(error, text, "invalid-syntax", _HINTS["invalid-syntax"])
        return (_to_the_author(problem, insertions),)
    except (MontyCrashedError, MontyRuntimeError):
        return (check_failures.too_complex(text, "The type checker"),)
    raise AssertionError("the checker passed a name that does not exist")


def _executed(pool: Monty, text: str) -> tuple[Problem, ...]:
    """What Monty cannot run at all, and what the top level raises when it runs for up to 0.5 s."""
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError

    try:
        _feed(pool, text, typed=False)
    except MontySyntaxError as error:
        return (check_failures.unreadable(error, text, "unsupported", check_failures.UNSUPPORTED_HINT),)
    except MontyRuntimeError as error:
        return (check_failures.top_level(error),)
    except MontyCrashedError:
        return (check_failures.too_complex(text, "Loading the module"),)
    return ()


def _feed(pool: Monty, code: str, *, typed: bool) -> None:
    """Raises what Monty raises. A worker that crashes early may have been dead before, so that is tried once more."""
    from pydantic_monty import MontyCrashedError

    seconds = TYPE_CHECK_SECONDS if typed else TOP_LEVEL_SECONDS
    started = time.monotonic()
    try:
        _feed_once(pool, code, typed, seconds)
    except MontyCrashedError as error:
        left = seconds - (time.monotonic() - started)
        if error.timed_out or left < seconds / 2:
            raise
        _feed_once(pool, code, typed, left)


def _feed_once(pool: Monty, code: str, typed: bool, seconds: float) -> None:
    with pool.checkout(
        limits={"max_memory": MEMORY_BYTES, "max_feed_duration_secs": seconds},
        os_policy={"sleep": "zero"},
        type_check=typed,
        type_check_stubs=STUBS if typed else None,
        type_check_format="jsonlines",
    ) as session:
        session.feed_run(code, print_callback=_ignore)


def _ignore(_stream: Literal["stdout", "stderr"], _text: str) -> None:
    """What a module prints goes nowhere."""


def _annotations(text: str) -> tuple[_Insertion, ...]:
    """Where the types of `input` and `http` go: at every line that could be the one, which spoils no other."""
    insertions = []
    for match in _RUN.finditer(text):
        for name, kind in (("input", INPUT_TYPE), ("http", HTTP_TYPE)):
            if match[name] is not None:
                insertions.append(_insertion(text, match.start(name), f": {kind}"))
    return tuple(insertions)


def _insertion(text: str, at: int, what: str) -> _Insertion:
    breaks = list(_NEW_LINE.finditer(text, 0, at))
    return _Insertion(at, len(breaks) + 1, at - (breaks[-1].end() if breaks else 0) + 1, what)


def _with(text: str, insertions: tuple[_Insertion, ...]) -> str:
    for insertion in reversed(insertions):
        text = text[: insertion.at] + insertion.text + text[insertion.at :]
    return text


def _problem(finding: dict[str, Any], insertions: tuple[_Insertion, ...]) -> Problem:
    rule, message = str(finding["name"]), str(finding["message"])[:MESSAGE_MAX]
    line, column = int(finding["location"]["row"]), int(finding["location"]["column"])
    blocking = rule in _HINTS and not _ONLY_WHEN_NONE.search(message)
    hint = _hint(rule, message) if blocking else _ADVICE
    return _to_the_author(Problem(line, column, rule, message, hint, blocking), insertions)


def _hint(rule: str, message: str) -> str:
    return f"{_HINTS[rule]} {_HEADERS_HINT}" if _OF_HEADERS.search(message) else _HINTS[rule]


def _to_the_author(problem: Problem, insertions: tuple[_Insertion, ...]) -> Problem:
    """The problem at its place in the author's text: below no line of ours, before no text of ours."""
    line = max(problem.line - 1, 0)
    return replace(problem, line=line, column=_author_column(line, problem.column, insertions))


def _author_column(line: int, column: int, insertions: tuple[_Insertion, ...]) -> int:
    for insertion in insertions:
        if insertion.line == line and column > insertion.column:
            column = max(insertion.column, column - len(insertion.text))
    return column
