"""What leaves a process that goes down every path with secrets in hand: tests/logs/all_paths.py."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.console.walk import PAGES
from tests.services.world import PERSON

ROOT: Final = Path(__file__).resolve().parents[2]
SECONDS: Final = 300.0
SYNTAX: Final = {"filter", "fields", "stats", "sort", "desc", "limit", "by", "and", "or", "like", "m"}
FOR_NOBODY: Final = (
    "token",
    "credential",
    "opened",
    "basic",
    "scheme",
    "bearer",
    "bare",
    "cookie",
    "session",
    "exception",
    "password",
    "wrong-password",
    "typed",
    "model-key",
    "model-refusal",
)
"""Neither a caller nor the table may have these; the others are a caller's own words, or a vendor's to it."""


@dataclass(frozen=True)
class Process:
    output: str
    errors: str
    told: dict[str, Any]

    @property
    def secrets(self) -> dict[str, str]:
        return dict(self.told["secrets"])

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.output.splitlines()]

    def outcomes(self) -> set[str]:
        return {line["outcome"] for line in self.lines() if line.get("event") == "request"}


def ran(folder: Path, *how: str) -> Process:
    command = [sys.executable, "-W", "error", "-m", "tests.logs.all_paths", str(folder), *how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return Process(done.stdout, done.stderr, json.loads((folder / "told.json").read_text()))


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Process:
    return ran(tmp_path_factory.mktemp("paths"))


def test_no_secret_is_written_to_standard_output_or_error(process: Process) -> None:
    """Report: sooperset/mcp-atlassian#1134, open-mercato/open-mercato#2660"""
    found = [name for name, secret in process.secrets.items() if secret in process.output + process.errors]
    assert found == []


@pytest.mark.parametrize("place", ["records", "ledger", "history", "report"])
def test_no_secret_is_in_a_log_record_or_in_what_is_kept_of_runs_and_sweeps(process: Process, place: str) -> None:
    """Report: open-mercato/open-mercato#2660"""
    kept = json.dumps(process.told[place])
    assert len(kept) > 200
    assert [name for name, secret in process.secrets.items() if secret in kept] == []


@pytest.mark.parametrize("place", ["answers", "table"])
def test_neither_a_caller_nor_the_table_is_told_what_nobody_may_have(process: Process, place: str) -> None:
    """Report: sooperset/mcp-atlassian#1134"""
    kept = json.dumps(process.told[place])
    assert [name for name in FOR_NOBODY if process.secrets[name] in kept] == []


def test_what_a_browser_was_given_is_kept_as_a_hash_or_not_at_all(process: Process) -> None:
    given = {name: secret for name, secret in process.secrets.items() if name.startswith(("link-", "browser-"))}
    assert len(given) > 6
    assert [name for name, secret in given.items() if secret in process.told["table"]] == []


def test_a_page_has_its_line_and_no_path_is_in_it(process: Process) -> None:
    lines = [line for line in process.lines() if line.get("event") == "page"]
    assert {line["route"] for line in lines} == PAGES.keys() | {"other"}
    assert {line["http"] for line in lines} == {"GET", "POST"}
    assert {line["status"] for line in lines} >= {200, 303, 403, 404, 422, 500}
    signed_in = [line for line in lines if line.get("person") == PERSON]
    assert {line["route"] for line in signed_in} >= {"/in/{}", "/sign-in", "/asks", "/a/{}"}
    assert [line["agent"] for line in signed_in if "run" in line], "a dry run is on its page's line"
    assert all("logId" in line for line in lines if line["status"] == 500)


def test_every_path_was_gone_down(process: Process) -> None:
    assert process.outcomes() >= {
        "-32601",
        "-32602",
        "-32700",
        "accepted",
        "awaiting_approval",
        "host_not_allowed",
        "input_invalid",
        "internal",
        "not_allowed",
        "ok",
        "origin_refused",
        "publish_refused",
        "tool_failed",
        "tool_not_found",
        "unauthorized",
        "vendor_unreachable",
    }
    lines = process.lines()
    assert {line.get("event") for line in lines} == {"job", "page", "request", "run", "sweep", None}
    assert {line["job"]["outcome"] for line in lines if line.get("event") == "job"} >= {
        "ok",
        "model_failed",
        "job_failed",
    }
    assert {name for line in lines for name in line.get("_aws", {}) and line if name[0].isupper()} >= {
        "Errors",
        "RunsDied",
        "VendorUnreachable",
        "SweepFailed",
        "SweepOldestDueSeconds",
    }


def test_the_queries_of_the_operations_document_ask_for_what_lines_have(process: Process) -> None:
    names = {name for line in process.lines() for name in flat(line)}
    text = (ROOT / "docs" / "operations.md").read_text().partition("## Read the log")[2]
    queries = re.findall(r"```\n(filter .+)\n```", text)
    assert len(queries) > 8
    for query in queries:
        words = re.sub(r'"[^"]*"', "", query)
        asked = set(re.findall(r"(?<![@\w.])[a-z][A-Za-z]*(?:\.\w+)?(?![\w(])", words)) - SYNTAX
        assert asked <= names, query


def flat(line: dict[str, Any]) -> Iterator[str]:
    """Field names as Logs Insights has them."""
    for name, value in line.items():
        yield name
        if isinstance(value, dict):
            yield from (f"{name}.{inner}" for inner in value)
        if isinstance(value, list):
            yield from (f"{name}.{place}" for place in range(len(value)))


def test_every_failure_left_its_trace_and_only_that(process: Process) -> None:
    failures = [line for line in process.lines() if line["level"] == "ERROR"]
    assert len(failures) > 50
    for line in failures:
        assert line["trace"].startswith("  File ")
        assert line["Errors"] == 1
    assert process.errors == ""


def test_logged_as_python_does_by_itself_the_same_paths_would_give_secrets_away(tmp_path: Path) -> None:
    plain = ran(tmp_path, "plainly")
    given_away = {name for name, secret in plain.secrets.items() if secret in plain.output}
    assert given_away >= {"opened", "exception", "argument", "raised"}
