from __future__ import annotations

import json
from typing import Any

import pytest

from chalicelib.rules.reports import ANSWER_BYTES_MAX, decide_passed, fit_report


def report(previews: int, *, body: int, result: int) -> dict[str, Any]:
    entries = [{"method": "POST", "path": "/x", "body": "b" * body} for _ in range(previews)]
    return {"dryRun": True, "passed": True, "reads": [], "previews": entries, "result": "r" * result}


def test_a_report_that_fits_is_left_as_it_is() -> None:
    small = report(2, body=10, result=10)
    assert fit_report(small) == small


def test_a_report_that_is_too_large_keeps_every_call() -> None:
    fitted = fit_report(report(50, body=16_000, result=1000))
    assert len(json.dumps(fitted)) <= ANSWER_BYTES_MAX
    assert len(fitted["previews"]) == 50
    assert "15600 more characters" in fitted["previews"][0]["body"]
    assert fitted["result"] == "r" * 1000


def test_a_result_that_leaves_no_room_gives_way() -> None:
    fitted = fit_report(report(50, body=16_000, result=250_000))
    assert len(json.dumps(fitted)) <= ANSWER_BYTES_MAX
    assert fitted["result"]["truncated"] is True


@pytest.mark.parametrize(
    ("statuses", "previews", "raised", "passed"),
    [
        ([], 0, False, True),
        ([200, 399], 0, False, True),
        ([200, 400], 0, False, False),
        ([200], 0, True, False),
        ([200], 1, True, True),
        ([500], 1, True, False),
    ],
)
def test_a_dry_run_passes_by_its_reads_and_by_what_it_raised_first(
    statuses: list[int], previews: int, raised: bool, passed: bool
) -> None:
    assert decide_passed([{"status": status} for status in statuses], [{}] * previews, raised=raised) is passed
