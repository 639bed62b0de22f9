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
METRICS: Final = (
    ERRORS,
    RATE_LIMITED,
    RUNS_DIED,
    VENDOR_UNREACHABLE,
    SWEEP_FAILED,
    SWEEP_NOT_REACHED,
    SWEEP_OLDEST_DUE,
    SWEEP_LONGEST_IN_FLIGHT,
)
"""All that there are: AWS charges for each by the hour in which it was counted, and ten are free."""

OK: Final = "ok"
NOTHING: Final[Mapping[str, Any]] = {}

log = logging.getLogger("graft")


@dataclass(slots=True)
class Served:
    """One message of a request, and what came of it. Filled in while it is served."""

    method: str = ""
    tool: str = ""
    outcome: str = ""
    """Empty: all went well."""
    log_id: str = ""
    run: Mapping[str, Any] = field(default_factory=dict)
    """The run that it led to, as fields."""
    counts: Mapping[str, float] = field(default_factory=dict)
    """The metrics of that run."""


@dataclass(slots=True)
class Trail:
    """One request."""

    request_id: str = ""
    agent_id: str = ""
    person_id: str = ""
    """Who is signed in, of a page."""
    route: str = ""
    """Which page: the pattern of its path."""
    message: Served = field(default_factory=Served)
    """The one at hand."""
    served: list[Served] = field(default_factory=list)

    def end_message(self, method: str) -> None:
        """A message was answered; what is noted from now on is about another one."""
        self.message.method = method
        self.served.append(self.message)
        self.message = Served()


_current: Final[ContextVar[Trail]] = ContextVar("graft_trail")


def current() -> Trail:
    """The trail of the request that this code serves; outside of any, one that nobody reads."""
    trail = _current.get(None)
    return Trail() if trail is None else trail


def message() -> Served:
    """The message that this code serves."""
    return current().message


@contextmanager
def following(trail: Trail) -> Iterator[Trail]:
    """Make it the current one inside the block."""
    token = _current.set(trail)
    try:
        yield trail
    finally:
        _current.reset(token)


def end_run(agent_id: str, run: Mapping[str, Any], counts: Mapping[str, float]) -> None:
    """A run came to its end: it belongs to the line of its request, or has its own where there is none."""
    if _current.get(None) is None:
        tell("run", {"agent": agent_id, "run": run}, counts)
    else:
        current().agent_id = agent_id
        message().run, message().counts = run, counts


def tell(event: str, fields: Mapping[str, Any], counts: Mapping[str, float] = NOTHING) -> None:
    """Write one line: an event's name and its fields. `counts` are metrics of the line, by the names above.

    Values are ids, names and numbers of ours. Empty ones are left out of the line.
    """
    if log.isEnabledFor(logging.INFO):
        extra = {"fields": fields, "counts": counts}
        log.handle(log.makeRecord(log.name, logging.INFO, "", 0, event, (), None, extra=extra))
