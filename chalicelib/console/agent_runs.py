"""The rows of the person's answers about an agent, and of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.model import ACQUIRE_APPROVAL, Answer, Approval, LedgerLine, Run, RunKind, ToolHead
from chalicelib.services.agent_view import AgentView

from . import moments
from .names import name_shown
from .outcomes import why
from .paging import cut, short
from .unseen import Piece, pieces
from .words import CHIP_WORDS, STANDING, Chip, chip

REASON_SHOWN: Final = 120
"""Characters of an answer's reason."""
TEXT_BYTES: Final = 600
"""What it may weigh in a page, characters that are spelled out included."""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    tool: str
    """What the answer is kept under: a wire name, unless it is about having tools written."""
    is_tool: bool
    chip: Chip | None
    """None: the tool cannot be read."""
    chip_word: str
    connection_id: str
    connection: tuple[Piece, ...]
    tone: str
    icon: str
    answer: str
    detail: str
    answered_at: datetime
    reason: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    at: datetime
    took: str
    tool: str
    version: int
    """0: of what is not published."""
    tone: str
    """Empty: nothing to remark."""
    icon: str
    outcome: str
    why: str
    """What ended it, as the end of a sentence; empty: nothing to remark."""
    reason: str
    """The refusal's name; empty: it was none."""


def answer_rows(view: AgentView) -> tuple[AnswerRow, ...]:
    names = {connection.id: connection.display_name for connection in view.connections}
    return tuple(_answer_row(approval, names, view.heads.get(approval.tool)) for approval in view.approvals)


def run_rows(view: AgentView) -> tuple[RunRow, ...]:
    """Those in flight first, then the latest."""
    begun = sorted(view.in_flight, key=lambda run: run.started_at, reverse=True)
    return (*map(_in_flight, begun), *map(_run_row, view.runs))


def _answer_row(approval: Approval, names: Mapping[str, str], head: ToolHead | None) -> AnswerRow:
    bound = approval.connection_id or ""
    current = head.version if head else approval.version
    kind = chip(head.annotations) if head else None
    is_old = approval.answer is Answer.ALLOWED and approval.version < current
    tone, icon = ("warn", "warn") if is_old else ("good", "check")
    if approval.answer is Answer.DENIED:
        tone, icon = "bad", "off"
    return AnswerRow(
        tool=approval.tool,
        is_tool=not approval.tool.startswith(ACQUIRE_APPROVAL),
        chip=kind,
        chip_word=CHIP_WORDS[kind] if kind else "",
        connection_id=bound,
        connection=name_shown(names.get(bound, bound) if bound else "without a connection"),
        tone=tone,
        icon="wait" if approval.answer is Answer.ASK_EVERY_TIME else icon,
        answer=STANDING[approval.answer],
        detail=_detail(approval, current if is_old else None),
        answered_at=approval.answered_at,
        reason=cut(pieces(short(approval.reason, REASON_SHOWN)), TEXT_BYTES),
    )


def _detail(approval: Approval, newer: int | None) -> str:
    if approval.tool.startswith(ACQUIRE_APPROVAL):
        return f"for any goal; what the vendor answers goes to {approval.tool.removeprefix(ACQUIRE_APPROVAL)}"
    if newer is not None:
        return f"version {approval.version}; version {newer} is current, so a call that writes asks once"
    match approval.answer:
        case Answer.DENIED:
            return "every version"
        case Answer.ASK_EVERY_TIME:
            return f"version {approval.version}, each call shows you what it sends"
        case _:
            return f"version {approval.version}, with any input, without asking"


_KINDS: Final = {
    RunKind.CALL: "",
    RunKind.DRY_RUN: "dry run, ",
    RunKind.TEST_RUN: "test run, ",
    RunKind.ACQUIRE: "a tool being written, ",
}
_FAILED: Final = frozenset({"tool_failed", "run_timeout", "vendor_unreachable", "internal"})


def _in_flight(run: Run) -> RunRow:
    return RunRow(run.started_at, "", run.tool, run.version, "good", "flight", f"{_KINDS[run.kind]}in flight", "", "")


def _run_row(line: LedgerLine) -> RunRow:
    kind = _KINDS[line.run.kind]
    tone, icon, outcome = _outcome(line)
    if kind and not tone:
        tone, icon = "calm", "read"
    reason = line.outcome if tone in ("bad", "warn") and line.outcome != "died" else ""
    took = moments.seconds(line.ended_at - line.run.started_at)
    said = why(line.outcome) if reason else ""
    return RunRow(line.run.started_at, took, line.run.tool, line.run.version, tone, icon, kind + outcome, said, reason)


def _outcome(line: LedgerLine) -> tuple[str, str, str]:
    """(tone, icon, word) of what the ledger says."""
    match line.outcome:
        case "ok":
            return "", "", "done"
        case "died":
            return "warn", "warn", "its process died"
        case "cancelled":
            return "calm", "off", "cancelled"
        case outcome if outcome in _FAILED or line.run.kind is RunKind.ACQUIRE:
            return "warn", "warn", "failed"
        case _:
            return "bad", "off", "refused"
