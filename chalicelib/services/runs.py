"""Running a tool: facts, the approval rule, the claim, the module, the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Conflict, Reason, Refusal
from chalicelib.model import (
    RUNS_IN_FLIGHT_MAX,
    Agent,
    Approval,
    Connection,
    ConnectionState,
    Json,
    JsonObject,
    LedgerLine,
    Run,
    RunKind,
    ToolVersion,
)
from chalicelib.rules import approval as approval_rule
from chalicelib.rules import connections as connection_rule
from chalicelib.rules import throttle
from chalicelib.rules.approval import Verdict
from chalicelib.rules.asks import input_digest
from chalicelib.rules.connections import Unbound
from chalicelib.rules.names import read_name
from chalicelib.rules.reports import decide_passed, fit_report
from chalicelib.rules.schema import find_misfits, with_properties
from chalicelib.rules.trials import for_the_publisher
from chalicelib.services import approvals, pace, toolbox, trail, vendor_answers
from chalicelib.services.asks import Waiting
from chalicelib.services.deps import ANSWER_SECONDS, RUN_SECONDS_MAX, Deps, log
from chalicelib.services.identity import Caller, refresh
from chalicelib.services.retries import attempts

if TYPE_CHECKING:
    from chalicelib.proxy.gate import Gate
    from chalicelib.sandbox.runner import Session

DEADLINE: Final = timedelta(seconds=30)
"""After its start a run counts as over, whatever became of its process."""
CHECKOUT_SECONDS: Final = 3.0
DIED: Final = "died"
COUNTED: Final = {DIED: trail.RUNS_DIED, Reason.VENDOR_UNREACHABLE: trail.VENDOR_UNREACHABLE}
"""Outcomes of a run that are metrics, too."""


@dataclass(frozen=True, slots=True)
class Done:
    """The tool's own answer, or the report of a dry run."""

    value: Json


Outcome = Done | Waiting


class _PassGone(Exception):
    """The pass for this call was spent by another, or its answer was changed."""


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


def find_promoted(caller: Caller, called: str) -> tuple[str, str] | None:
    """(vendor, name) of a tool in the caller's set, by its wire name as a look-up reads it."""
    promotion = caller.facts.find(read_name(called))
    if promotion is None:
        return None
    vendor, _, name = promotion.tool.partition("__")
    return vendor, name


def call(deps: Deps, caller: Caller, vendor: str, name: str, input: JsonObject, *, dry_run: bool = False) -> Outcome:
    """Run a tool, promoted or not: validation, approval, claim, module. Raises `Refusal` for all it refuses."""
    wanted = toolbox.looked_up(vendor, name)
    facts = deps.store.find_call_facts(caller.agent, wanted)
    if facts.tool is None:
        raise toolbox.not_found(deps, caller, vendor, name)
    kind = RunKind.DRY_RUN if dry_run else RunKind.CALL
    _check_input(facts.tool, input, kind)
    connection = _choose(caller.agent, facts.tool, facts.connections)
    approval = approvals.find_answer(facts.approvals, connection)
    execution = Execution(facts.tool, input, kind, connection)
    match _decide(deps, execution, approval):
        case Verdict.DENIED:
            raise approvals.denied(facts.tool, approval)
        case Verdict.ASK if connection is Unbound.REVOKED:
            raise _revoked(facts.tool.vendor)
        case Verdict.RUN:
            return Done(execute(deps, caller, execution))
        case Verdict.SPEND:
            try:
                return Done(execute(deps, caller, replace(execution, spends=approval)))
            except _PassGone:
                pass
    return approvals.ask(deps, caller.agent, facts.tool, connection, input, approval)


def try_out(deps: Deps, caller: Caller, tool: ToolVersion, input: JsonObject) -> Json:
    """A publish's test run: a dry run whose failure is reported, not raised.

    The version is written already: an error that says "repeat the call" would publish another one.
    """
    try:
        report = _tried(deps, caller, tool, input)
    except Refusal as refusal:
        report = {"dryRun": True, "passed": False, "reads": [], "previews": [], "error": _error(refusal)}
    except Conflict:
        error = {"reason": Reason.RATE_LIMITED, "message": ""}
        report = {"dryRun": True, "passed": False, "reads": [], "previews": [], "error": error}
    return for_the_publisher(report)


