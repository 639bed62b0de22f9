"""The person's standing answers, and the asks that wait for one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Agent, Answer, Approval, Ask, Connection, ToolVersion
from chalicelib.rules import connections as connection_rule
from chalicelib.rules.connections import Unbound
from chalicelib.rules.names import WIRE_NAME_MAX, read_name
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller

ASK_OPEN: Final = timedelta(hours=24)
CODE_LETTERS: Final = "abcdefghijkmnpqrstuvwxyz23456789"
"""Without 0, 1, l and o: a code may be read aloud."""
CODE_LENGTH: Final = 12
ATTEMPTS: Final = 4
AGENT_NAME_READ: Final = 100
"""Characters of an agent's name that a look-up reads; no name is that long."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The call waits for the person. Not an error."""

    status: str
    ask_id: str
    url: str
    expires_at: datetime
    message: str


def find_answer(approvals: Iterable[Approval], connection: Connection | Unbound) -> Approval | None:
    """The answer for the connection that the run would use."""
    wanted = connection_id(connection)
    return next((approval for approval in approvals if approval.connection_id == wanted), None)


def connection_id(connection: Connection | Unbound) -> str | None:
    return None if isinstance(connection, Unbound) else connection.id


def ask(deps: Deps, caller: Caller, tool: ToolVersion, connection: Connection | Unbound) -> Waiting:
    """The one open ask of this question; opened if there is none."""
    bound = connection_id(connection)
    for _ in range(ATTEMPTS):
        now = deps.now()
        found = deps.store.grants.find_ask(caller.agent, tool.wire_name, tool.version, bound, now)
        if found is not None:
            return _waiting(deps, caller, found)
        asked = Ask(deps.new_id(), _new_code(deps), tool.wire_name, tool.version, bound, now, now + ASK_OPEN)
        if deps.store.grants.open_ask(caller.agent, asked):
            return _waiting(deps, caller, asked)
    raise Refusal(Reason.INTERNAL, "The question could not be opened. Repeat the call.")


def _waiting(deps: Deps, caller: Caller, asked: Ask) -> Waiting:
    url = f"{deps.settings.public_base_url}/a/{asked.code}"
    message = (
        f"{asked.tool} writes, so the person has to allow it once. Give them this link exactly as it is: {url} . "
        f"Where Graft runs on their own machine they may type: make approve AGENT={_shell_word(caller.agent.name)} "
        f"TOOL={asked.tool} . Then repeat the same call."
    )
    return Waiting("awaiting_approval", asked.id, url, asked.expires_at, message)


def _shell_word(name: str) -> str:
    plain = all(c.isalnum() or c in "-_." for c in name)
    return name if plain else "'" + name.replace("'", "'\\''") + "'"


def _new_code(deps: Deps) -> str:
    """12 letters and digits, 60 random bits. Only a pointer: it grants nothing."""
    return "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in deps.random_bytes(CODE_LENGTH))


def denied(tool: ToolVersion, approval: Approval | None) -> Refusal:
    reason = approval.reason if approval else ""
    said = f" They said: {reason}" if reason else ""
    return Refusal(
        Reason.APPROVAL_DENIED,
        f"The person does not allow {tool.wire_name} for this agent.{said} Do not repeat the call unless they say so.",
        {"personReason": reason} if reason else {},
    )


def allow(deps: Deps, person_id: str, agent_name: str, tool_name: str) -> tuple[Agent, ToolVersion, Approval]:
    """Allow a tool's current version for an agent, with any input, and close the ask that waited for it."""
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
    approval = Approval(tool.wire_name, connection_id(chosen), Answer.ALLOWED, tool.version, deps.now())
    deps.store.grants.answer(facts.agent, approval)
    return facts.agent, tool, approval
