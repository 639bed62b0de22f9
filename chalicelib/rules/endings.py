"""How a job that makes no tool ends: why, what anybody is told of it, and what the agent does next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from chalicelib.errors import Reason
from chalicelib.model import Job
from chalicelib.rules.acquire import ATTEMPTS_MAX, TIME_MAX, TOKENS_MAX, Failure

SAID_MAX: Final = 600
"""Characters of what is told of an ending: the longest sentence, and what was wrong last."""


@dataclass(frozen=True, slots=True)
class Ending:
    failure: Failure
    said: str
    what_next: str
    tells_last: bool = False
    """What was wrong with the last attempt is part of it."""

    def because(self, detail: str) -> Ending:
        """The same, with a sentence more."""
        return replace(self, said=f"{self.said} {detail}".strip())

    def told_of(self, job: Job) -> str:
        """What happened, as anybody is told it; what an agent does next is no part of it."""
        last = job.draft.said if self.tells_last and job.draft else ""
        return (f"{self.said} Its last attempt: {last}" if last else self.said)[:SAID_MAX]


ATTEMPTS_SPENT: Final = Ending(
    Failure.ATTEMPT_BUDGET,
    f"After {ATTEMPTS_MAX} attempts no module passed its check and its dry run.",
    "Call acquire again with better hints, or write the tool yourself with publish_tool.",
    tells_last=True,
)
TOKENS_SPENT: Final = Ending(
    Failure.TOKEN_CEILING,
    f"The next attempt could have cost more than the {TOKENS_MAX:,} tokens that a job may use.",
    "Ask for less at once, or write the tool yourself with publish_tool.",
    tells_last=True,
)
GAVE_UP: Final = Ending(
    Failure.MODEL_GAVE_UP,
    "The model says that it cannot be done.",
    "Call acquire with another goal or better hints, or write the tool with publish_tool.",
)
UNANSWERED: Final = Ending(
    Failure.MODEL_FAILED,
    "The model did not answer.",
    "Try again later, or write the tool yourself with publish_tool.",
)
CONNECTION_GONE: Final = Ending(
    Failure.CONNECTION_UNAVAILABLE,
    "The connection was revoked, or has no credential.",
    "Ask for it with request_connection or request_credential, then call acquire.",
)
OUT_OF_SCOPE: Final = Ending(
    Failure.CONNECTION_UNAVAILABLE,
    "The agent may not use the connection any more.",
    "The person can let the agent use it again on the agent's page in Graft; then call acquire.",
)
WITHDRAWN: Final = Ending(
    Failure.CONNECTION_UNAVAILABLE,
    "The person's leave to have tools written on this connection was withdrawn, or does not cover the model used now.",
    "Call acquire again: it asks the person anew.",
)
UNREACHABLE: Final = Ending(Failure.VENDOR_UNREACHABLE, "The vendor could not be reached.", "Try again later.")
UNFINISHED: Final = Ending(
    Failure.JOB_FAILED,
    "The job did not come to its end.",
    "Call acquire again, or write the tool yourself with publish_tool.",
)
TIME_UP: Final = replace(
    UNFINISHED.because(f"Its {TIME_MAX.total_seconds() / 60:.0f} minutes were up."), tells_last=True
)
BROKEN: Final = UNFINISHED.because("Something went wrong on the way; Graft's log says what.")
ALL: Final = (
    ATTEMPTS_SPENT,
    TOKENS_SPENT,
    GAVE_UP,
    UNANSWERED,
    CONNECTION_GONE,
    OUT_OF_SCOPE,
    WITHDRAWN,
    UNREACHABLE,
    UNFINISHED,
    TIME_UP,
    BROKEN,
)

NO_FURTHER: Final[Mapping[Failure, Ending]] = {
    Failure.ATTEMPT_BUDGET: ATTEMPTS_SPENT,
    Failure.TOKEN_CEILING: TOKENS_SPENT,
    Failure.JOB_FAILED: TIME_UP,
}
"""Of a job that makes no further attempt."""

_HOPELESS: Final[Mapping[str, Ending]] = {
    Reason.CONNECTION_REVOKED: CONNECTION_GONE,
    Reason.CONNECTION_NOT_FOUND: OUT_OF_SCOPE,
    Reason.CONNECTION_NOT_BOUND: CONNECTION_GONE,
    Reason.CREDENTIAL_MISSING: CONNECTION_GONE,
    Reason.VENDOR_UNREACHABLE: UNREACHABLE,
    Reason.RATE_LIMITED: UNFINISHED,
    Reason.INTERNAL: UNFINISHED,
}


def find_ending(reason: str) -> Ending | None:
    """What a refusal of the proxy or a run means for the whole job; None: the next attempt may do better."""
    return _HOPELESS.get(reason)