def _tried(deps: Deps, caller: Caller, tool: ToolVersion, input: JsonObject) -> dict[str, Any]:
    _check_input(tool, input, RunKind.TEST_RUN)
    facts = deps.store.find_call_facts(caller.agent, tool.wire_name)
    connection = _choose(caller.agent, tool, facts.connections)
    approval = approvals.find_answer(facts.approvals, connection)
    execution = Execution(tool, input, RunKind.TEST_RUN, connection)
    if _decide(deps, execution, approval) is Verdict.DENIED:
        raise approvals.denied(tool, approval)
    report: dict[str, Any] = execute(deps, caller, execution)
    return report


def execute(deps: Deps, caller: Caller, execution: Execution) -> Any:
    """Claim, run, release: the tool's answer, or the report of a dry run.

    A worker is taken before the claim, so that no claim waits for one.
    """
    with deps.sandbox.session(timeout=CHECKOUT_SECONDS) as session:
        run, caller = _claim(deps, caller, execution)
        trail.message().run = {"id": run.id}
        gate = deps.new_gate(
            connection=_connection_reader(deps, execution),
            methods=execution.tool.methods,
            dry_run=execution.is_dry,
        )
        outcome: str = Reason.INTERNAL
        try:
            if execution.is_dry:
                report, outcome = _dry_run(deps, session, gate, execution)
                return report
            value = session.run(execution.tool.source, execution.input, gate, seconds=_run_seconds(deps))
            outcome = "ok"
            return value
        except Refusal as refusal:
            outcome = refusal.reason
            raise
        finally:
            line = LedgerLine(run, outcome, deps.now(), gate.calls)
            vendor_answers.beside(deps, caller.person.id, gate.last, lambda: _end(deps, caller.agent, line))


def _end(deps: Deps, agent: Agent, line: LedgerLine) -> None:
    """Release the run. What it did is done: a failure here must not turn its answer into "repeat the call"."""
    trail.end_run(agent.id, _told(line), _counts_of(line))
    try:
        deps.store.runs.release(agent, line)
    except Exception:
        log.exception("run %s was not released; it ends by itself at its deadline", line.run.id)


def _told(line: LedgerLine) -> JsonObject:
    """The ledger's line for the log."""
    run = line.run
    return {
        "id": run.id,
        "tool": run.tool,
        "version": run.version,
        "kind": run.kind.value,
        "outcome": str(line.outcome),
        "vendorCalls": line.vendor_calls,
        "ms": round((line.ended_at - run.started_at).total_seconds() * 1000),
    }


def _counts_of(line: LedgerLine) -> dict[str, float]:
    counted = COUNTED.get(line.outcome)
    return {counted: 1} if counted else {}


def _dry_run(deps: Deps, session: Session, gate: Gate, execution: Execution) -> tuple[Json, str]:
    """(report, outcome)."""
    end: dict[str, Json]
    outcome = "ok"
    try:
        end = {"result": session.run(execution.tool.source, execution.input, gate, seconds=_run_seconds(deps))}
    except Refusal as refusal:
        end, outcome = {"error": _error(refusal)}, refusal.reason
    passed = decide_passed(gate.reads, gate.previews, raised="error" in end)
    report = {"dryRun": True, "passed": passed, "reads": gate.reads, "previews": gate.previews, **end}
    return fit_report(report), outcome


def _run_seconds(deps: Deps) -> float:
    return min(RUN_SECONDS_MAX, deps.seconds_left() - ANSWER_SECONDS)


def _error(refusal: Refusal) -> JsonObject:
    return {"reason": refusal.reason, "message": refusal.message} | refusal.details


