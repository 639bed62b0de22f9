"""How fast an agent may go: the runs it began in this minute bound all that it asks for."""

from __future__ import annotations

from datetime import datetime

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Agent
from chalicelib.rules import throttle


def seconds_to_wait(agent: Agent, now: datetime) -> int:
    """0: it need not wait."""
    return throttle.seconds_to_wait(agent.rate, now)


def refuse_when_spent(agent: Agent, now: datetime) -> None:
    """Refuse `rate_limited` until the next minute begins, once all runs of this one are begun."""
    wait = seconds_to_wait(agent, now)
    if wait:
        raise Refusal(Reason.RATE_LIMITED, f"{describe(wait)} and repeat the call.", {"retryAfterSeconds": wait})


def describe(wait: int) -> str:
    return f"This agent began {throttle.RUNS_PER_MINUTE_MAX} runs within a minute. Wait {wait} s"
