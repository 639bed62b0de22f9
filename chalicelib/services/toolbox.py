"""The toolbox: find, read and check tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    Annotations,
    Connection,
    Person,
    Problem,
    ToolCard,
    ToolVersion,
    annotations_of,
)
from chalicelib.rules import connections as connection_rule
from chalicelib.rules.names import WIRE_NAME_MAX, read_name, split_wire_name, wire_name
from chalicelib.rules.schema import find_schema_fault
from chalicelib.services import cards
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller

if TYPE_CHECKING:
    from chalicelib.rules.search import Index

NUMBER_SHOWN: Final = 20
"""Digits of a number that a refusal repeats."""


@dataclass(frozen=True, slots=True)
class FoundTool:
    card: ToolCard
    promoted: bool


@dataclass(frozen=True, slots=True)
class Found:
    tools: tuple[FoundTool, ...]
    total: int
    connections: tuple[Connection, ...]
    """Every live connection in the agent's scope."""
    note: str


@dataclass(frozen=True, slots=True)
class Checked:
    problems: tuple[Problem, ...]
    methods: frozenset[str]

    @property
    def ok(self) -> bool:
        return not any(problem.blocking for problem in self.problems)

    @property
    def annotations(self) -> Annotations:
        return annotations_of(self.methods)


@dataclass(frozen=True, slots=True)
class Source:
    version: ToolVersion
    versions: tuple[tuple[int, datetime], ...]
    """(number, published at), oldest first."""


def find(deps: Deps, caller: Caller, query: str, *, limit: int, offset: int) -> Found:
    """Search the whole toolbox. Every match is counted and reachable by `offset`."""
    (matches, page), connections = deps.store.table.together(
        lambda: _search(deps, caller, query, slice(offset, offset + limit)),
        lambda: deps.store.grants.connections(caller.person.id),
    )
    promoted = {p.tool for p in caller.promotions}
    tools = tuple(FoundTool(card, card.wire_name in promoted) for card in page)
    usable = connection_rule.live(connection_rule.in_scope(caller.agent, connections))
    return Found(tools, matches, tuple(usable), _found_note(query, matches, offset, len(page)))


def _search(deps: Deps, caller: Caller, query: str, wanted: slice) -> tuple[int, list[ToolCard]]:
    """How many tools match, and the cards of those that are wanted."""
    matches = index(deps, caller.person).search(query)
    page = matches[wanted]
    known = cards.find_cards_of(deps, caller.person, page)
    return len(matches), [known[head.wire_name] for head in page if head.wire_name in known]


def _found_note(query: str, total: int, offset: int, shown: int) -> str:
    if total == 0:
        what = f"No tool in the toolbox matches {query[:80]!r}." if query.strip() else "The toolbox is empty."
        return (
            f"{what} Searching again with other words for the same thing will find the same. "
            "If you need it: acquire has it written for you, publish_tool publishes one you write."
        )
    if shown == 0:
        return f"There are {total} matches; offset {offset} is past the last one."
    if offset + shown < total:
        return f"{total} matches, best first; go on with offset {offset + shown}."
    return "promote brings a tool into your list for repeated use; run_tool runs it once without promoting it."


def index(deps: Deps, person: Person) -> Index:
    """The search index of a person's toolbox, as fresh as what was read of the person."""
    from chalicelib.rules.search import Index  # here: no list and no call waits for the words that it knows

    known = deps.caches.index_at(person.id, person.toolbox_revision)
    if known is None:
        known = Index(deps.store.toolbox.heads(person.id))
        deps.caches.keep_index(person.id, person.toolbox_revision, known)
    return known


def get_current(deps: Deps, caller: Caller, vendor: str, name: str) -> ToolVersion:
    """The current version by a name as a look-up reads it. Raises `tool_not_found` with the nearest names."""
    tool = deps.store.toolbox.find_current(caller.person.id, looked_up(vendor, name))
    if tool is None:
        raise not_found(deps, caller, vendor, name)
    return tool


