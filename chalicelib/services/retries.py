"""Trying again when somebody else's write came first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.services.deps import Deps

ATTEMPTS: Final = 24
"""Of three at once one wins each time, seldom the one that waits longest: 0.75 ** 24 is one in a thousand."""
FIRST_PAUSE_SECONDS: Final = 0.02
LONGEST_PAUSE_SECONDS: Final = 0.5


def attempts(deps: Deps, what: str) -> Iterator[None]:
    """Loop over this and leave the loop on success: each loss means that another write went through.

    Pauses grow and are random, so that thirty who met once do not meet again. Refuses `rate_limited` in the end.
    """
    longest = FIRST_PAUSE_SECONDS
    for _ in range(ATTEMPTS):
        yield
        deps.pause(longest * deps.random_bytes(1)[0] / 255)
        longest = min(longest * 2, LONGEST_PAUSE_SECONDS)
    raise Refusal(
        Reason.RATE_LIMITED,
        f"Too many changes of {what} at the same moment; this one was not made. Repeat the call.",
        {"retryAfterSeconds": 1},
    )
