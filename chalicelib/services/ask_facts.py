"""What a person has to know to answer an ask, and what came of it afterwards. Reads only, of their own rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.model import (
    AcquireQuestion,
    Agent,
    Answer,
    Ask,
    Connection,
    ConnectionQuestion,
    Job,
    LedgerLine,
    Run,
    RunKind,
    ToolQuestion,
    ToolVersion,
)
from chalicelib.rules.connections import names_vendor
from chalicelib.services.answers import Answered, find_end
from chalicelib.services.deps import Deps

_CODE: Final = re.compile(r"[a-z0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class ToolFacts:
    agent: Agent
    tool: ToolVersion | None
    """The version that was asked about."""
    publisher: str
    """The name of the agent that published it; empty: set-up brought it."""
    last_allowed: ToolVersion | None
    """The version that the person allowed before, for this agent and connection."""
    connection: Connection | None
    ended: Answered | None
    """Why it cannot be answered any more; None: it can."""
    next_code: str
    """Of another open ask about the same tool for the same agent; empty: there is none."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """A host that will receive a secret."""

    host: str
    role: str
    """`token` (the token URL's), `primary` or `declared`."""
    bears_vendor: bool
    """Whether the vendor's name is in its registrable domain."""


def find_ask(deps: Deps, person_id: str, code: str) -> Ask | None:
    """The person's own ask behind a link's code; None alike for another person's and for none at all."""
    return deps.store.asks.find_by_code(person_id, code) if _CODE.fullmatch(code) else None


def tool_facts(deps: Deps, ask: Ask, question: ToolQuestion) -> ToolFacts:
    person_id = ask.person_id
    version, approval, ended, agents = deps.store.table.together(
        lambda: deps.store.toolbox.find_version(person_id, question.tool, question.version),
        lambda: deps.store.find_approval(person_id, ask.agent_id, question.tool, question.connection_id),
        lambda: find_end(deps, ask),
        lambda: {agent.id: agent for agent in deps.store.agents.every(person_id)},
    )
    allowed = approval.version if approval is not None and approval.answer is not Answer.DENIED else None
    before, connection, others = deps.store.table.together(
        lambda: deps.store.toolbox.find_version(person_id, question.tool, allowed) if allowed else None,
        lambda: _connection(deps, person_id, question.connection_id),
        lambda: deps.store.asks.newest(person_id, limit=20) if ended is not None else [],
    )
    publisher = agents.get(version.published_by) if version else None
    return ToolFacts(
        agent=agents[ask.agent_id],
        tool=version,
        publisher=publisher.name if publisher else "",
        last_allowed=before,
        connection=connection,
        ended=ended,
        next_code=_next_code(ask, question, others, deps.now()),
    )


def _next_code(ask: Ask, question: ToolQuestion, others: list[Ask], now: datetime) -> str:
    for other in others:
        same = isinstance(other.question, ToolQuestion) and other.question.tool == question.tool
        if same and other.id != ask.id and other.agent_id == ask.agent_id and other.is_open(now):
            return other.code
    return ""


def find_connection(deps: Deps, person_id: str, connection_id: str) -> Connection | None:
    """The person's connection, whatever its state; None alike for another person's."""
    return _connection(deps, person_id, connection_id) if connection_id.isalnum() else None


def _connection(deps: Deps, person_id: str, connection_id: str | None) -> Connection | None:
    return deps.store.grants.find_connection(person_id, connection_id) if connection_id else None


def receivers(deps: Deps, asked: ConnectionQuestion | Connection) -> tuple[Receiver, ...]:
    """Every host that will receive the secret, the token URL's first, then the primary one.

    Refuses `host_not_allowed` what is no host.
    """
    config = deps.connections.asked_config(asked.scheme_config)
    hosts = deps.connections.secret_hosts(asked.scheme, config, asked.primary_host, asked.hosts)
    declared = deps.connections.stored_hosts(asked.primary_host, asked.hosts)
    return tuple(
        Receiver(
            host,
            "token" if host not in declared else "primary" if host == declared[0] else "declared",
            names_vendor(asked.vendor, deps.connections.registrable_domain(host)),
        )
        for host in hosts
    )


def agents_in_reach(deps: Deps, ask: Ask) -> tuple[str, ...]:
    """The names of the agents that could use what this ask connects, the asking one first."""
    every = [agent for agent in deps.store.agents.every(ask.person_id) if agent.revoked_at is None]
    reached = [agent for agent in every if agent.connection_ids is None or agent.id == ask.agent_id]
    return tuple(agent.name for agent in sorted(reached, key=lambda agent: agent.id != ask.agent_id))


def find_agent_name(deps: Deps, ask: Ask) -> str:
    found = deps.store.agents.some(ask.person_id, [ask.agent_id])
    return found[0].name if found else "an agent"


def find_repeated_run(deps: Deps, ask: Ask) -> LedgerLine | Run | None:
    """The agent's first run of the tool since the ask was answered: ended, or in flight. None: not repeated yet."""
    facts = deps.store.agents.find(ask.person_id, ask.agent_id)
    question, since = ask.question, ask.answered_at
    if facts is None or since is None or not isinstance(question, ToolQuestion):
        return None
    ended = [line for line in deps.store.agents.ledger(facts.agent) if _repeats(line.run, question.tool, since)]
    if ended:
        return ended[-1]
    return _first_in_flight(facts.agent.runs, question.tool, since)


def _first_in_flight(runs: Mapping[str, Run], tool: str, since: datetime) -> Run | None:
    mine = [run for run in runs.values() if _repeats(run, tool, since)]
    return min(mine, key=lambda run: run.started_at, default=None)


def _repeats(run: Run, tool: str, since: datetime) -> bool:
    return run.tool == tool and run.kind is RunKind.CALL and run.started_at >= since


def find_repeated_job(deps: Deps, ask: Ask) -> Job | None:
    """The agent's first job on the connection since it was allowed; None: the call is not repeated yet."""
    question, since = ask.question, ask.answered_at
    if since is None or not isinstance(question, AcquireQuestion):
        return None
    newest = deps.store.jobs.newest(ask.person_id, ask.agent_id)
    mine = [job for job in newest if job.connection_id == question.connection_id and job.created_at >= since]
    return mine[-1] if mine else None
