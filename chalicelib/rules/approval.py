"""The table of approvals: whether a call runs, asks or is refused."""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from chalicelib.model import Annotations, Answer, Approval


class Verdict(Enum):
    RUN = "run"
    SPEND = "spend"
    """Runs once, for a pass that is spent by the claim."""
    ASK = "ask"
    DENIED = "denied"


def decide_call(
    annotations: Annotations, version: int, approval: Approval | None, *, input_digest: str, now: datetime
) -> Verdict:
    """What a real call of this version with this input does under the person's standing answer."""
    if annotations.read_only:
        return Verdict.RUN
    match approval:
        case Approval(answer=Answer.DENIED):
            return Verdict.DENIED
        case Approval(answer=Answer.ALLOWED) if approval.version == version:
            return Verdict.RUN
        case Approval(answer=Answer.ASK_EVERY_TIME) if _has_pass(approval, version, input_digest, now):
            return Verdict.SPEND
        case _:
            return Verdict.ASK


def _has_pass(approval: Approval, version: int, input_digest: str, now: datetime) -> bool:
    """A pass is for exactly one call: this version, this input."""
    until = approval.passes.get(input_digest)
    return approval.version == version and until is not None and now < until


def asks_every_time(approval: Approval | None) -> bool:
    return approval is not None and approval.answer is Answer.ASK_EVERY_TIME


def decide_dry_run(annotations: Annotations, approval: Approval | None) -> Verdict:
    """A dry run never asks: what writes stops at the proxy. A denied tool's is refused."""
    denied = not annotations.read_only and approval is not None and approval.answer is Answer.DENIED
    return Verdict.DENIED if denied else Verdict.RUN