def looked_up(vendor: str, name: str) -> str:
    """The wire name that a look-up means. A whole wire name in `name` is understood, too."""
    whole = split_wire_name(name)
    if whole is not None and whole[0] == read_name(vendor):
        return as_key(wire_name(*whole))
    return as_key(wire_name(read_name(vendor), read_name(name)))


def as_key(wanted: str) -> str:
    """A name that is too long for any tool, cut just past the limit: it finds nothing, and the table can be asked."""
    return wanted[: WIRE_NAME_MAX + 1]


def not_found(deps: Deps, caller: Caller, vendor: str, name: str) -> Refusal:
    wanted = looked_up(vendor, name)
    names = _nearest(deps, caller, wanted)
    hint = f" The nearest names are {', '.join(names)}." if names else ""
    return Refusal(
        Reason.TOOL_NOT_FOUND,
        f"There is no tool {wanted[:120]!r} in the toolbox.{hint} Use find_tool to search by what it does.",
        {"tool": wanted[:120], "nearest": names},
    )


def _nearest(deps: Deps, caller: Caller, wanted: str) -> list[str]:
    from chalicelib.rules.search import nearest

    return nearest(wanted, [head.wire_name for head in index(deps, caller.person).search("")])


def explain_unlisted(deps: Deps, caller: Caller, called: str) -> str:
    """Why a name that was called is not in the list, and what brings it there."""
    split = split_wire_name(called)
    tool = deps.store.toolbox.find_current(caller.person.id, as_key(wire_name(*split))) if split else None
    if tool is not None:
        arguments = f'{{"vendor": "{tool.vendor}", "name": "{tool.name}"}}'
        return (
            f"The tool {tool.wire_name} exists in the toolbox but is not promoted for this agent. Call run_tool with "
            f"{arguments} and its input to run it once, or promote with {arguments} to bring it into your list."
        )
    names = _nearest(deps, caller, read_name(called))
    hint = f" The nearest names are {', '.join(names)}." if names else ""
    return f"There is no tool {called[:120]!r} in the toolbox.{hint} Use find_tool to search by what it does."


def read_source(deps: Deps, caller: Caller, vendor: str, name: str, version: int | None) -> Source:
    """One version whole, the current one by default, and the numbers of all."""
    tool = looked_up(vendor, name)
    versions = deps.store.toolbox.versions(caller.person.id, tool)
    if not versions:
        raise not_found(deps, caller, vendor, name)
    newest = versions[-1][0]
    wanted = newest if version is None else version
    found = deps.store.toolbox.find_version(caller.person.id, tool, wanted) if 1 <= wanted <= newest else None
    if found is None:
        message = (
            f"{tool} has no version {str(wanted)[:NUMBER_SHOWN]}; its newest is {newest}. Call read_tool_source again "
            f"with a version from 1 to {newest}, or without one for the newest."
        )
        raise Refusal(Reason.INPUT_INVALID, message, {"field": "version"})
    return Source(found, tuple(versions))


def check(deps: Deps, source: str, input_schema: Any = None, *, hosts: Sequence[str] = ()) -> Checked:
    """Everything the check finds, at most 50 problems. The type checker runs only on what parses soundly."""
    from chalicelib.rules.module_check import PROBLEMS_MAX, check_module

    module = check_module(source, hosts=hosts)
    problems = list(module.problems)
    if not any(problem.blocking for problem in problems):
        problems += deps.sandbox.type_check(source)
    fault = find_schema_fault(input_schema) if input_schema is not None else None
    if fault is not None:
        problems.insert(0, Problem(0, 0, "input-schema", fault, "Correct inputSchema and check again."))
    return Checked(tuple(problems[:PROBLEMS_MAX]), module.methods)


def problem_json(problem: Problem) -> dict[str, Any]:
    """A problem as it stands in answers."""
    return {
        "line": problem.line,
        "column": problem.column,
        "rule": problem.rule,
        "message": problem.message,
        "hint": problem.hint,
    }
