"""How a run ends: its line in the ledger and in the log, and its release."""

from __future__ import annotations

from typing import Final

from chalicelib.errors import Reason
from chalicelib.model import Agent, JsonObject, LedgerLine
from chalicelib.services import trail
from chalicelib.services.deps import Deps, log

DIED: Final = "died"
COUNTED: Final = {DIED: trail.RUNS_DIED, Reason.VENDOR_UNREACHABLE: trail.VENDOR_UNREACHABLE}
"""Outcomes of a run that are metrics, too."""


def end(deps: Deps, agent: Agent, line: LedgerLine) -> None:
    """Release the run. What it did is done: a failure here must not turn its answer into "repeat the call"."""
    trail.end_run(agent.id, _told(line), _counts_of(line))
    try:
        deps.store.runs.release(agent, line)
    except Exception:
        log.exception("run %s was not released; it ends by itself at its deadline", line.run.id)


def bury_the_dead(deps: Deps, agent: Agent) -> bool:
    """Write the line of every run whose process died, and take it out of flight. Whether there was one."""
    now = deps.now()
    dead = [run for run in agent.runs.values() if run.deadline <= now]
    for run in dead:
        line = LedgerLine(run, DIED, now)
        if deps.store.runs.bury(agent, line):
            trail.tell("run", {"agent": agent.id, "run": _told(line)}, _counts_of(line))
    return bool(dead)


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
