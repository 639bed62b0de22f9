"""What a person is shown of their toolbox. Reads only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    WRITING_METHODS,
    Agent,
    AgentFacts,
    Annotations,
    Change,
    ChangeSet,
    Connection,
    Direction,
    LedgerLine,
    Person,
    Promotion,
    Run,
    ToolCard,
    ToolHead,
    ToolVersion,
)
from chalicelib.rules import listing as listing_rule
from chalicelib.rules.connections import choose_connection
from chalicelib.rules.module_methods import lines_that_call
from chalicelib.rules.names import read_name
from chalicelib.services import toolbox
from chalicelib.services.deps import Deps

VERSIONS_SHOWN: Final = 8
HISTORY_SEARCHED: Final = 200
RUNS_SEARCHED: Final = 50
QUERY_MAX: Final = 200
_NEW_LINE: Final = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class ShelfRow:
    """One tool as the toolbox page shows it."""

    head: ToolHead
    publisher: str
    """The name of the agent that published the current version; empty: set-up brought it."""
    published_at: datetime | None
    """None: its current version cannot be read."""
    agents: tuple[str, ...]
    """The names of those that have it in their working set."""
    withheld: str
    """Why lists leave it out; empty: they do not."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """One page of the tools that match, best first."""

    rows: tuple[ShelfRow, ...]
    offset: int
    """How many matches stand before these."""
    total: int
    size: int
    """Tools in the toolbox, whatever is searched."""
    connection: Connection | None
    """The one whose tools are wanted."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the toolbox page was asked for."""

    query: str = ""
    """As `find_tool` takes it; empty: everything."""
    annotations: Annotations | None = None
    connection_id: str = ""
    """Only tools whose calls would go out by this connection; empty: all."""
    page: int = 1
    """One that is too high is the last one."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tool is for one agent."""

    agent: Agent
    promotion: Promotion | None
    """In the list since; None: not in the set."""
    left: tuple[Change, ChangeSet] | None
    """How it last left; None: the records that were looked through tell of none."""
    is_searched_whole: bool
    """Whether those were all the records there are."""


@dataclass(frozen=True, slots=True)
class LastRun:
    agent: Agent
    run: Run
    line: LedgerLine | None
    """How it ended; None: it is in flight."""


@dataclass(frozen=True, slots=True)
class ToolView:
    current: ToolVersion
    versions: tuple[ToolVersion, ...]
    """Newest first; the last of them only to compare with, unless it is version 1."""
    chosen: ToolVersion
    withheld: str
    """Why lists leave it out; empty: they do not."""
    places: tuple[Place, ...]
    """Of the agents that are not revoked, oldest first."""
    last_run: LastRun | None
    """None: none among each agent's last runs."""
    connection: Connection | None
    agents: Mapping[str, Agent]
    """By id, to say who published."""

    def before(self, version: ToolVersion) -> ToolVersion | None:
        """The version before this one; None: this is the first, or the one before cannot be read."""
        return next((one for one in self.versions if one.version == version.version - 1), None)


