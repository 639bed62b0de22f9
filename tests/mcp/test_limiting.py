"""An agent that has begun all runs it may begin in a minute: its calls hear so in a 200, the rest in a 429."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from chalicelib.mcp.catalogue import META_TOOLS

from .harness import (
    Harness,
    error_of,
    initialize_params,
    messages_of,
    request,
    result_of,
)

METHODS = ["tools/list", "no/such-method"]
RUN = {"vendor": "demo", "name": "echo"}


@pytest.fixture
def spent(opened: Harness, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """A harness whose agent has begun its one run of this minute, 48 seconds before the next."""
    monkeypatch.setattr("chalicelib.rules.throttle.RUNS_PER_MINUTE_MAX", 1)
    minute = opened.deps.now().replace(second=12, microsecond=0)
    still = replace(opened, deps=replace(opened.deps, now=lambda: minute))
    still.publish("echo")
    assert still.call("run_tool", RUN) == {}
    return still


def later(harness: Harness, **by: float) -> Harness:
    moment = harness.deps.now() + timedelta(**by)
    return replace(harness, deps=replace(harness.deps, now=lambda: moment))


def is_limited_call(response: Any) -> bool:
    result = result_of(response)
    answer = result["structuredContent"]
    limited = (result["isError"], answer["reason"], answer["retryAfterSeconds"]) == (True, "rate_limited", 48)
    return response.status == 200 and limited and "Wait 48 s" in answer["message"]


@pytest.mark.parametrize("name", [*(tool.name for tool in META_TOOLS), "demo__echo", "demo__nope"])
def test_every_call_is_rate_limited_in_a_200(spent: Harness, name: str) -> None:
    assert is_limited_call(spent.ask("tools/call", {"name": name, "arguments": {}}))
    assert is_limited_call(replace(spent, session=None).ask_stateless("tools/call", {"name": name, "arguments": {}}))


@pytest.mark.parametrize("method", METHODS)
def test_anything_else_is_a_429_that_says_when_to_come_back(spent: Harness, method: str) -> None:
    for response in (spent.ask(method), replace(spent, session=None).ask_stateless(method)):
        assert (response.status, response.headers["Retry-After"]) == (429, "48")
        assert error_of(response)["data"] == {"reason": "rate_limited", "retryAfterSeconds": 48}


def test_a_subscription_is_a_429_too(spent: Harness) -> None:
    response = replace(spent, session=None).ask_stateless(
        "subscriptions/listen", {"notifications": {"toolsListChanged": True}}
    )
    assert (response.status, response.headers["Retry-After"]) == (429, "48")


def test_a_connection_can_be_opened_and_kept_alive_meanwhile(spent: Harness) -> None:
    """Refused, a harness would give the whole server up for what passes in a minute."""
    assert spent.ask("initialize", initialize_params()).headers["Mcp-Session-Id"]
    assert result_of(spent.ask("ping")) == {}
    assert result_of(spent.ask("logging/setLevel", {"level": "info"})) == {}
    assert spent.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    assert replace(spent, session=None).ask_stateless("server/discover").status == 200
    assert spent.send("HEAD").status == 200


def test_a_poll_hears_when_to_come_back_and_its_stream_goes_on(spent: Harness) -> None:
    """Python SDKs give a stream up for good after two answers that are none."""
    response = spent.send("GET")
    assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream")
    assert response.body == b"retry: 48000\n\n"


def test_a_batch_answers_each_message(spent: Harness) -> None:
    batching = replace(spent, version="2025-03-26", session=None)
    calls = request("tools/call", {"name": "find_tool", "arguments": {"query": ""}}, id=1)
    response = batching.post([calls, request("tools/list", id=2), request("ping", id=3)])
    (called, listed, pinged) = messages_of(response)[0]
    assert response.status == 200
    assert called["result"]["structuredContent"]["reason"] == "rate_limited"
    assert listed["error"]["data"]["reason"] == "rate_limited"
    assert pinged["result"] == {}


def test_it_passes_with_the_minute_and_concerns_one_agent(
    spent: Harness, new_harness: Callable[[str], Harness]
) -> None:
    another = replace(new_harness("server"), deps=spent.deps)
    assert another.call("run_tool", RUN) == {}
    assert later(spent, seconds=47).ask("tools/list").status == 429
    in_time = later(spent, seconds=48)
    assert in_time.ask("tools/list").status == 200
    assert in_time.call("run_tool", RUN) == {}
