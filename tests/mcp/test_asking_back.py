"""Fixed tools that ask back, answer in MCP's own members, or say something before they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from chalicelib.mcp.catalogue import Catalogue
from chalicelib.mcp.meta_tool import READS, MetaTool
from chalicelib.mcp.packing import Answered, InputRequired, PlainResult, ToolAnswer
from chalicelib.mcp.tool_call import ToolCall
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller

from .harness import ENVELOPE, Harness, error_of, is_events, messages_of, methods_of, result_of

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
FORM = {
    "method": "elicitation/create",
    "params": {
        "message": "Which one?",
        "requestedSchema": {"type": "object", "properties": {"which": {"type": "string"}}},
    },
}
LINK = {
    "method": "elicitation/create",
    "params": {"mode": "url", "message": "Answer there.", "url": "http://127.0.0.1:8765/a/x"},
}
ANY: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": []}
ACCEPTED = {"which": {"action": "accept", "content": {"which": "this one"}}}


def asks_by(ask: dict[str, Any]) -> Callable[[Deps, Caller, ToolCall], Answered]:
    def act(_deps: Deps, _caller: Caller, call: ToolCall) -> Answered:
        if "which" in call.answers:
            return ToolAnswer({"remembered": call.memory})
        return InputRequired({"which": ask}, memory={"step": 1})

    return act


def draws(_deps: Deps, _caller: Caller, call: ToolCall) -> Answered:
    progress = {"progressToken": call.progress_token or "none", "progress": 1}
    members = {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}
    return PlainResult(members, (("notifications/progress", progress),))


ACTIONS = {"ask": asks_by(FORM), "link": asks_by(LINK), "draw": draws}
FIXED = Catalogue(tuple(MetaTool(name, name, ANY, READS) for name in ACTIONS), lambda: ACTIONS)


@pytest.fixture
def asking(harness: Harness) -> Harness:
    return replace(harness, catalogue=FIXED)


def call(harness: Harness, name: str = "ask", declared: Any = None, **params: Any) -> Any:
    meta = ENVELOPE | {CAPABILITIES: {"elicitation": {}} if declared is None else declared}
    return harness.ask_stateless("tools/call", {"name": name, "arguments": {"n": 1}, "_meta": meta, **params})


def state_of(harness: Harness, **params: Any) -> str:
    state: str = result_of(call(harness, **params))["requestState"]
    return state


def test_a_tool_asks_back_and_the_repeated_call_brings_the_answer_and_what_it_remembered(asking: Harness) -> None:
    first = result_of(call(asking))
    assert (first["resultType"], first["inputRequests"]) == ("input_required", {"which": FORM})
    second = result_of(call(asking, inputResponses=ACCEPTED, requestState=first["requestState"]))
    assert (second["resultType"], second["structuredContent"]) == ("complete", {"remembered": {"step": 1}})


def test_an_answer_under_another_key_is_asked_for_again(asking: Harness) -> None:
    assert result_of(call(asking, inputResponses={"other": {}}))["resultType"] == "input_required"


@pytest.mark.parametrize("answers", [None, [], "yes", {"which": 12345}, {"which": None}])
def test_answers_that_are_no_objects_are_an_error(asking: Harness, answers: Any) -> None:
    response = call(asking, inputResponses=answers)
    assert (response.status, error_of(response)["code"]) == (200, -32602)


@pytest.mark.parametrize("forged", ["", "x", 7, {}, "W10.AAAAAAAAAAAAAAAAAAAAAA"])
def test_a_state_that_was_never_given_is_an_error(asking: Harness, forged: Any) -> None:
    assert error_of(call(asking, inputResponses=ACCEPTED, requestState=forged))["code"] == -32602


def test_a_state_that_was_changed_is_an_error(asking: Harness) -> None:
    assert error_of(call(asking, inputResponses=ACCEPTED, requestState=state_of(asking) + "x"))["code"] == -32602


def test_a_state_is_of_one_agent_one_tool_and_one_input(asking: Harness, new_harness: Callable[[str], Harness]) -> None:
    state = state_of(asking)
    another_agent = replace(new_harness("server"), catalogue=FIXED)
    link: dict[str, Any] = {"elicitation": {"url": {}}}
    for response in (
        call(another_agent, inputResponses=ACCEPTED, requestState=state),
        call(asking, "link", link, inputResponses=ACCEPTED, requestState=state),
        call(asking, arguments={"n": 2}, inputResponses=ACCEPTED, requestState=state),
    ):
        assert error_of(response)["code"] == -32602


def test_a_state_is_no_good_after_a_day(asking: Harness) -> None:
    now = asking.deps.now()

    def after(**passed: float) -> Harness:
        return replace(asking, deps=replace(asking.deps, now=lambda: now + timedelta(**passed)))

    in_time, late = after(hours=23), after(hours=25)
    state = state_of(after(hours=0))
    assert result_of(call(in_time, inputResponses=ACCEPTED, requestState=state))["resultType"] == "complete"
    assert error_of(call(late, inputResponses=ACCEPTED, requestState=state))["code"] == -32602


@pytest.mark.parametrize(
    ("name", "declared", "needed"),
    [
        ("ask", {}, {"elicitation": {"form": {}}}),
        ("ask", {"elicitation": None}, {"elicitation": {"form": {}}}),
        ("ask", {"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}),
        ("link", {"elicitation": {}}, {"elicitation": {"url": {}}}),
        ("link", {"elicitation": {"form": {}}}, {"elicitation": {"url": {}}}),
        ("link", {"elicitation": {"form": {}, "url": None}}, {"elicitation": {"url": {}}}),
    ],
)
def test_a_client_is_asked_only_what_it_declared(asking: Harness, name: str, declared: Any, needed: Any) -> None:
    response = call(asking, name, declared)
    error = error_of(response)
    assert (response.status, error["code"], error["data"]) == (400, -32021, {"requiredCapabilities": needed})


@pytest.mark.parametrize(
    ("name", "declared"),
    [("ask", {"elicitation": {"form": {}}}), ("link", {"elicitation": {"url": {}}})],
)
def test_a_client_is_asked_what_it_declared(asking: Harness, name: str, declared: Any) -> None:
    assert result_of(call(asking, name, declared))["resultType"] == "input_required"


def test_a_session_of_the_handshake_era_cannot_be_asked_and_hears_why(asking: Harness) -> None:
    response = asking.opened().ask("tools/call", {"name": "ask", "arguments": {}})
    assert response.status == 200
    assert "2026-07-28" in error_of(response)["message"]


@pytest.mark.parametrize("stateless", [False, True])
def test_what_a_tool_says_before_its_answer_goes_to_a_client_that_reads_events(
    asking: Harness, stateless: bool
) -> None:
    def draw(harness: Harness) -> Any:
        meta = {"progressToken": "p1"}
        if stateless:
            return harness.ask_stateless("tools/call", {"name": "draw", "_meta": ENVELOPE | meta})
        return harness.ask("tools/call", {"name": "draw", "_meta": meta})

    told = draw(asking)
    assert methods_of(told) == ["notifications/progress", "result"]
    assert messages_of(told)[0]["params"] == {"progressToken": "p1", "progress": 1}
    assert result_of(told)["content"][0]["type"] == "image"
    untold = draw(replace(asking, accept="application/json"))
    assert not is_events(untold)
    assert result_of(untold)["content"] == result_of(told)["content"]
