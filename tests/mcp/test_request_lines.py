"""What operating Graft can see of a request: one line for every message, ids and names of ours only."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.logs.lines import JsonLines
from chalicelib.mcp.door import handle
from chalicelib.mcp.http import HttpRequest
from chalicelib.services import identity, toolbox
from chalicelib.services.deps import Deps

from .harness import Harness, request, result_of

Lines = Callable[[], list[dict[str, Any]]]
CANARY = "canary-5d1e"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Lines:
    """What was logged since it was asked last, as CloudWatch would get it."""
    caplog.set_level(logging.INFO, "graft")
    monkeypatch.setattr(caplog.handler, "formatter", JsonLines("dev"))

    def since() -> list[dict[str, Any]]:
        written = [json.loads(line) for line in caplog.text.splitlines()]
        caplog.clear()
        return written

    return since


@pytest.fixture
def lines(log: Lines) -> Lines:
    """The lines of requests since it was asked last."""
    return lambda: [line for line in log() if line.get("event") == "request"]


def test_a_call_is_one_line_that_leads_to_its_run(harness: Harness, lines: Lines) -> None:
    harness.publish("one")
    lines()
    harness.call("demo__one", {"text": CANARY})
    (line,) = lines()
    agent = identity.identify(harness.deps, harness.token, None).agent
    (ledger_line, *_) = harness.deps.store.runs.ledger(agent)
    assert min(line.pop("ms"), line["run"].pop("ms")) >= 0
    assert line.pop("requestId")
    assert line.pop("time")
    assert line == {
        "level": "INFO",
        "event": "request",
        "agent": agent.id,
        "http": "POST",
        "status": 200,
        "method": "tools/call",
        "tool": "demo__one",
        "outcome": "ok",
        "run": {
            "id": ledger_line.run.id,
            "tool": "demo__one",
            "version": 1,
            "kind": "call",
            "outcome": "ok",
            "vendorCalls": 0,
        },
    }


def test_the_gateway_s_id_names_the_request_and_one_is_made_where_there_is_none(
    deps: Deps, harness: Harness, lines: Lines
) -> None:
    headers = {"authorization": f"Bearer {harness.token}"}
    for given in ("gateway-1", "", ""):
        handle(deps, HttpRequest("POST", "/mcp", headers, body=json.dumps(request("ping")).encode(), id=given))
    first, *others = [line["requestId"] for line in lines()]
    assert first == "gateway-1"
    assert len({first, *others}) == 3


@pytest.mark.parametrize(
    ("name", "arguments", "tool", "outcome"),
    [
        ("find_tool", {"query": CANARY}, "find_tool", "ok"),
        ("promote", {"vendor": CANARY, "name": "x"}, "promote", "tool_not_found"),
        ("promote", {CANARY: 1}, "promote", "input_invalid"),
        ("run_tool", {"vendor": "demo", "name": "writes"}, "run_tool", "awaiting_approval"),
        ("demo__writes", {"text": CANARY}, "demo__writes", "awaiting_approval"),
        ("demo__fails", {"text": CANARY}, "demo__fails", "tool_failed"),
    ],
)
def test_the_outcome_is_what_the_caller_was_told(
    harness: Harness, lines: Lines, name: str, arguments: Any, tool: str, outcome: str
) -> None:
    harness.publish("writes", 'def run(input, http):\n    return http.post("/notes").status\n')
    harness.publish("fails", 'def run(input, http):\n    raise ValueError(input["text"])\n')
    lines()
    harness.call(name, arguments)
    (line,) = lines()
    assert (line.get("tool"), line["outcome"]) == (tool, outcome)
    assert CANARY not in json.dumps(line)


def test_what_a_caller_makes_up_is_not_named(harness: Harness, lines: Lines) -> None:
    harness.ask("tools/call", {"name": CANARY, "arguments": {CANARY: CANARY}})
    harness.ask(CANARY)
    harness.ask_stateless(CANARY)
    harness.send("POST", f'{{"method": "{CANARY.replace("-", "/")}", "id": "{CANARY}", oops'.encode())
    harness.send(CANARY.upper())
    written = lines()
    assert [(line.get("method"), line["outcome"]) for line in written] == [
        ("tools/call", "-32602"),
        ("other", "-32601"),
        ("other", "-32601"),
        (None, "-32700"),
        (None, "not_allowed"),
    ]
    assert CANARY not in json.dumps(written).lower()


def test_a_request_without_a_message_has_its_line_too(harness: Harness, opened: Harness, lines: Lines) -> None:
    lines()
    harness.send("HEAD")
    harness.send("OPTIONS")
    harness.send("DELETE")
    harness.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    opened.send("GET")
    harness.ask("ping", authorization="Bearer wrong")
    assert [(line["http"], line["status"], line["outcome"]) for line in lines()] == [
        ("HEAD", 200, "ok"),
        ("OPTIONS", 204, "ok"),
        ("DELETE", 405, "not_allowed"),
        ("POST", 202, "accepted"),
        ("GET", 200, "ok"),
        ("POST", 401, "unauthorized"),
    ]


def test_each_message_of_a_batch_has_its_line(harness: Harness, lines: Lines) -> None:
    batch = [request("ping", id=1), request("tools/call", {"name": "find_tool", "arguments": {}}, id=2)]
    harness.post(batch, mcp_protocol_version="2025-03-26")
    written = lines()
    assert [(line["method"], line["outcome"]) for line in written] == [("ping", "ok"), ("tools/call", "input_invalid")]
    assert len({line["requestId"] for line in written}) == 1


def test_what_broke_is_found_by_the_log_id_that_the_caller_was_told(
    harness: Harness, log: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(toolbox, "find", fail)
    answer = result_of(harness.ask("tools/call", {"name": "find_tool", "arguments": {"query": ""}}))
    log_id = answer["structuredContent"]["logId"]
    trace, line = log()
    assert trace["requestId"] == line["requestId"]
    assert (line["outcome"], line["logId"]) == ("internal", log_id)
    assert log_id in trace["message"]
    assert trace["Errors"] == 1
    assert "in fail" in trace["trace"]
    assert CANARY not in json.dumps([line, trace])


def test_a_table_that_does_not_say_who_is_calling_leaves_a_line(
    deps: Deps, harness: Harness, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("throttled")

    monkeypatch.setattr(deps.store.agents, "find_door_facts", fail)
    harness.ask("tools/list")
    harness.ask_stateless("tools/call", {"name": "find_tool"})
    assert [(line["method"], line["outcome"]) for line in lines()] == [
        ("tools/list", "internal"),
        ("tools/call", "internal"),
    ]


def test_being_turned_away_is_counted(harness: Harness, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    from chalicelib.errors import Conflict

    def fail(*_: object, **__: object) -> None:
        raise Conflict("other writes kept meeting this one")

    monkeypatch.setattr(toolbox, "find", fail)
    harness.call("find_tool", {"query": ""})
    (line,) = lines()
    assert (line["outcome"], line["RateLimited"]) == ("rate_limited", 1)


def test_a_publish_s_test_run_and_a_run_of_another_tool_s_are_on_the_line_of_the_call(
    harness: Harness, lines: Lines
) -> None:
    harness.publish("one", testInput={})
    harness.call("run_tool", {"vendor": "demo", "name": "one"})
    assert [(line["tool"], line["run"]["kind"], line["run"]["tool"]) for line in lines()] == [
        ("publish_tool", "test_run", "demo__one"),
        ("run_tool", "call", "demo__one"),
    ]


def test_a_call_that_led_to_no_run_names_none(harness: Harness, lines: Lines) -> None:
    harness.call("run_tool", {"vendor": "demo", "name": "nobody"})
    (line,) = lines()
    assert "run" not in line
