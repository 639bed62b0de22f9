"""docs/reports.md and the tests that name its reports say the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPORTS_KNOWN = 38
REPORT = re.compile(r"[\w.-]+/[\w.-]+#\d+")
NAMED = re.compile(r"Report: (?P<reports>[\w.-]+/[\w.-]+#\d+(?:, [\w.-]+/[\w.-]+#\d+)*)")
ROW = re.compile(r"^\| (?P<report>[\w.-]+/[\w.-]+#\d+) \| (?P<here>.+) \| (?P<shown>.+) \|$", re.MULTILINE)
TEST_FILE = re.compile(r"`(tests/[\w./-]+\.py)`")
REASON_CHARACTERS_MIN = 40


@dataclass(frozen=True)
class Row:
    report: str
    shown: str

    @property
    def files(self) -> list[str]:
        return TEST_FILE.findall(self.shown)


def rows() -> list[Row]:
    text = (ROOT / "docs" / "reports.md").read_text()
    return [Row(match["report"], match["shown"]) for match in ROW.finditer(text)]


def named_in(file: str) -> set[str]:
    """The reports that a test file names."""
    text = (ROOT / file).read_text()
    return {report for match in NAMED.finditer(text) for report in match["reports"].split(", ")}


def test_every_report_is_there_once() -> None:
    reports = [row.report for row in rows()]
    assert len(reports) == len(set(reports)) == REPORTS_KNOWN
    assert all(REPORT.fullmatch(report) for report in reports)


def test_every_report_is_named_by_the_tests_that_its_row_leads_to_or_has_a_reason() -> None:
    for row in rows():
        assert row.files or len(row.shown) >= REASON_CHARACTERS_MIN, f"{row.report}: no test and no reason"
        for file in row.files:
            assert row.report in named_in(file), f"{row.report}: no test in {file} names it"


def test_every_report_that_a_test_names_leads_back_to_it() -> None:
    known = {(row.report, file) for row in rows() for file in row.files}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        file = str(path.relative_to(ROOT))
        missing = {report for report in named_in(file) if (report, file) not in known}
        assert not missing, f"docs/reports.md does not lead from {missing} to {file}"
