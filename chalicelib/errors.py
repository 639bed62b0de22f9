"""What Graft refuses, and why. Each door translates a `Refusal` in one place."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Reason(StrEnum):
    """The reasons of the contract; each is what `reason` says on the wire."""

    INPUT_INVALID = "input_invalid"
    TOOL_NOT_FOUND = "tool_not_found"
    CONNECTION_NOT_BOUND = "connection_not_bound"
    CONNECTION_AMBIGUOUS = "connection_ambiguous"
    CONNECTION_DECLINED = "connection_declined"
    CONNECTION_REVOKED = "connection_revoked"
    CONNECTION_NOT_FOUND = "connection_not_found"
    CREDENTIAL_MISSING = "credential_missing"
    APPROVAL_DENIED = "approval_denied"
    METHOD_NOT_DECLARED = "method_not_declared"
    HOST_NOT_ALLOWED = "host_not_allowed"
    RUN_TIMEOUT = "run_timeout"
    RESPONSE_TOO_LARGE = "response_too_large"
    TOO_MANY_REQUESTS_IN_RUN = "too_many_requests_in_run"
    TOOL_FAILED = "tool_failed"
    VENDOR_UNREACHABLE = "vendor_unreachable"
    PUBLISH_REFUSED = "publish_refused"
    ACQUIRE_UNCONFIGURED = "acquire_unconfigured"
    JOB_NOT_FOUND = "job_not_found"
    RATE_LIMITED = "rate_limited"
    INTERNAL = "internal"


class Refusal(Exception):
    """Graft will not do this, and `message` says what to do next.

    `details` travel beside it on the wire: JSON values only, never a secret, never host internals.
    """

    def __init__(self, reason: Reason, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.details: dict[str, Any] = dict(details or {})


class Misconfigured(Exception):
    """A setting is missing or not allowed here; the message says which and what to do, and quotes no value."""


class Unauthorized(Exception):
    """Unknown, revoked or malformed token: always the same answer, whatever the cause."""


class Conflict(Exception):
    """The table moved under a write until every retry was used up."""


class Unanswered(Exception):
    """A language model gave no reply. The text says why in words of ours, and quotes nothing that it sent."""
