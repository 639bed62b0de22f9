"""What a person has to know to answer an ask, and what came of it afterwards. Reads only, of their own rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from chalicelib.model import (
    AcquireQuestion,
    Answer,
    Approval,
    Ask,
    AskPointer,
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
from chalicelib.services.answers import Answered, end_of, subject_of, subject_reads
from chalicelib.services.deps import Deps

_CODE: Final = re.compile(r"[a-z0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class FoundAsk:
    """An ask of the person, with what it is about as that is now."""

    ask: Ask
    names: Mapping[str, str]
    """Of the person's agents by id, revoked ones included."""
    approval: Approval | None
    """The standing answer about a tool, if it is about one."""
    current: ToolVersion | None
    """The current version of that tool."""
    connection: Connection | None
    """The connection that it is about, whatever its state."""
    ended: Answered | None
    """Why it cannot be answered any more; None: it can."""

    @property
    def agent(self) -> str:
        return self.names.get(self.ask.agent_id, "an agent")


@dataclass(frozen=True, slots=True)
class ToolFacts:
    tool: ToolVersion | None
    """The version that was asked about."""
    publisher: str
    """The name of the agent that published it; empty: set-up brought it."""
    last_allowed: ToolVersion | None
    """The version that the person allowed before, for this agent and connection."""


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What came after an ask about a tool."""

    run: LedgerLine | Run | None
    """The agent's first run since it was answered: ended, or in flight. None: not repeated yet."""
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


def find_pointer(deps: Deps, person_id: str, code: str) -> AskPointer | None:
    """Where a link's code points; None as for `find_ask`. One round trip."""
    return deps.store.asks.find_pointer(person_id, code) if _CODE.fullmatch(code) else None


def find(deps: Deps, pointer: AskPointer) -> FoundAsk | None:
    """The ask and what it is about, in one round trip; in two where the code does not tell what that is."""
    together = deps.store.table.together
    ask, names, *about = together(
        lambda: deps.store.asks.find(pointer.person_id, pointer.ask_id),
        lambda: deps.store.agents.names(pointer.person_id),
        *(_reads(deps, pointer) if pointer.agent_id else ()),
    )
    if ask is None:
        return None
    approval, *read = about or together(*_reads(deps, ask.pointer))
    subject = subject_of(*read)
    bound = next((c for c in subject.connections if c.id == ask.pointer.connection_id), None)
    return FoundAsk(ask, names, approval, subject.current, bound, end_of(deps, ask, subject))


def _reads(deps: Deps, at: AskPointer) -> tuple[Callable[[], Any], ...]:
    bound = at.connection_id or None
    return (
        lambda: deps.store.find_approval(at.person_id, at.agent_id, at.tool, bound) if at.tool else None,
        *subject_reads(deps, at),
    )


def tool_facts(deps: Deps, found: FoundAsk, question: ToolQuestion) -> ToolFacts:
    """One round trip at most."""
    approval = found.approval
    allowed = approval.version if approval is not None and approval.answer is not Answer.DENIED else None
    tool, before = deps.store.table.together(
        lambda: _version(deps, found, question.tool, question.version),
        lambda: _version(deps, found, question.tool, allowed),
    )
    return ToolFacts(tool, found.names.get(tool.published_by, "") if tool else "", before)


def _version(deps: Deps, found: FoundAsk, tool: str, version: int | None) -> ToolVersion | None:
    if version is None or (found.current is not None and found.current.version == version):
        return found.current if version is not None else None
    return deps.store.toolbox.find_version(found.ask.person_id, tool, version)


def aftermath(deps: Deps, ask: Ask, question: ToolQuestion) -> Aftermath:
    """One round trip."""
    others, run = deps.store.table.together(
        lambda: deps.store.asks.newest(ask.person_id, limit=20), lambda: _find_repeated_run(deps, ask, question)
    )
    return Aftermath(run, _next_code(ask, question, others, deps.now()))


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


def agents_in_reach(deps: Deps, found: FoundAsk) -> tuple[str, ...]:
    """The names of the agents that could use what this ask connects, the asking one first. One round trip."""
    ask = found.ask
    every = deps.store.agents.some(ask.person_id, sorted(found.names))
    reached = [
        agent
        for agent in every
        if agent.revoked_at is None and (agent.connection_ids is None or agent.id == ask.agent_id)
    ]
    return tuple(agent.name for agent in sorted(reached, key=lambda agent: agent.id != ask.agent_id))


def _find_repeated_run(deps: Deps, ask: Ask, question: ToolQuestion) -> LedgerLine | Run | None:
    since = ask.answered_at
    if since is None:
        return None
    agents, ledger = deps.store.table.together(
        lambda: deps.store.agents.some(ask.person_id, [ask.agent_id]),
        lambda: deps.store.runs.ledger_of(ask.person_id, ask.agent_id),
    )
    ended: list[LedgerLine] = [line for line in ledger if _repeats(line.run, question.tool, since)]
    if ended:
        return ended[-1]
    return _first_in_flight(agents[0].runs, question.tool, since) if agents else None


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