def shelf(deps: Deps, person: Person, wanted: Wanted, *, size: int) -> Shelf:
    """A page of `size` tools. Search as `find_tool` does. Refuses `connection_not_found`. Two round trips."""
    index, agent_ids, connections = deps.store.table.together(
        lambda: toolbox.index(deps, person),
        lambda: deps.store.agents.ids(person.id),
        lambda: deps.store.grants.connections(person.id) if wanted.connection_id else [],
    )
    named = next((connection for connection in connections if connection.id == wanted.connection_id), None)
    if wanted.connection_id and named is None:
        raise Refusal(Reason.CONNECTION_NOT_FOUND, "There is no such connection.")
    matches = index.search(wanted.query[:QUERY_MAX])
    if wanted.annotations is not None:
        matches = [head for head in matches if head.annotations == wanted.annotations]
    if named is not None:
        matches = [head for head in matches if used_by(head, connections) == named]
    last_page = max(1, -(-len(matches) // size))
    offset = (min(max(1, wanted.page), last_page) - 1) * size
    rows = _shelf_rows(deps, person.id, matches[offset : offset + size], agent_ids)
    return Shelf(rows, offset, len(matches), len(index.search("")), named)


def used_by(head: ToolHead, connections: Iterable[Connection]) -> Connection | None:
    """The connection that a run would use for an agent in whose scope all of them are."""
    chosen = choose_connection(head.vendor, head.connection_id, connections)
    return chosen if isinstance(chosen, Connection) else None


def _shelf_rows(deps: Deps, person_id: str, heads: list[ToolHead], agent_ids: list[str]) -> tuple[ShelfRow, ...]:
    if not heads:
        return ()
    every, published = deps.store.table.together(
        lambda: deps.store.agents.facts_of(person_id, agent_ids),
        lambda: deps.store.toolbox.published(person_id, [head.wire_name for head in heads]),
    )
    names = {facts.agent.id: facts.agent.name for facts in every}
    return tuple(_shelf_row(head, published.get(head.wire_name), _live(every), names) for head in heads)


def _shelf_row(
    head: ToolHead,
    published: tuple[ToolCard, str, datetime] | None,
    every: list[AgentFacts],
    names: Mapping[str, str],
) -> ShelfRow:
    holders = tuple(facts.agent.name for facts in every if facts.find(head.wire_name) is not None)
    if published is None:
        return ShelfRow(head, "", None, holders, listing_rule.find_fault(None) or "")
    card, by, at = published
    return ShelfRow(head, names.get(by, ""), at, holders, listing_rule.find_fault(card) or "")


def view(deps: Deps, person_id: str, tool: str, *, version: int | None = None) -> ToolView:
    """One tool with its versions and where it is, in two round trips. `version`: the one to choose, else the current.

    Refuses `tool_not_found`, a version that never was included.
    """
    name = read_name(tool)[:100]
    current, agent_ids, connections = deps.store.table.together(
        lambda: deps.store.toolbox.find_current(person_id, name),
        lambda: deps.store.agents.ids(person_id),
        lambda: deps.store.grants.connections(person_id),
    )
    if current is None or version not in (None, *range(1, current.version + 1)):
        raise Refusal(Reason.TOOL_NOT_FOUND, "There is no such tool.")
    number = version or current.version
    every, versions, histories, ledgers = _around(deps, current, number, agent_ids, person_id)
    agents = {facts.agent.id: facts.agent for facts in every}
    return ToolView(
        current=current,
        versions=versions,
        chosen=next((one for one in versions if one.version == number), current),
        withheld=listing_rule.find_fault(current.card) or "",
        places=tuple(_place(facts, current.wire_name, histories[facts.agent.id]) for facts in _live(every)),
        last_run=_last_run(agents, current.wire_name, ledgers),
        connection=used_by(current.head, connections),
        agents=agents,
    )


def _around(
    deps: Deps, current: ToolVersion, number: int, agent_ids: list[str], person_id: str
) -> tuple[list[AgentFacts], tuple[ToolVersion, ...], Mapping[str, list[ChangeSet]], Mapping[str, list[LedgerLine]]]:
    """Every agent's set, history and ledger, and the versions to show, side by side."""
    newest = current.version if number > current.version - VERSIONS_SHOWN else number
    shown = range(max(1, newest - VERSIONS_SHOWN), newest + 1)
    store = deps.store
    every, versions, *others = store.table.together(
        partial(store.agents.facts_of, person_id, agent_ids),
        partial(store.toolbox.find_versions, person_id, current.wire_name, shown),
        *(partial(store.sets.history_of, person_id, agent_id, limit=HISTORY_SEARCHED) for agent_id in agent_ids),
        *(partial(store.runs.ledger_of, person_id, agent_id, limit=RUNS_SEARCHED) for agent_id in agent_ids),
    )
    histories = dict(zip(agent_ids, others[: len(agent_ids)], strict=True))
    ledgers = dict(zip(agent_ids, others[len(agent_ids) :], strict=True))
    return every, tuple(sorted(versions, key=lambda one: -one.version)), histories, ledgers


def _live(every: list[AgentFacts]) -> list[AgentFacts]:
    return [facts for facts in every if facts.agent.revoked_at is None]


def _place(facts: AgentFacts, tool: str, records: list[ChangeSet]) -> Place:
    promotion = facts.find(tool)
    left = None if promotion else _last_departure(tool, records)
    return Place(facts.agent, promotion, left, len(records) < HISTORY_SEARCHED)


def _last_departure(tool: str, records: list[ChangeSet]) -> tuple[Change, ChangeSet] | None:
    for record in records:
        for change in record.changes:
            if change.tool == tool and change.direction is Direction.DEMOTED:
                return change, record
    return None


def _last_run(agents: Mapping[str, Agent], tool: str, ledgers: Mapping[str, list[LedgerLine]]) -> LastRun | None:
    """The run that began last, as far as a ledger line or an agent's row tells."""
    ended = [
        LastRun(agents[agent_id], line.run, line)
        for agent_id, lines in ledgers.items()
        if agent_id in agents
        for line in lines
        if line.run.tool == tool
    ]
    begun = [LastRun(agent, run, None) for agent in agents.values() for run in agent.runs.values() if run.tool == tool]
    return max(begun + ended, key=lambda last: last.run.started_at, default=None)


def writing_lines(source: str) -> Mapping[int, tuple[str, ...]]:
    """The writing methods that each line calls, by the line's number from 1; lines end at `\\n` only."""
    calls: dict[int, list[str]] = {}
    shown = _shown_lines(source)
    for method in sorted(WRITING_METHODS):
        for line in lines_that_call(source, {method}):
            calls.setdefault(shown[min(line, len(shown)) - 1], []).append(method)
    return {line: tuple(methods) for line, methods in calls.items()}


def _shown_lines(source: str) -> list[int]:
    """For each line as Python counts them, the number of the shown one that it is in."""
    number, numbers = 1, [1]
    for end in _NEW_LINE.finditer(source):
        number += end[0] != "\r"
        numbers.append(number)
    return numbers
