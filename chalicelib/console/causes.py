"""Why tools came and left, in the contract's words and in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chalicelib.model import CAP_RANGE, IDLE_WINDOW_DAYS_RANGE, Agent, Cause, ChangeSet

from . import moments
from .words import count

if TYPE_CHECKING:
    from chalicelib.services.agent_view import Left

LABELS: Final = {
    Cause.AGENT: "the agent asked",
    Cause.PUBLISH: "published by the agent",
    Cause.IDLE: "unused past the idle window",
    Cause.CAP: "over the working-set cap",
    Cause.REVOKE: "its connection was revoked",
}
PROMOTED_BY: Final = {Cause.AGENT: "the agent", Cause.PUBLISH: "a publish"}
BY_THE_RULE: Final = "the rule"


def promoted_by(cause: Cause) -> str:
    return PROMOTED_BY.get(cause, BY_THE_RULE)


def what_decided(left: Left, agent: Agent) -> str:
    """The facts of one departure, as a sentence."""
    change, record = left.departure.change, left.departure.record
    active = moments.exact(change.active_at) if change.active_at else "an unknown time"
    match change.cause:
        case Cause.IDLE:
            window = f"the idle window was {count(record.idle_window_days, 'day')}"
            return f"Last active {active}; {window}.{_moved_to(record)}"
        case Cause.CAP:
            return f"{_size(record)}, a cap of {record.cap}; promoted {active}, not called since.{_moved_to(record)}"
        case Cause.REVOKE:
            return "Every tool bound to that connection left."
        case _:
            return f"{agent.name} demoted it itself."


def what_would_have_kept(left: Left, agent: Agent) -> str:
    """The setting that would have kept it, beside what is set now."""
    keeper = left.keeper
    if keeper.idle_window_days is not None:
        kept = f"An idle window of {count(keeper.idle_window_days, 'day')} would have kept it."
        return kept + _raised(agent.idle_window_days, keeper.idle_window_days, " days")
    if keeper.cap is not None:
        return f"A cap of {keeper.cap} would have kept it." + _raised(agent.cap, keeper.cap, "")
    match left.departure.change.cause:
        case Cause.IDLE:
            return f"No idle window is that long: {IDLE_WINDOW_DAYS_RANGE[-1]} days are the most."
        case Cause.CAP:
            return f"No cap is that high: {CAP_RANGE[-1]} is the most."
        case Cause.REVOKE:
            return "No setting would have kept it. Connect the account again first; that alone brings nothing back."
        case _:
            return "No setting would have kept it."


def way_back(tool: str) -> str:
    """What to say to the agent."""
    return f"Promote {tool} again, please."


def _raised(now: int, needed: int, unit: str) -> str:
    return f" It is {now}{unit} by now." if now >= needed else ""


def _moved_to(record: ChangeSet) -> str:
    return f" The sweep was made as of {moments.exact(record.rule_at)}." if record.rule_at else ""


def _size(record: ChangeSet) -> str:
    return count(record.set_size, "tool")
