"""Running a tool: what `executions` decides, `claims` puts in flight, and `ledger` ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Conflict, Reason, Refusal
from chalicelib.model import Json, JsonObject, LedgerLine, RunKind, ToolVersion
from chalicelib.rules.approval import Verdict
from chalicelib.rules.connections import Unbound
from chalicelib.rules.names import read_name
from chalicelib.rules.reports import decide_passed, fit_report
from chalicelib.rules.trials import for_the_publisher
from chalicelib.services import approvals, executions, ledger, toolbox, trail, vendor_answers
from chalicelib.services.asks import Waiting
from chalicelib.services.claims import PassGone, claim
from chalicelib.services.deps import ANSWER_SECONDS, RUN_SECONDS_MAX, Deps
from chalicelib.services.executions import Execution
from chalicelib.services.identity import Caller

if TYPE_CHECKING:
    from chalicelib.proxy.gate import Gate
    from chalicelib.sandbox.runner import Session

CHECKOUT_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Done:
    """The tool's own answer, or the report of a dry run."""

    value: Json


Outcome = Done | Waiting


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
    executions.check_input(facts.tool, input, kind)
    connection = executions.choose_connection(caller.agent, facts.tool, facts.connections)
    approval = approvals.find_answer(facts.approvals, connection)
    execution = Execution(facts.tool, input, kind, connection)
    match executions.decide(deps, execution, approval):
        case Verdict.DENIED:
            raise approvals.denied(facts.tool, approval)
        case Verdict.ASK if connection is Unbound.REVOKED:
            raise executions.revoked(facts.tool.vendor)
        case Verdict.RUN:
            return Done(execute(deps, caller, execution))
        case Verdict.SPEND:
            try:
                return Done(execute(deps, caller, replace(execution, spends=approval)))
            except PassGone:
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
    executions.check_input(tool, input, RunKind.TEST_RUN)
    facts = deps.store.find_call_facts(caller.agent, tool.wire_name)
    connection = executions.choose_connection(caller.agent, tool, facts.connections)
    approval = approvals.find_answer(facts.approvals, connection)
    execution = Execution(tool, input, RunKind.TEST_RUN, connection)
    if executions.decide(deps, execution, approval) is Verdict.DENIED:
        raise approvals.denied(tool, approval)
    report: dict[str, Any] = execute(deps, caller, execution)
    return report


def execute(deps: Deps, caller: Caller, execution: Execution) -> Any:
    """Claim, run, release: the tool's answer, or the report of a dry run.

    A worker is taken before the claim, so that no claim waits for one.
    """
    with deps.sandbox.session(timeout=CHECKOUT_SECONDS) as session:
        run, caller = claim(deps, caller, execution)
        trail.message().run = {"id": run.id}
        gate = deps.new_gate(
            connection=executions.connection_reader(deps, execution),
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
            vendor_answers.beside(deps, caller.person.id, gate.last, lambda: ledger.end(deps, caller.agent, line))


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
