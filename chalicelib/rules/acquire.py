"""Having a tool written: what a job may spend, until when it is open, and under which name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Any, Final

from chalicelib.model import Answer, Approval, Job, JobStatus, Json, Reply

ATTEMPTS_MAX: Final = 4
TOKENS_MAX: Final = 400_000
"""Of all replies of a job together, both directions."""
TIME_MAX: Final = timedelta(minutes=10)
"""From the call to the job's end."""
MADE: Final = "ok"
"""What the ledger calls the end of a job that made a tool."""
JOBS_OPEN_MAX: Final = 3
"""Of one agent."""
REPLY_TOKENS_MAX: Final = 8_000
LEASE: Final = timedelta(seconds=90)
"""Longer than any step of a job, for while the model writes the worker is heard of every 20 s: one that is silent for
so long is gone."""
TAKE_UP: Final = timedelta(seconds=60)
"""How long a worker may take to come; then another one is called."""
CHARACTERS_PER_TOKEN: Final = 3
"""Low on purpose: an estimate before a reply must not be below its true cost."""


class Failure(StrEnum):
    """Why a job made no tool."""

    ATTEMPT_BUDGET = "attempt_budget"
    TOKEN_CEILING = "token_ceiling"  # noqa: S105 - a failure's name
    MODEL_GAVE_UP = "model_gave_up"
    MODEL_FAILED = "model_failed"
    CONNECTION_UNAVAILABLE = "connection_unavailable"
    VENDOR_UNREACHABLE = "vendor_unreachable"
    JOB_FAILED = "job_failed"


class Standing(Enum):
    """What the person's answer means for a job."""

    ALLOWED = "allowed"
    ASK = "ask"
    DENIED = "denied"


def goal_digest(connection_id: str, goal: str) -> str:
    """32 characters, equal for what counts as one goal: case, spaces and a full stop at the end are no difference."""
    plain = " ".join(goal.casefold().split()).rstrip(".!")
    return hashlib.sha256(f"{connection_id}\n{plain}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def decide_standing(approval: Approval | None) -> Standing:
    """Once allowed, jobs of this agent on this connection ask no more; once denied they are refused."""
    match approval:
        case Approval(answer=Answer.ALLOWED):
            return Standing.ALLOWED
        case Approval(answer=Answer.DENIED):
            return Standing.DENIED
        case _:
            return Standing.ASK


def decide_attempt(job: Job, *, prompt_characters: int, now: datetime) -> Failure | None:
    """Why there is no further attempt; None: there is one."""
    if now >= job.deadline:
        return Failure.JOB_FAILED
    if job.attempts >= ATTEMPTS_MAX:
        return Failure.ATTEMPT_BUDGET
    if job.tokens + _likely_cost(job, prompt_characters) > TOKENS_MAX:
        return Failure.TOKEN_CEILING
    return None


def _likely_cost(job: Job, prompt_characters: int) -> int:
    """Of the next attempt: the whole of what it may cost, and no less than the ones before it did."""
    before = -(-job.tokens // job.attempts) if job.attempts else 0
    return max(before, estimate_tokens(prompt_characters) + REPLY_TOKENS_MAX)


def cost_of(reply: Reply, *, prompt_characters: int) -> int:
    """Tokens; of a service that does not say, an estimate."""
    told = reply.tokens_in + reply.tokens_out
    return told or estimate_tokens(prompt_characters + len(reply.text))


def estimate_tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def proves_nothing(report: Mapping[str, Any], *, insists: bool) -> bool:
    """Whether a dry run that passed shows nothing: it wrote nothing and returned nothing. That is believed once the
    model insists on it."""
    is_empty = "result" in report and report["result"] in _EMPTY and not report["previews"]
    return is_empty and not insists


_EMPTY: Final[tuple[Json, ...]] = (None, "", [], {})


def outcome_of(ended: Job) -> str:
    """What the ledger calls the end of this job."""
    if ended.status is JobStatus.SUCCEEDED:
        return MADE
    return str((ended.result or {}).get("failure", ended.status.value))


def held_until(job: Job) -> datetime:
    """Until when the open job holds the sweep off, whatever becomes of its workers: its deadline, and beyond it only
    while a worker is heard of."""
    return max(job.deadline, job.lease_until)


def next_lease(job: Job, now: datetime) -> datetime:
    """Until when a job that is queued again waits for a worker. Past its deadline it waits for none."""
    return min(now + TAKE_UP, job.deadline)


def is_silent(job: Job, now: datetime) -> bool:
    """Whether an open job's worker is gone."""
    return job.status.is_open and job.lease_until <= now


def is_overdue(job: Job, now: datetime) -> bool:
    """A silent job whose time is up has no further worker to wait for."""
    return is_silent(job, now) and job.deadline <= now
