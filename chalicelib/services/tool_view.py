"""What a person is shown of their toolbox. Reads only."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    WRITING_METHODS,
    Agent,
    Change,
    ChangeSet,
    Connection,
    Direction,
    Person,
    Promotion,
    ToolHead,
    ToolVersion,
)
from chalicelib.rules import listing as listing_rule
from chalicelib.rules.module_methods import lines_that_call
from chalicelib.rules.names import read_name
from chalicelib.services import toolbox
from chalicelib.services.deps import Deps

VERSIONS_SHOWN: Final = 20
HISTORY_SEARCHED: Final = 200


@dataclass(frozen=True, slots=True)
class VersionView:
    version: ToolVersion
    writes: frozenset[int]
    """Numbers of the source lines that call a writing method, from 1."""
    diff: tuple[str, ...]
    """Unified, against the version before; empty: it is the first, or the source is the same."""
    schema_changed: bool
    methods_changed: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tool is for one agent."""

    agent: Agent
    promotion: Promotion | None
    """In the list since; None: not in the set."""
    left: tuple[Change, ChangeSet] | None
    """How it last left; None: it never did, as far as the last records tell."""


@dataclass(frozen=True, slots=True)
class ToolView:
    current: ToolVersion
    versions: tuple[VersionView, ...]
    """Newest first."""
    older: int
    """Versions that are not shown."""
    withheld: str
    """Why lists leave it out; empty: they do not."""
    places: tuple[Place, ...]
    connection: Connection | None
    agents: dict[str, Agent]
    """By id, to say who published."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the toolbox page shows: heads that match, best first."""

    heads: tuple[ToolHead, ...]
    total: int
    size: int
    """Tools in the toolbox, whatever the query."""


def shelf(deps: Deps, person: Person, query: str, *, limit: int, offset: int) -> Shelf:
    """Search as `find_tool` does."""
    index = toolbox.index(deps, person)
    matches = index.search(query)
    return Shelf(tuple(matches[offset : offset + limit]), len(matches), len(index.search("")))


def view(deps: Deps, person_id: str, tool: str) -> ToolView:
    """One tool with its versions and where it is. Refuses `tool_not_found`."""
    current = deps.store.toolbox.find_current(person_id, read_name(tool)[:100])
    if current is None:
        raise Refusal(Reason.TOOL_NOT_FOUND, "There is no such tool.")
    name = current.wire_name
    shown = range(max(1, current.version - VERSIONS_SHOWN), current.version + 1)
    versions, agents, connections = deps.store.table.together(
        lambda: deps.store.toolbox.find_versions(person_id, name, shown),
        lambda: deps.store.agents.of_person(person_id),
        lambda: deps.store.grants.connections(person_id),
    )
    return ToolView(
        current=current,
        versions=tuple(_versions(versions)[:VERSIONS_SHOWN]),
        older=max(0, current.version - VERSIONS_SHOWN),
        withheld=listing_rule.find_fault(current.card) or "",
        places=_places(deps, [agent for agent in agents if agent.revoked_at is None], name),
        connection=next((c for c in connections if c.id == current.connection_id), None),
        agents={agent.id: agent for agent in agents},
    )


def _versions(versions: list[ToolVersion]) -> list[VersionView]:
    """Newest first, each beside the one before it."""
    ordered = sorted(versions, key=lambda version: version.version)
    before: list[ToolVersion | None] = [None, *ordered[:-1]]
    return [_version(version, old) for version, old in zip(ordered, before, strict=True)][::-1]


def _version(version: ToolVersion, before: ToolVersion | None) -> VersionView:
    return VersionView(
        version=version,
        writes=lines_that_call(version.source, WRITING_METHODS),
        diff=() if before is None else source_diff(before, version),
        schema_changed=before is not None and before.input_schema != version.input_schema,
        methods_changed=before is not None and before.methods != version.methods,
    )


def source_diff(before: ToolVersion, after: ToolVersion) -> tuple[str, ...]:
    """The change of the source, unified, without its two file lines."""
    lines = difflib.unified_diff(before.source.splitlines(), after.source.splitlines(), lineterm="", n=3)
    return tuple(lines)[2:]


def _places(deps: Deps, agents: list[Agent], tool: str) -> tuple[Place, ...]:
    if not agents:
        return ()
    first, *others = [_PlaceOf(deps, agent, tool) for agent in agents]
    return tuple(deps.store.table.together(first, *others))


@dataclass(frozen=True, slots=True)
class _PlaceOf:
    deps: Deps
    agent: Agent
    tool: str

    def __call__(self) -> Place:
        facts = self.deps.store.agents.find(self.agent.person_id, self.agent.id)
        promotion = facts.find(self.tool) if facts else None
        return Place(self.agent, promotion, None if promotion else self._last_departure())

    def _last_departure(self) -> tuple[Change, ChangeSet] | None:
        for record in self.deps.store.agents.history(self.agent, limit=HISTORY_SEARCHED):
            for change in record.changes:
                if change.tool == self.tool and change.direction is Direction.DEMOTED:
                    return change, record
        return None
