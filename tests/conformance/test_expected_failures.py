"""What the suite is allowed to find wrong is written down with its reason, and nothing else is allowed."""

from __future__ import annotations

import re

import pytest

from .fixture_tools import ACTIONS, FIXTURES
from .run import REVISIONS, baseline_of

ENTRY = re.compile(r"  - (?P<scenario>[\w:-]+) # (?P<reason>\S.{10,})")


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_expected_failure_says_why(revision: str) -> None:
    lines = baseline_of(revision).read_text().splitlines()
    entries = [line for line in lines if line.lstrip().startswith("- ")]
    assert entries
    assert [line for line in entries if not ENTRY.fullmatch(line)] == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_no_scenario_that_calls_a_tool_for_what_graft_offers_is_expected_to_fail(revision: str) -> None:
    expected = {match["scenario"] for match in ENTRY.finditer(baseline_of(revision).read_text())}
    tools = {name for name in expected if name.startswith("tools-")}
    assert tools <= {"tools-call-sampling", "tools-call-elicitation"}


def test_the_fixtures_stand_behind_the_meta_tools_and_each_does_something() -> None:
    names = [tool.name for tool in FIXTURES.tools]
    assert names[0] == "find_tool"
    assert names[-len(ACTIONS) :] == list(ACTIONS)
    assert set(names) == set(FIXTURES.actions())
