"""Addresses that a module writes down: a path is relative to the connection's host, and a host is a declared one.

This is help for the author, found where the text shows it. The proxy refuses every other way out, in the run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from chalicelib.model import READING_METHODS, WRITING_METHODS, Problem
from chalicelib.rules.module_text import Text

_ABSOLUTE: Final = re.compile(r"\s*(?:(?:[a-z][a-z0-9+.-]*:)?[/\\]{2})", re.IGNORECASE)
_CALLED: Final = frozenset(method.lower() for method in READING_METHODS | WRITING_METHODS)
_ALSO_OF_DICTIONARIES: Final = "get"
_STEPS_MAX: Final = 20
"""How far a name is followed through the names it was made of."""

_Values = Mapping[str, list[ast.expr]]


def find_addresses(tree: ast.Module, text: Text, *, hosts: Collection[str]) -> Iterator[Problem]:
    """Absolute URLs as paths, and hosts outside `hosts` (when there are any) as `host=`."""
    values = _values_of_names(tree)
    clients = _names_of_http(tree, values)
    declared = {host.lower() for host in hosts}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_vendor_call(node.func, clients):
            yield from _find_in_call(node, text, values, declared)


def _find_in_call(call: ast.Call, text: Text, values: _Values, declared: set[str]) -> Iterator[Problem]:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    path, host = call.args[0] if call.args else named.get("path"), named.get("host")
    if path is not None and any(_ABSOLUTE.match(start) for start in _starts_of(path, values)):
        message = "This path is an absolute URL; a call goes to the connection's own host."
        hint = 'Write the path alone, as in http.get("/v1/orders"); host= may name another declared host.'
        yield text.place(path).problem("absolute-url", message, hint)
    if host is not None and declared:
        for name in _starts_of(host, values):
            if isinstance(host, ast.Constant | ast.Name) and name.strip().lower() not in declared:
                hint = f"The declared hosts are {', '.join(sorted(declared))}."
                message = f"{name[:100]!r} is not a host of the connection."
                yield text.place(host).problem("foreign-host", message, hint)


def _is_vendor_call(function: ast.expr, clients: set[str]) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in _CALLED:
        return False
    return function.attr != _ALSO_OF_DICTIONARIES or _last_name(function.value) in clients


def _last_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _values_of_names(tree: ast.Module) -> _Values:
    """Every value that the text gives to a name, wherever it does."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if (name := _last_name(target)) is not None:
                    values.setdefault(name, []).append(node.value)
    return values


def _names_of_http(tree: ast.Module, values: _Values) -> set[str]:
    """`http`, what it is assigned to, and the parameters that the module's own functions take it as."""
    names = {"http"}
    names |= {name for name, given in values.items() if any(_last_name(value) == "http" for value in given)}
    parameters = {
        node.name: [argument.arg for argument in node.args.args]
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            taken = zip(parameters.get(call.func.id, ()), call.args, strict=False)
            names |= {name for name, argument in taken if _last_name(argument) in names}
    return names


def _starts_of(value: ast.expr, values: _Values) -> Iterator[str]:
    """The literal texts that `value` can begin with, as far as the source shows them."""
    waiting, steps = [value], 0
    while waiting and steps < _STEPS_MAX:
        steps += 1
        node = waiting.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        else:
            waiting += _what_begins(node, values)[: _STEPS_MAX - steps]


def _what_begins(node: ast.expr, values: _Values) -> list[ast.expr]:
    match node:
        case ast.Name(id=name):
            return values.get(name, [])
        case ast.JoinedStr(values=[first, *_]):
            return [first]
        case ast.FormattedValue(value=value) | ast.BinOp(left=value) | ast.NamedExpr(value=value):
            return [value]
        case ast.Call(func=ast.Attribute(value=value)):
            return [value]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.BoolOp(values=parts):
            return parts
    return []
