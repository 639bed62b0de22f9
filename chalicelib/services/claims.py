"""Putting a run in flight. Its claim stamps the use and spends the pass, and is tried again on what was read anew."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import RUNS_IN_FLIGHT_MAX, Agent, Run
from chalicelib.rules import throttle
from chalicelib.rules.approval import Verdict
from chalicelib.rules.asks import input_digest
from chalicelib.services import pace
from chalicelib.services.deps import Deps
from chalicelib.services.executions import Execution, decide
from chalicelib.services.identity import Caller, refresh
from chalicelib.services.ledger import bury_the_dead
from chalicelib.services.retries import attempts

DEADLINE: Final = timedelta(seconds=30)
"""After its start a run counts as over, whatever became of its process."""


class PassGone(Exception):
    """The pass for this call was spent by another, or its answer was changed."""


def claim(deps: Deps, caller: Caller, execution: Execution) -> tuple[Run, Caller]:
    """Put a run in flight, reading again whenever the facts moved. Answers the run and the caller as last read.

    Raises `PassGone`, and `Refusal` for an agent that is busy.
    """
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
    if decide(deps, execution, approval) is not Verdict.SPEND:
        raise PassGone


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
