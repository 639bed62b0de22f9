"""docs/operations.md names commands and alarms that are there, all of the alarms, and fields that lines have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from benchmarks import rows

ROOT: Final = Path(__file__).resolve().parents[1]
TEXT: Final = (ROOT / "docs" / "operations.md").read_text()
ALARMS: Final = TEXT.partition("## Alarms")[2].partition("## Read the log")[0]
TEMPLATE: Final = (ROOT / "infra" / "template.yaml").read_text()


def test_every_make_target_is_there() -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    spoken = set(re.findall(r"\bmake ([a-z-]+)", TEXT)) - {"sure"}
    assert {"deploy", "reconcile", "infra"} <= spoken <= known


def test_every_alarm_is_explained_and_no_other() -> None:
    made = set(re.findall(r"AlarmName: !Sub graft-\$\{Stage\}-(\S+)", TEMPLATE))
    explained = re.findall(r"^\| `graft-<stage>-([a-z-]+)` \|", TEXT, re.MULTILINE)
    assert sorted(explained) == sorted(made)


def test_every_query_that_is_named_is_there() -> None:
    queries = set(re.findall(r"^\*([a-z ]+)\*\n```", TEXT, re.MULTILINE))
    named = set(re.findall(r"\*([a-z ]+)\*", ALARMS))
    assert named <= queries


def test_every_command_of_a_benchmark_can_be_run() -> None:
    for module in re.findall(r"python -m (benchmarks\.\w+)", TEXT):
        assert (ROOT / f"{module.replace('.', '/')}.py").exists()


@pytest.mark.parametrize("setting", sorted(set(re.findall(r"GRAFT_[A-Z_]+", TEXT))))
def test_every_setting_is_read(setting: str) -> None:
    assert setting in (ROOT / "chalicelib" / "wiring.py").read_text()


@pytest.mark.parametrize(("tools", "runs"), rows.SETS)
def test_the_sizes_are_what_the_benchmark_prints(tools: int, runs: int) -> None:
    size = rows.rows_of(tools, runs)
    assert f"| {tools:,} | {runs} | {size.agent:,} | {size.set:,} | {size.calls_a_second} |" in TEXT
