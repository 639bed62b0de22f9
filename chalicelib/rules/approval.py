"""The table of approvals: whether a call runs, asks or is refused."""

from __future__ import annotations

from enum import Enum

from chalicelib.model import Annotations, Answer, Approval


class Verdict(Enum):
    RUN = "run"
    ASK = "ask"
    DENIED = "denied"


def decide_call(annotations: Annotations, version: int, approval: Approval | None) -> Verdict:
    """What a real call of this version does under the person's standing answer."""
    if annotations.read_only:
        return Verdict.RUN
    match approval:
        case Approval(answer=Answer.DENIED):
            return Verdict.DENIED
        case Approval(answer=Answer.ALLOWED) if approval.version == version:
            return Verdict.RUN
        case _:
            return Verdict.ASK


def decide_dry_run(annotations: Annotations, approval: Approval | None) -> Verdict:
    """A dry run never asks: what writes stops at the proxy. A denied tool's is refused."""
    denied = not annotations.read_only and approval is not None and approval.answer is Answer.DENIED
    return Verdict.DENIED if denied else Verdict.RUN
