"""The person's standing answers about tools: found for a call, asked for, given and withdrawn."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Agent, Answer, Approval, Connection, JsonObject, ToolQuestion, ToolVersion
from chalicelib.rules import approval as approval_rule
from chalicelib.rules import connections as connection_rule
from chalicelib.rules.asks import INPUT_CHARACTERS_MAX
from chalicelib.rules.connections import Unbound
from chalicelib.rules.names import WIRE_NAME_MAX, read_name
from chalicelib.rules.schema import with_properties
from chalicelib.services import answers, asks
from chalicelib.services.asks import Waiting
from chalicelib.services.deps import Deps

AGENT_NAME_READ: Final = 100
"""Characters of an agent's name that a look-up reads; no name is that long."""


def find_answer(approvals: Iterable[Approval], connection: Connection | Unbound) -> Approval | None:
    """The answer for the connection that the run would use."""
    wanted = connection_id(connection)
    return next((approval for approval in approvals if approval.connection_id == wanted), None)


def connection_id(connection: Connection | Unbound) -> str | None:
    return None if isinstance(connection, Unbound) else connection.id


def ask(
    deps: Deps,
    agent: Agent,
    tool: ToolVersion,
    connection: Connection | Unbound,
    input: JsonObject,
    approval: Approval | None,
) -> Waiting:
    """The one open ask of this question; opened if there is none."""
    _check_size(tool, input)
    question = ToolQuestion(
        tool=tool.wire_name,
        version=tool.version,
        connection_id=connection_id(connection),
        hosts=() if isinstance(connection, Unbound) else connection.hosts,
        input=input,
        every_time=approval_rule.asks_every_time(approval),
    )
    also = [] if isinstance(connection, Unbound) else [deps.store.connection_as_asked(connection)]
    _, place = asks.ask(deps, agent, question, also=also)
    return asks.waiting(deps, question, place)


def _check_size(tool: ToolVersion, input: JsonObject) -> None:
    size = len(json.dumps(input))
    if size > INPUT_CHARACTERS_MAX:
        raise Refusal(
            Reason.INPUT_INVALID,
            f"{tool.wire_name} writes, so the person is shown its input, and {size} characters are more than the "
            f"{INPUT_CHARACTERS_MAX} they can be shown. Send less in one call.",
            {"field": "$", "schema": with_properties(tool.input_schema)},
        )


def denied(tool: ToolVersion, approval: Approval | None) -> Refusal:
    reason = approval.reason if approval else ""
    said = f" They said: {_sentence(reason)}" if reason else ""
    return Refusal(
        Reason.APPROVAL_DENIED,
        f"The person does not allow {tool.wire_name} for this agent.{said} Do not repeat the call unless they say so.",
        {"personReason": reason} if reason else {},
    )


def _sentence(text: str) -> str:
    return text if text[-1] in ".!?…" else f"{text}."


def allow(deps: Deps, person_id: str, agent_name: str, tool_name: str) -> tuple[Agent, ToolVersion]:
    """Allow a tool's current version for an agent, with any input, and answer the ask that waited for it."""
    facts = deps.store.agents.find_by_name(person_id, agent_name[:AGENT_NAME_READ])
    if facts is None:
        raise Refusal(Reason.INPUT_INVALID, f"There is no agent named {agent_name[:80]!r}.")
    tool = deps.store.toolbox.find_current(person_id, read_name(tool_name)[: WIRE_NAME_MAX + 1])
    if tool is None:
        what = repr(tool_name[:80])
        raise Refusal(Reason.TOOL_NOT_FOUND, f"There is no tool {what}; TOOL is a wire name, vendor__name.")
    usable = connection_rule.in_scope(facts.agent, deps.store.grants.connections(person_id))
    chosen = connection_rule.choose_connection(tool.vendor, tool.connection_id, usable)
    if isinstance(chosen, tuple):
        raise Refusal(Reason.CONNECTION_AMBIGUOUS, f"{tool.vendor} has several connections and the tool names none.")
    if tool.annotations.read_only:
        return facts.agent, tool
    bound = connection_id(chosen)
    if not answers.allow_waiting(deps, facts.agent, tool, bound):
        _allow_unasked(deps, facts.agent, tool, bound)
    return facts.agent, tool


def _allow_unasked(deps: Deps, agent: Agent, tool: ToolVersion, bound: str | None) -> None:
    approval = Approval(tool.wire_name, bound, Answer.ALLOWED, tool.version, deps.now())
    seen = find_approval(deps, agent, tool.wire_name, bound)
    if not deps.store.grants.keep_approval(agent, seen, approval):
        raise Refusal(Reason.INPUT_INVALID, "It was answered elsewhere at the same moment. Try again.")


def find_approval(deps: Deps, agent: Agent, tool: str, bound: str | None) -> Approval | None:
    return next((a for a in deps.store.grants.approvals(agent, tool) if a.connection_id == bound), None)


def withdraw(deps: Deps, person_id: str, agent_id: str, tool: str, bound: str | None) -> bool:
    """Forget the answer about (agent, tool, connection), so that the next call asks. False: there was none."""
    facts = deps.store.agents.find(person_id, agent_id)
    approval = find_approval(deps, facts.agent, tool, bound) if facts else None
    return facts is not None and approval is not None and deps.store.grants.withdraw(facts.agent, approval)
