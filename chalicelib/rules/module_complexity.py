"""What the type checker and the sandbox would choke on, found before they start.

Their cost grows with the square of a chain and doubles with every nested function. The limits leave the check of a
module far below a second, and are several times what hand-written tools reach.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from chalicelib.model import Problem
from chalicelib.rules.module_text import Place, Text

LEVELS_MAX: Final = 150
"""How deep one expression or pattern may be. Every link of a chain (`a + b`, `a.b`, `a()`) is a level."""
BRACKETS_MAX: Final = 30
"""Lists, sets, dictionaries and comprehensions within each other."""
TERMS_MAX: Final = 64
"""Terms of one condition, all of its `and`, `or` and `not` together."""
BLOCKS_MAX: Final = 20
FUNCTIONS_MAX: Final = 6
"""Functions within each other; the sandbox compiles the innermost one twice as often for each."""
BRANCHES_MAX: Final = 150
"""Branches of one function: if, elif, for, while, assert, except, and each alternative of a case."""

_RULE: Final = "too-complex"
_Part: TypeAlias = ast.expr | ast.pattern
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRACKETS: Final = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BLOCKS: Final = (
    *_FUNCTIONS, ast.ClassDef, ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try,
    ast.TryStar, ast.Match,
)  # fmt: skip
_BRANCHES: Final = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.Assert, ast.ExceptHandler, ast.match_case,
)  # fmt: skip
_MARKS: Final = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)


@dataclass(frozen=True, slots=True)
class _Way:
    """How a node is reached."""

    function: _Function | None = None
    functions: int = 0
    blocks: int = 0
    whole: _Part | None = None
    """The outermost expression or pattern."""
    levels: int = 0
    brackets: int = 0
    condition: ast.BoolOp | None = None
    """The outermost of `and` and `or` that nothing but `and`, `or` and `not` stands between."""


@dataclass(frozen=True, slots=True)
class _Counts:
    terms: Counter[ast.BoolOp] = field(default_factory=Counter)
    branches: Counter[_Function | None] = field(default_factory=Counter)

    def add(self, node: ast.AST, way: _Way) -> None:
        self.branches[way.function] += _branches_of(node)
        if way.condition is not None and not _joins_terms(node):
            self.terms[way.condition] += 1


def find_complexity(tree: ast.Module, text: Text) -> Iterator[Problem]:
    """Every expression, block, condition and function that passes a limit, once."""
    counts, told = _Counts(), set()
    for whole, problem in _find_deep(tree, text, counts):
        if whole not in told:
            told.add(whole)
            yield problem
    yield from _find_long(counts, text)


def _find_deep(tree: ast.Module, text: Text, counts: _Counts) -> Iterator[tuple[ast.AST, Problem]]:
    """What is too deep, with the whole that it is a part of. Nothing below it is looked at, all else is counted."""
    waiting: list[tuple[ast.AST, _Way]] = [(node, _Way()) for node in reversed(tree.body)]
    while waiting:
        node, above = waiting.pop()
        way = _at(node, above)
        problem = _too_deep(node, way, text)
        if problem is not None:
            yield way.whole or node, problem
            continue
        counts.add(node, way)
        children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, _MARKS)]
        waiting += [(child, _into(child, node, way)) for child in reversed(children)]


def _branches_of(node: ast.AST) -> int:
    if isinstance(node, ast.MatchOr):
        return len(node.patterns) - 1
    return isinstance(node, _BRANCHES)


def _at(node: ast.AST, way: _Way) -> _Way:
    """The way with `node` itself counted."""
    if isinstance(node, ast.expr | ast.pattern):
        brackets, condition = way.brackets + isinstance(node, _BRACKETS), _condition_at(node, way)
        return _Way(way.function, way.functions, way.blocks, way.whole or node, way.levels + 1, brackets, condition)
    if isinstance(node, _FUNCTIONS):
        return _Way(node, way.functions + 1, way.blocks + 1)
    return replace(way, blocks=way.blocks + 1) if isinstance(node, _BLOCKS) else way


def _condition_at(node: _Part, way: _Way) -> ast.BoolOp | None:
    return way.condition or (node if isinstance(node, ast.BoolOp) else None)


def _into(child: ast.AST, node: ast.AST, way: _Way) -> _Way:
    """The way to a child: an `elif` is no deeper than its `if`, and a term of a condition is not the condition."""
    if isinstance(node, ast.If) and isinstance(child, ast.If) and child.col_offset == node.col_offset:
        return replace(way, blocks=way.blocks - 1)
    return way if way.condition is None or _joins_terms(node) else replace(way, condition=None)


def _joins_terms(node: ast.AST) -> bool:
    return isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _too_deep(node: ast.AST, way: _Way, text: Text) -> Problem | None:
    if way.whole is not None and (way.levels > LEVELS_MAX or way.brackets > BRACKETS_MAX):
        what = f"{BRACKETS_MAX} brackets" if way.brackets > BRACKETS_MAX else f"{LEVELS_MAX} levels"
        message = f"This is nested or chained deeper than {what}."
        return text.place(way.whole).problem(_RULE, message, "Make it in steps, with a name for each.")
    if isinstance(node, _FUNCTIONS) and way.functions > FUNCTIONS_MAX:
        message = f"More than {FUNCTIONS_MAX} functions stand within each other here."
        return text.place(node).problem(_RULE, message, "Define functions beside each other.")
    if isinstance(node, ast.stmt) and way.blocks > BLOCKS_MAX:
        message = f"More than {BLOCKS_MAX} blocks stand within each other here."
        return text.place(node).problem(_RULE, message, "Move inner blocks into functions of their own.")
    return None


def _find_long(counts: _Counts, text: Text) -> Iterator[Problem]:
    for condition, count in counts.terms.items():
        if count > TERMS_MAX:
            message = f"This condition has {count} terms; the limit is {TERMS_MAX}."
            hint = "Use `in` with a set, any() or all() over a list, or several conditions."
            yield text.place(condition).problem(_RULE, message, hint)
    for function, count in counts.branches.items():
        if count > BRANCHES_MAX:
            message = f"This has {count} branches; the limit for one function is {BRANCHES_MAX}."
            place = Place(1, 1) if function is None else text.place(function)
            yield place.problem(_RULE, message, "Look values up in a dictionary, or make several functions of it.")
