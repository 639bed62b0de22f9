"""What may stand at the top level of a module: its check executes it, so nothing there may do anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from chalicelib.model import Problem
from chalicelib.rules.module_text import Place, Text

_CONSTANT_CALLS: Final = frozenset(
    {
        "frozenset",
        "set",
        "dict",
        "list",
        "tuple",
        "compile",
        "Decimal",
        "timedelta",
        "timezone",
        "dataclass",
        "field",
        "namedtuple",
    }
)
"""Calls that only make a value: `re.compile`, `frozenset` and their like."""
_CONSTANT_NODES: Final = (
    ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Name, ast.Attribute, ast.UnaryOp, ast.BinOp, ast.BoolOp,
    ast.Compare, ast.IfExp, ast.JoinedStr, ast.FormattedValue, ast.Subscript, ast.Slice, ast.Starred, ast.Lambda,
)  # fmt: skip
_HINT: Final = "Keep only imports, definitions and constants at the top level; move the rest into run."
_RUN: Final = "def run(input, http):"


def find_top_level_problems(tree: ast.Module, text: Text) -> Iterator[Problem]:
    """One run(input, http), and beside it only imports, definitions and constants."""
    yield from _find_run_problems(tree, text)
    yield from _find_effects(tree.body, text)


def _find_run_problems(tree: ast.Module, text: Text) -> Iterator[Problem]:
    bindings = [node for node in tree.body if "run" in _names_bound_by(node)]
    if not bindings:
        yield Place(0, 0).problem("run", "The module has no run(input, http).", f"Write `{_RUN}` at the top level.")
        return
    for extra in bindings[1:]:
        yield text.place(extra).problem("run", "run is defined more than once.", "Keep one of them.")
    yield from _find_signature_problems(bindings[0], text)


def _find_signature_problems(node: ast.stmt, text: Text) -> Iterator[Problem]:
    if isinstance(node, ast.AsyncFunctionDef):
        yield text.place(node).problem("run", "run is async.", f"Write `{_RUN}`; http does not need await.")
    elif not isinstance(node, ast.FunctionDef):
        yield text.place(node).problem("run", "run is not a function.", f"Write `{_RUN}`.")
    elif not _takes_input_and_http(node.args):
        message = "run must take exactly two parameters, input and http, without defaults."
        yield text.place(node).problem("run", message, f"Write `{_RUN}`.")


def _takes_input_and_http(arguments: ast.arguments) -> bool:
    others = (*arguments.posonlyargs, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg, *arguments.defaults)
    return [argument.arg for argument in arguments.args] == ["input", "http"] and not any(others)


def _names_bound_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def _find_effects(body: list[ast.stmt], text: Text) -> Iterator[Problem]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _find_effects(node.body, text)
        if not _only_defines(node):
            message = "This runs when the module is loaded."
            yield text.place(node).problem("top-level", message, _HINT)


def _only_defines(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [default for default in (*node.args.defaults, *node.args.kw_defaults) if default]
            return all(map(_is_constant, (*node.decorator_list, *defaults)))
        case ast.ClassDef():
            values = [keyword.value for keyword in node.keywords]
            return all(map(_is_constant, (*node.decorator_list, *node.bases, *values)))
        case ast.Assign():
            return all(map(_is_name, node.targets)) and _is_constant(node.value)
        case ast.AnnAssign():
            return _is_name(node.target) and (node.value is None or _is_constant(node.value))
    return False


def _is_name(target: ast.expr) -> bool:
    """A plain name, or several: storing into an attribute or an item of something is not a definition."""
    return isinstance(target, ast.Name) or (isinstance(target, ast.Tuple) and all(map(_is_name, target.elts)))


def _is_constant(value: ast.expr) -> bool:
    """Literals, names, arithmetic on them, and calls that only make a value."""
    inside = [value]
    while inside:
        node = inside.pop()
        if isinstance(node, ast.Call):
            if not _makes_a_value(node.func):
                return False
            inside += [*node.args, *(keyword.value for keyword in node.keywords)]
        elif not isinstance(node, _CONSTANT_NODES):
            return False
        elif not isinstance(node, ast.Lambda):
            inside += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return True


def _makes_a_value(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _CONSTANT_CALLS
