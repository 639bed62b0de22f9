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
CONNECTION_ID_READ: Final = 64


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
    question = _question(tool, connection, input, every_time=approval_rule.asks_every_time(approval))
    also = [] if isinstance(connection, Unbound) else [deps.store.connection_as_asked(connection)]
    _, place = asks.ask(deps, agent, question, also=also)
    return asks.waiting(deps, question, place)


def _question(
    tool: ToolVersion, connection: Connection | Unbound, input: JsonObject, *, every_time: bool
) -> ToolQuestion:
    return ToolQuestion(
        tool=tool.wire_name,
        version=tool.version,
        connection_id=connection_id(connection),
        hosts=() if isinstance(connection, Unbound) else connection.hosts,
        input=input,
        every_time=every_time,
    )


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
    question = _question(tool, chosen, {}, every_time=False)
    if not answers.allow_waiting(deps, facts.agent, question):
        _allow_unasked(deps, facts.agent, question)
    return facts.agent, tool


def _allow_unasked(deps: Deps, agent: Agent, question: ToolQuestion) -> None:
    """An answer to a question that nobody asked grants as little as one that was: what was read must still hold."""
    seen = deps.store.find_approval(agent.person_id, agent.id, question.tool, question.connection_id)
    approval = Approval(question.tool, question.connection_id, Answer.ALLOWED, question.version, deps.now())
    as_read = deps.store.tool_as_asked(agent.person_id, question)
    if not deps.store.grants.keep_approval(agent, seen, approval, also=as_read):
        raise Refusal(Reason.INPUT_INVALID, "The tool, its connection or its answer changed at this moment. Try again.")


def withdraw(deps: Deps, person_id: str, agent_id: str, tool: str, bound: str | None) -> bool:
    """Forget the answer about (agent, tool, connection), so that the next call asks. False: there was none."""
    facts = deps.store.agents.find(person_id, agent_id)
    tool, bound = tool[:WIRE_NAME_MAX], bound[:CONNECTION_ID_READ] if bound else None
    approval = deps.store.find_approval(person_id, agent_id, tool, bound) if facts else None
    return facts is not None and approval is not None and deps.store.grants.withdraw(facts.agent, approval)
