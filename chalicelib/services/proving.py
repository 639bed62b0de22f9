"""Trying a tool that is not published: reads alone, then a dry run. No write leaves in either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import READING_METHODS, Connection, JsonObject, RunKind, ToolVersion
from chalicelib.rules.briefing import EXCERPT_MAX
from chalicelib.rules.candidate import Candidate
from chalicelib.rules.schema import find_misfits
from chalicelib.services import runs
from chalicelib.services.deps import Deps
from chalicelib.services.executions import Execution
from chalicelib.services.identity import Caller

READER: Final = "acquire-reads"
"""What the ledger calls the reads of a job, after the vendor."""
UNPUBLISHED: Final = 0
_READS: Final = f"""\
def run(input, http):
    answers = []
    for path in input["paths"]:
        answer = http.get(path)
        kind = str(answer.headers.get("content-type", ""))[:80]
        answers.append({{"path": path, "status": answer.status, "type": kind, "text": answer.text()[:{EXCERPT_MAX}]}})
    return answers
"""


@dataclass(frozen=True, slots=True)
class Proofs:
    """What the vendor answered to reads, redacted and cut."""

    answers: Sequence[Mapping[str, Any]]
    error: Mapping[str, Any] | None = None
    """The refusal that ended them."""

    @property
    def passed(self) -> bool:
        return self.error is None and all(answer["status"] < 400 for answer in self.answers)


def read_paths(deps: Deps, caller: Caller, connection: Connection, paths: Sequence[str]) -> Proofs:
    """GET each path. They go through the same gate as a tool's, so nothing else can leave."""
    if not paths:
        return Proofs(())
    tool = _unpublished(deps, caller, connection, READER, _READS, READING_METHODS)
    report = _dry_run(deps, caller, connection, tool, {"paths": list(paths)})
    error = report.get("error")
    return Proofs(report.get("result") or (), error)


def dry_run(
    deps: Deps, caller: Caller, connection: Connection, candidate: Candidate, methods: frozenset[str]
) -> Mapping[str, Any]:
    """The report of a dry run of the candidate with its test input."""
    misfits = find_misfits(candidate.input_schema, candidate.test_input)
    if misfits:
        wrong = "; ".join(misfit.statement for misfit in misfits)
        return {"passed": False, "error": {"reason": "input_invalid", "message": f"testInput does not fit: {wrong}."}}
    tool = _unpublished(deps, caller, connection, candidate.name, candidate.source, methods)
    return _dry_run(deps, caller, connection, tool, candidate.test_input)


def _dry_run(
    deps: Deps, caller: Caller, connection: Connection, tool: ToolVersion, input: JsonObject
) -> Mapping[str, Any]:
    execution = Execution(tool, input, RunKind.TEST_RUN, connection)
    try:
        report: Mapping[str, Any] = runs.execute(deps, caller, execution)
    except Refusal as refusal:
        if refusal.reason is Reason.RATE_LIMITED:
            raise
        return {"passed": False, "error": {"reason": refusal.reason.value, "message": refusal.message}}
    return report


def _unpublished(
    deps: Deps, caller: Caller, connection: Connection, name: str, source: str, methods: frozenset[str]
) -> ToolVersion:
    return ToolVersion(
        vendor=connection.vendor,
        name=name,
        version=UNPUBLISHED,
        description="",
        input_schema={},
        source=source,
        methods=methods,
        connection_id=connection.id,
        published_by=caller.agent.id,
        published_at=deps.now(),
    )