def _claim(deps: Deps, caller: Caller, execution: Execution) -> tuple[Run, Caller]:
    """Put a run in flight, reading again whenever the facts moved."""
    run_id = deps.new_timed_id()
    for _ in attempts(deps, "this agent"):
        bury_the_dead(deps, caller.agent)
        run = _new_run(deps, run_id, execution)
        _refuse_when_busy(caller.agent, run.started_at)
        if _put_in_flight(deps, caller, run, execution):
            return run, caller
        caller = refresh(deps, caller)
        mine = caller.agent.runs.get(run_id)
        if mine is not None:  # it went through, and only the answer was lost
            return mine, caller
        _require_pass(deps, caller.agent, execution)
    raise AssertionError("unreachable: attempts() ends with a refusal")


def _put_in_flight(deps: Deps, caller: Caller, run: Run, execution: Execution) -> bool:
    spent = execution.spends
    return deps.store.runs.claim(
        caller.facts,
        run,
        None if execution.is_dry else caller.facts.find(run.tool),
        throttle.pace_at(run.started_at),
        also=[] if spent is None else [deps.store.pass_spent(caller.agent, spent, input_digest(execution.input))],
    )


def _require_pass(deps: Deps, agent: Agent, execution: Execution) -> None:
    """A claim that failed may have failed for its pass: then there is nothing to try again."""
    if execution.spends is None:
        return
    tool, bound = execution.tool.wire_name, execution.spends.connection_id
    approval = deps.store.find_approval(agent.person_id, agent.id, tool, bound)
    if _decide(deps, execution, approval) is not Verdict.SPEND:
        raise _PassGone


def _new_run(deps: Deps, run_id: str, execution: Execution) -> Run:
    now = deps.now()
    tool = execution.tool
    return Run(run_id, tool.wire_name, tool.version, execution.kind, now, now + DEADLINE)


def _refuse_when_busy(agent: Agent, now: datetime) -> None:
    pace.refuse_when_spent(agent, now)
    living = sum(run.deadline > now for run in agent.runs.values())
    if living >= RUNS_IN_FLIGHT_MAX:
        raise Refusal(
            Reason.RATE_LIMITED,
            f"{RUNS_IN_FLIGHT_MAX} runs of this agent are in flight. Wait for one to end and repeat the call.",
            {"retryAfterSeconds": 1},
        )


def bury_the_dead(deps: Deps, agent: Agent) -> bool:
    """Write the line of every run whose process died, and take it out of flight. Whether there was one."""
    now = deps.now()
    dead = [run for run in agent.runs.values() if run.deadline <= now]
    for run in dead:
        line = LedgerLine(run, DIED, now)
        if deps.store.runs.bury(agent, line):
            trail.tell("run", {"agent": agent.id, "run": _told(line)}, _counts_of(line))
    return bool(dead)


def _check_input(tool: ToolVersion, input: JsonObject, kind: RunKind) -> None:
    misfits = find_misfits(tool.input_schema, input)
    if misfits:
        wrong = "; ".join(misfit.statement for misfit in misfits)
        next_step = "" if kind is RunKind.TEST_RUN else " Correct it by schema and repeat the call."
        raise Refusal(
            Reason.INPUT_INVALID,
            f"The input of {tool.wire_name} is not valid: {wrong}.{next_step}",
            {"field": misfits[0].field, "schema": with_properties(tool.input_schema)},
        )


def _choose(agent: Agent, tool: ToolVersion, connections: list[Connection]) -> Connection | Unbound:
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


def _decide(deps: Deps, execution: Execution, approval: Approval | None) -> Verdict:
    tool = execution.tool
    if execution.is_dry:
        return approval_rule.decide_dry_run(tool.annotations, approval)
    digest = "" if tool.annotations.read_only else input_digest(execution.input)
    return approval_rule.decide_call(tool.annotations, tool.version, approval, input_digest=digest, now=deps.now())


def _connection_reader(deps: Deps, execution: Execution) -> Callable[[], Connection]:
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
            raise _revoked(vendor)
        return row

    return read


def _revoked(vendor: str) -> Refusal:
    return Refusal(
        Reason.CONNECTION_REVOKED,
        f"The connection to {vendor} was revoked. Ask for a new one with request_connection.",
    )
