"""Which HTTP methods a module's text names. The annotations of a tool follow from this alone.

It errs towards more: an attribute of that name counts whatever it is read from, so a dictionary's `.get` counts as
GET. What it misses (`getattr(http, "po" + "st")`, a string run by `exec`) is not declared, and the proxy refuses what
is not declared: a hidden write fails in the run, it does not happen.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Final

from chalicelib.model import READING_METHODS, WRITING_METHODS

_METHODS: Final = {method.lower(): method for method in READING_METHODS | WRITING_METHODS}


def methods_in(tree: ast.Module) -> frozenset[str]:
    """The methods that `tree` names, upper case."""
    return frozenset(_METHODS[name] for node in ast.walk(tree) for name in _names_in(node) if name in _METHODS)


def lines_that_call(source: str, methods: Collection[str]) -> frozenset[int]:
    """Numbers, from 1, of the lines that name one of these methods (upper case). Source that does not parse: none."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    wanted = {name for name, method in _METHODS.items() if method in methods}
    return frozenset(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and wanted.intersection(_names_in(node))
        for line in [node.end_lineno or node.lineno]
    )


def _names_in(node: ast.AST) -> Iterator[str]:
    """Attributes, the attributes that a pattern reads, and strings handed to getattr and its like."""
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.MatchClass):
        yield from node.kwd_attrs
    elif isinstance(node, ast.Call):
        for argument in node.args:
            if _takes_a_name(node.func) and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def _takes_a_name(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in ("getattr", "setattr", "hasattr")
