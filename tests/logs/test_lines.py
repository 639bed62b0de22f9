from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from chalicelib.logs.lines import JsonLines, PlainLines
from chalicelib.services import trail
from chalicelib.services.trail import Trail

from .entries import a_failure, an_entry


def as_json(record: logging.LogRecord) -> dict[str, Any]:
    line = JsonLines("prod").format(record)
    assert "\n" not in line
    parsed: dict[str, Any] = json.loads(line)
    return parsed


def test_an_event_is_its_fields_and_where_it_belongs() -> None:
    record = an_entry("run", fields={"run": "r1", "ms": 12, "log": ""}, aws_request_id="lambda-1")
    with trail.following(Trail("gateway-1")):
        line = as_json(record)
    assert line["time"].endswith("Z")
    del line["time"]
    assert line == {
        "level": "INFO",
        "event": "run",
        "requestId": "gateway-1",
        "invocation": "lambda-1",
        "run": "r1",
        "ms": 12,
    }


def test_an_event_without_counts_costs_no_metric() -> None:
    assert "_aws" not in as_json(an_entry("run", fields={"run": "r1"}, counts={}))


def test_counts_are_metrics_under_the_stage_and_nothing_finer() -> None:
    line = as_json(an_entry("sweep", fields={"agent": "a1"}, counts={"SweepFailed": 1, "SweepOldestDueSeconds": 2.5}))
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert directive == {
        "Namespace": "Graft",
        "Dimensions": [["Stage"]],
        "Metrics": [
            {"Name": "SweepFailed", "Unit": "Count"},
            {"Name": "SweepOldestDueSeconds", "Unit": "Seconds"},
        ],
    }
    assert (line["Stage"], line["SweepFailed"], line["SweepOldestDueSeconds"]) == ("prod", 1, 2.5)
    assert isinstance(line["_aws"]["Timestamp"], int)


@pytest.mark.parametrize("name", ["graft", "graft.mcp", "botocore.endpoint"])
def test_every_error_counts_whoever_logged_it(name: str) -> None:
    assert as_json(a_failure(RuntimeError(), name=name))["Errors"] == 1
    assert "Errors" not in as_json(an_entry(name=name, level=logging.WARNING))


def test_a_trace_stays_within_its_line() -> None:
    def deep(level: int) -> None:
        if level:
            deep(level - 1)
        raise ValueError("y" * 100_000)

    try:
        deep(500)
    except ValueError as error:
        line = as_json(a_failure(error))
    assert line["trace"].endswith("(its text is left out: it may quote values)")
    assert len(line["trace"]) < 16_001


def test_a_terminal_gets_words_and_the_trace_below_them() -> None:
    event = PlainLines().format(an_entry("run", fields={"run": "r1", "outcome": "ok"}, counts={"RunsDied": 1}))
    assert event.endswith("Z INFO run run=r1 outcome=ok")
    failure = PlainLines().format(a_failure(KeyError("secret")))
    head, *trace = failure.splitlines()
    assert head.endswith("ERROR it failed")
    assert trace[-1].startswith("KeyError: ")
    assert "secret" not in trace[-1]


def test_a_message_cannot_begin_a_line_of_its_own() -> None:
    forged = an_entry('x\n{"event":"request"}')
    assert "\n" not in JsonLines("dev").format(forged)
    assert "\n" not in PlainLines().format(forged)
