"""A call before it runs: its input checked, its connection chosen, the verdict on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    Agent,
    Approval,
    Connection,
    ConnectionState,
    JsonObject,
    RunKind,
    ToolVersion,
)
from chalicelib.rules import approval as approval_rule
from chalicelib.rules import connections as connection_rule
from chalicelib.rules.approval import Verdict
from chalicelib.rules.asks import input_digest
from chalicelib.rules.connections import Unbound
from chalicelib.rules.schema import find_misfits, with_properties
from chalicelib.services.deps import Deps


@dataclass(frozen=True, slots=True)
class Execution:
    """One run as decided: what runs, with what, and where its calls may go."""

    tool: ToolVersion
    input: JsonObject
    kind: RunKind
    connection: Connection | Unbound
    spends: Approval | None = None
    """The answer whose pass for this input the claim takes away."""

    @property
    def is_dry(self) -> bool:
        return self.kind is not RunKind.CALL


def check_input(tool: ToolVersion, input: JsonObject, kind: RunKind) -> None:
    """Refuses `input_invalid`, with the schema that the input has to fit."""
    misfits = find_misfits(tool.input_schema, input)
    if misfits:
        wrong = "; ".join(misfit.statement for misfit in misfits)
        next_step = "" if kind is RunKind.TEST_RUN else " Correct it by schema and repeat the call."
        raise Refusal(
            Reason.INPUT_INVALID,
            f"The input of {tool.wire_name} is not valid: {wrong}.{next_step}",
            {"field": misfits[0].field, "schema": with_properties(tool.input_schema)},
        )


def choose_connection(agent: Agent, tool: ToolVersion, connections: list[Connection]) -> Connection | Unbound:
    """Where the run's calls may go. Refuses `connection_ambiguous`."""
    usable = connection_rule.in_scope(agent, connections)
    chosen = connection_rule.choose_connection(tool.vendor, tool.connection_id, usable)
    if isinstance(chosen, tuple):
        names = ", ".join(f"{c.id} ({c.display_name})" for c in chosen)
        raise Refusal(
            Reason.CONNECTION_AMBIGUOUS,
            f"{tool.vendor} has several live connections: {names}. Publish the tool with one of them as connectionId.",
            {"connections": [c.id for c in chosen]},
        )
    return chosen


def decide(deps: Deps, execution: Execution, approval: Approval | None) -> Verdict:
    tool = execution.tool
    if execution.is_dry:
        return approval_rule.decide_dry_run(tool.annotations, approval)
    digest = "" if tool.annotations.read_only else input_digest(execution.input)
    return approval_rule.decide_call(tool.annotations, tool.version, approval, input_digest=digest, now=deps.now())


def connection_reader(deps: Deps, execution: Execution) -> Callable[[], Connection]:
    """Reads the connection strongly before each call that leaves: nothing leaves after a revoke."""
    bound = execution.connection
    vendor = execution.tool.vendor

    def read() -> Connection:
        if bound is Unbound.NONE:
            raise Refusal(
                Reason.CONNECTION_NOT_BOUND,
                f"The tool reaches for http, and {vendor} has no connection. Ask for one with request_connection"
                + ("." if execution.kind is RunKind.TEST_RUN else ", then repeat the call."),
            )
        row = None if isinstance(bound, Unbound) else deps.store.grants.find_connection(bound.person_id, bound.id)
        if row is None or row.state is not ConnectionState.LIVE:
            raise revoked(vendor)
        return row

    return read


def revoked(vendor: str) -> Refusal:
    return Refusal(
        Reason.CONNECTION_REVOKED,
        f"The connection to {vendor} was revoked. Ask for a new one with request_connection.",
    )
