"""What a module's text shows before anything runs: its shape, its imports, its addresses, its methods.

Lines and columns are 1-based, columns in characters. Line 0 speaks of the module as a whole.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Final

from chalicelib.model import Problem
from chalicelib.rules.module_addresses import find_addresses
from chalicelib.rules.module_complexity import find_complexity
from chalicelib.rules.module_methods import methods_in
from chalicelib.rules.module_text import Place, Text
from chalicelib.rules.module_top_level import find_top_level_problems

SOURCE_BYTES_MAX: Final = 64 * 1024
PROBLEMS_MAX: Final = 50
MODULES: Final = frozenset({
    "asyncio", "base64", "binascii", "bisect", "collections", "copy", "csv", "dataclasses", "datetime",
    "decimal", "functools", "hashlib", "itertools", "json", "math", "os", "os.path", "pathlib",
    "posixpath", "random", "re", "sys", "time", "tomllib", "typing", "unicodedata",
})  # fmt: skip
"""Every module that Monty can import; a test tries each of them, and that its neighbours fail."""

_WARNING: Final = Lock()
"""Warning filters are the process's own, so they are changed by one thread at a time."""


@dataclass(frozen=True, slots=True)
class ModuleCheck:
    problems: tuple[Problem, ...]
    methods: frozenset[str]
    """Upper case; every method that the source names, whatever it is called on. Empty when it does not parse."""


def check_module(source: str, *, hosts: Collection[str]) -> ModuleCheck:
    """Check a module's text; `hosts` are the connection's declared ones, and none means that any may be.

    At most 50 problems, by line and column. Never raises for what `source` holds.
    """
    unreadable = _unreadable(source)
    if unreadable is not None:
        return ModuleCheck((unreadable,), frozenset())
    parsed = _parse(source)
    if isinstance(parsed, Problem):
        return ModuleCheck((parsed,), frozenset())
    text = Text(source)
    problems = [
        *find_top_level_problems(parsed, text),
        *_find_unknown_imports(parsed, text),
        *find_addresses(parsed, text, hosts=hosts),
        *find_complexity(parsed, text),
    ]
    problems.sort(key=lambda problem: (problem.line, problem.column))
    return ModuleCheck(tuple(problems[:PROBLEMS_MAX]), methods_in(parsed))


def _unreadable(source: str) -> Problem | None:
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        place = Text(source).place_of(error.start)
        return place.problem("text", "There is half a surrogate pair here, which no text may hold.", "Take it out.")
    if size > SOURCE_BYTES_MAX:
        message = f"The source is {size:,} bytes of UTF-8; the limit is {SOURCE_BYTES_MAX:,}."
        return Place(0, 0).problem("source-size", message, "Make two tools of it, or take data out of the source.")
    if (at := source.find("\0")) >= 0:
        return Text(source).place_of(at).problem("text", "There is a NUL character here.", "Take it out.")
    if source.startswith("\ufeff"):
        return Place(1, 1).problem("text", "The source begins with a byte order mark.", "Take it out.")
    return None


def _parse(source: str) -> ast.Module | Problem:
    try:
        with _WARNING, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        place = Place(error.lineno or 0, max(error.offset or 0, 1 if error.lineno else 0))
        return place.problem("syntax", f"Python cannot read this: {error.msg[:200]}.", "Correct the syntax.")
    except (RecursionError, MemoryError):
        message = "The source is nested too deeply to be read."
        return Text(source).bulk().problem("nesting", message, "Break long expressions and deep brackets into steps.")
    except ValueError as error:
        return Place(0, 0).problem("syntax", f"Python cannot read this: {error}.", "Correct the source.")


def _find_unknown_imports(tree: ast.Module, text: Text) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name not in MODULES:
                    yield _unknown_import(text.place(alias), alias.name)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            if name not in MODULES:
                yield _unknown_import(text.place(node), name)


def _unknown_import(place: Place, name: str) -> Problem:
    known = ", ".join(sorted(MODULES))
    return place.problem("unknown-import", f"The sandbox has no module {name[:100]}.", f"It has: {known}.")
