"""What was wrong with an attempt, in a line for whoever follows the job: the first problems, quoted and cut.

A problem may hold a model's words or a vendor's. They stand between quotation marks that they cannot close.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chalicelib.model import Problem

TOLD: Final = 2
"""Problems."""
WORDS_MAX: Final = 140
"""Characters of each."""
WHY_MAX: Final = 300
"""Characters of why a model gives up."""


def quoted(text: str, most: int = WORDS_MAX) -> str:
    """On one line, between quotation marks; what cannot be printed is U+FFFD."""
    line = " ".join(text.split()).replace('"', "'")
    plain = "".join(character if character.isprintable() else "\ufffd" for character in line)
    return f'"{plain}"' if len(plain) <= most else f'"{plain[: most - 1]}…"'


def gave_up(why: str) -> str:
    """The model's reason as a sentence; empty when it gave none."""
    said = why.strip().rstrip(".!?…")
    return f"It says: {quoted(said, WHY_MAX)}." if said else ""


def misread(problems: Sequence[str]) -> str:
    return _with("The reply could not be read", problems)


def failed_check(tool: str, problems: Sequence[Problem]) -> str:
    found = [f"line {p.line}, {p.rule}: {p.message}" for p in problems if p.blocking]
    number = f"{len(found)} problem{'s' if len(found) != 1 else ''}"
    return _with(f"{tool} did not pass the check, {number}", found)


def failed_reads(answers: Sequence[Mapping[str, Any]], error: Mapping[str, Any] | None) -> str:
    reads = [{"method": "GET", **answer} for answer in answers]
    return _with("A proof read failed", _of_run(reads, error))


def failed_dry_run(tool: str, report: Mapping[str, Any]) -> str:
    return _with(f"The dry run of {tool} did not pass", _of_run(report.get("reads", ()), report.get("error")))


def _of_run(reads: Sequence[Mapping[str, Any]], error: Mapping[str, Any] | None) -> list[str]:
    """What the module raised says more than the read that made it."""
    raised = [f"{error['reason']}: {error['message']}"] if error else []
    failed = [f"{read['method']} {read['path']} answered {read['status']}" for read in reads if read["status"] >= 400]
    return [*raised, *failed]


def _with(what: str, problems: Sequence[str]) -> str:
    told = ", ".join(quoted(problem) for problem in problems[:TOLD])
    return f"{what}: {told}." if told else f"{what}."
