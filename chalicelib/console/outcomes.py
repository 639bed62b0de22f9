"""How a run ended, in a person's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chalicelib.errors import Reason
from chalicelib.model import LedgerLine

from . import moments

_REASONS: Final[dict[str, str]] = {
    "died": "its process died",
    Reason.INPUT_INVALID: "its input was refused",
    Reason.CONNECTION_NOT_BOUND: "it had no connection",
    Reason.CONNECTION_AMBIGUOUS: "several connections fitted",
    Reason.CONNECTION_REVOKED: "its connection was revoked",
    Reason.CREDENTIAL_MISSING: "its connection has no secret",
    Reason.APPROVAL_DENIED: "you had denied it",
    Reason.METHOD_NOT_DECLARED: "it used a method that its source does not name",
    Reason.HOST_NOT_ALLOWED: "it called a host that its connection does not name",
    Reason.RUN_TIMEOUT: "it took too long",
    Reason.RESPONSE_TOO_LARGE: "the vendor sent too much",
    Reason.TOO_MANY_REQUESTS_IN_RUN: "it called the vendor too often",
    Reason.TOOL_FAILED: "its module raised an error",
    Reason.VENDOR_UNREACHABLE: "the vendor could not be reached",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    tone: str
    icon: str
    words: str


def outcome_of(line: LedgerLine | None) -> Outcome:
    """None: the run is in flight."""
    if line is None:
        return Outcome("good", "flight", "in flight")
    took = moments.seconds(line.ended_at - line.run.started_at)
    if line.outcome == "ok":
        return Outcome("good", "check", f"done in {took}")
    return Outcome("bad", "warn", f"failed after {took}: {why(line.outcome)}")


def why(reason: str) -> str:
    """A refusal's reason as the end of a sentence; of one that is not known here its own words."""
    return _REASONS.get(reason, reason.replace("_", " "))
