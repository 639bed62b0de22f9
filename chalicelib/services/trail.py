"""What is known of the request that is being served, for its line in the log.

Whoever learns something notes it on the trail; the door writes it down once, at the end. The log is for whoever
operates Graft: it holds ids, names and numbers of Graft's own, and no text that a caller, a tool or a vendor sent.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

ERRORS: Final = "Errors"
"""Counted for every line of level ERROR, whoever wrote it."""
RATE_LIMITED: Final = "RateLimited"
RUNS_DIED: Final = "RunsDied"
VENDOR_UNREACHABLE: Final = "VendorUnreachable"
SWEEP_FAILED: Final = "SweepFailed"
SWEEP_NOT_REACHED: Final = "SweepNotReached"
SWEEP_OLDEST_DUE: Final = "SweepOldestDueSeconds"
SWEEP_LONGEST_IN_FLIGHT: Final = "SweepLongestInFlightSeconds"

OK: Final = "ok"

log = logging.getLogger("graft")


@dataclass(frozen=True, slots=True)
class Served:
    """One message of a request, and what came of it."""

    method: str
    outcome: str
    tool: str
    run_id: str
    log_id: str


@dataclass(slots=True)
class Trail:
    """One request. `tool`, `run_id`, `outcome` and `log_id` are those of the message at hand."""

    request_id: str = ""
    agent_id: str = ""
    tool: str = ""
    run_id: str = ""
    outcome: str = ""
    """Empty: all went well."""
    log_id: str = ""
    served: list[Served] = field(default_factory=list)

    def end_message(self, method: str) -> None:
        """A message was answered; what is noted from now on is about another one."""
        self.served.append(Served(method, self.outcome or OK, self.tool, self.run_id, self.log_id))
        self.tool = self.run_id = self.outcome = self.log_id = ""


_current: Final[ContextVar[Trail]] = ContextVar("graft_trail")


def current() -> Trail:
    """The trail of the request that this code serves; outside of any, one that nobody reads."""
    trail = _current.get(None)
    return Trail() if trail is None else trail


@contextmanager
def following(trail: Trail) -> Iterator[Trail]:
    """Make it the current one inside the block."""
    token = _current.set(trail)
    try:
        yield trail
    finally:
        _current.reset(token)


def tell(event: str, fields: Mapping[str, Any], counts: Mapping[str, float] | None = None) -> None:
    """Write one line: an event's name and its fields. `counts` are metrics of the line, by the names above.

    Values are ids, names and numbers of ours. Empty texts are left out of the line.
    """
    if log.isEnabledFor(logging.INFO):
        log.info(event, extra={"fields": fields, "counts": counts or {}})
