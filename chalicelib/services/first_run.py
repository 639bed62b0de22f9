"""How far a person has come with their first tool: four steps, each a fact of the table. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from chalicelib.model import Agent, Connection, ConnectionState, LedgerLine, RunKind
from chalicelib.services import agent_summaries
from chalicelib.services.agent_summaries import AgentSummary
from chalicelib.services.deps import Deps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

RUNS_SEARCHED: Final = 50
OK: Final = "ok"


@dataclass(frozen=True, slots=True)
class Ran:
    agent: Agent
    line: LedgerLine


@dataclass(frozen=True, slots=True)
class Progress:
    """None: not yet."""

    made: Agent | None
    """The agent that was seen last; while none was, the one that was made last."""
    seen: AgentSummary | None
    """The agent whose harness was there last."""
    connection: Connection | None
    """The live one that was made first."""
    ran: Ran | None
    """The first run that went through."""
    failed: Ran | None
    """The last run that did not, as long as none went through."""

    @property
    def is_complete(self) -> bool:
        return None not in (self.made, self.seen, self.connection, self.ran)

    @property
    def seen_at(self) -> datetime | None:
        return self.seen.seen_at if self.seen else None


def progress(deps: Deps, person_id: str) -> Progress:
    """Two round trips. Of revoked agents nothing counts."""
    agent_ids, connections = deps.store.table.together(
        lambda: deps.store.agents.ids(person_id), lambda: deps.store.grants.connections(person_id)
    )
    ledger_of = deps.store.runs.ledger_of
    summaries, *ledgers = deps.store.table.together(
        lambda: _summaries(deps, person_id, agent_ids),
        *(partial(ledger_of, person_id, agent_id, limit=RUNS_SEARCHED) for agent_id in agent_ids),
    )
    runs = _runs(summaries, dict(zip(agent_ids, ledgers, strict=True)))
    ran = min((run for run in runs if run.line.outcome == OK), key=_began, default=None)
    there = [summary for summary in summaries if summary.seen_at is not None]
    seen = max(there, key=lambda summary: summary.seen_at or summary.agent.created_at, default=None)
    newest = max((summary.agent for summary in summaries), key=lambda agent: agent.created_at, default=None)
    return Progress(
        made=seen.agent if seen else newest,
        seen=seen,
        connection=next((c for c in connections if c.state is ConnectionState.LIVE), None),
        ran=ran,
        failed=None if ran else max(runs, key=_began, default=None),
    )


def is_anybody_seen(deps: Deps, person_id: str) -> bool:
    """Whether a harness of any agent of the person was ever there. Two round trips."""
    summaries = _summaries(deps, person_id, deps.store.agents.ids(person_id))
    return any(summary.seen_at is not None for summary in summaries)


def _summaries(deps: Deps, person_id: str, agent_ids: Sequence[str]) -> list[AgentSummary]:
    """Of the agents that are not revoked."""
    found = agent_summaries.summaries(deps, person_id, agent_ids)
    return [summary for summary in found if summary.agent.revoked_at is None]


def _runs(summaries: Iterable[AgentSummary], ledgers: dict[str, list[LedgerLine]]) -> list[Ran]:
    """Calls that have ended: a dry run is none, nor is a publish's test run."""
    return [
        Ran(summary.agent, line)
        for summary in summaries
        for line in ledgers[summary.agent.id]
        if line.run.kind is RunKind.CALL
    ]


def _began(ran: Ran) -> datetime:
    return ran.line.run.started_at
