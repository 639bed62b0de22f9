"""A test run beside a publish: what to say of its failure. The version is there, whatever became of its test run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.errors import Reason

BUSY: Final = "Graft was too busy to try it."
_WHEN: Final = {
    Reason.INPUT_INVALID: "with an input that fits its inputSchema",
    Reason.CONNECTION_NOT_BOUND: "once its vendor is connected",
    Reason.CONNECTION_REVOKED: "once its vendor is connected again",
    Reason.CREDENTIAL_MISSING: "once its credential is entered",
    Reason.APPROVAL_DENIED: "once the person allows it",
    Reason.RATE_LIMITED: "in a moment",
    Reason.VENDOR_UNREACHABLE: "once the vendor answers",
}
"""Failures in which the source has no part, and when to try the tool again."""


def for_the_publisher(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report. A failure for which the source is not at fault says how to try the tool without publishing it."""
    when = find_when(report)
    if when is None:
        return dict(report)
    error = report["error"]
    said = BUSY if error["reason"] == Reason.RATE_LIMITED else error["message"]
    message = f"{said} The tool is published. Run it with run_tool and dryRun {when}."
    return {**report, "error": {**error, "message": message}}


def publish_advice(report: Mapping[str, Any]) -> str:
    """What the note of a publish says of its test run; empty: it passed."""
    if report["passed"]:
        return ""
    if _reason(report) == Reason.CONNECTION_AMBIGUOUS:
        return "The test run was not made (see dryRun): publish again and name one of the connections."
    when = find_when(report)
    if when is None:
        return "The test run failed (see dryRun): mend the source and publish again."
    return f"The test run says nothing of the source (see dryRun). Run it with run_tool and dryRun {when}."


def find_when(report: Mapping[str, Any]) -> str | None:
    """When a run that failed can be tried again as it is; None: it did not fail, or its source is to be mended."""
    return None if report["passed"] else _WHEN.get(_reason(report))


def _reason(report: Mapping[str, Any]) -> Any:
    return report.get("error", {}).get("reason")
