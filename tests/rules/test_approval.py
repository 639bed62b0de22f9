from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.model import Annotations, Answer, Approval
from chalicelib.rules.approval import Verdict, decide_call, decide_dry_run

READS = Annotations(read_only=True, destructive=False)
WRITES = Annotations(read_only=False, destructive=False)
DELETES = Annotations(read_only=False, destructive=True)


NOW = datetime(2026, 11, 30, tzinfo=UTC)
LATER, EARLIER = NOW + timedelta(milliseconds=1), NOW - timedelta(milliseconds=1)


def answered(answer: Answer, version: int = 1, **passes: datetime) -> Approval:
    return Approval("demo__a", "c1", answer, version, NOW, passes=passes)


def decide(annotations: Annotations, version: int, approval: Approval | None) -> Verdict:
    return decide_call(annotations, version, approval, input_digest="this", now=NOW)


@pytest.mark.parametrize("approval", [None, *(answered(answer) for answer in Answer)])
def test_a_tool_that_only_reads_runs(approval: Approval | None) -> None:
    assert decide(READS, 1, approval) is Verdict.RUN


@pytest.mark.parametrize("annotations", [WRITES, DELETES])
@pytest.mark.parametrize(
    ("approval", "verdict"),
    [
        (None, Verdict.ASK),
        (answered(Answer.ALLOWED, version=2), Verdict.RUN),
        (answered(Answer.ALLOWED, version=1), Verdict.ASK),
        (answered(Answer.ASK_EVERY_TIME, version=2), Verdict.ASK),
        (answered(Answer.ASK_EVERY_TIME, version=2, this=LATER), Verdict.SPEND),
        (answered(Answer.ASK_EVERY_TIME, version=2, this=NOW), Verdict.ASK),
        (answered(Answer.ASK_EVERY_TIME, version=2, this=EARLIER), Verdict.ASK),
        (answered(Answer.ASK_EVERY_TIME, version=2, other=LATER), Verdict.ASK),
        (answered(Answer.ASK_EVERY_TIME, version=1, this=LATER), Verdict.ASK),
        (answered(Answer.ALLOWED, version=1, this=LATER), Verdict.ASK),
        (answered(Answer.DENIED, version=2, this=LATER), Verdict.DENIED),
        (answered(Answer.DENIED, version=1), Verdict.DENIED),
        (answered(Answer.DENIED, version=2), Verdict.DENIED),
    ],
)
def test_a_tool_that_writes_runs_as_it_was_answered(
    annotations: Annotations, approval: Approval | None, verdict: Verdict
) -> None:
    assert decide(annotations, 2, approval) is verdict


def test_a_dry_run_never_asks_and_is_refused_only_to_a_denied_tool() -> None:
    assert decide_dry_run(WRITES, None) is Verdict.RUN
    assert decide_dry_run(WRITES, answered(Answer.DENIED)) is Verdict.DENIED
    assert decide_dry_run(READS, answered(Answer.DENIED)) is Verdict.RUN
