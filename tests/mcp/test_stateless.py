"""The stateless era: 2026-07-28."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from chalicelib.services import identity, working_set
from chalicelib.services.deps import Deps

from .harness import ENVELOPE, STATELESS, Harness, error_of, is_events, messages_of, methods_of, request, result_of

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


def sentinel(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def test_discover_says_what_is_spoken_and_offered(harness: Harness) -> None:
    result = result_of(harness.ask_stateless("server/discover"))
    assert result["supportedVersions"][0] == STATELESS
    assert result["capabilities"] == {"tools": {"listChanged": True}}
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "graft"
    assert "find_tool" in result["instructions"]


def test_every_result_is_complete_and_a_list_is_never_kept(harness: Harness) -> None:
    listed = result_of(harness.ask_stateless("tools/list"))
    assert (listed["resultType"], listed["ttlMs"], listed["cacheScope"]) == ("complete", 0, "private")
    called = result_of(harness.ask_stateless("tools/call", {"name": "find_tool", "arguments": {"query": ""}}))
    assert called["resultType"] == "complete"


def test_a_call_is_plain_json_even_when_it_moves_the_list(harness: Harness) -> None:
    harness.publish("one")
    demote = {"name": "demote", "arguments": {"vendor": "demo", "name": "one"}}
    response = harness.ask_stateless("tools/call", demote)
    assert not is_events(response)
    assert result_of(response)["structuredContent"]["changed"] is True


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        (None, -32602),
        ("text", -32602),
        ({CAPABILITIES: {}}, -32602),
        ({VERSION: STATELESS}, -32602),
        ({VERSION: STATELESS, CAPABILITIES: None}, -32602),
        ({VERSION: 20260728, CAPABILITIES: {}}, -32602),
        ({VERSION: "2025-11-25", CAPABILITIES: {}}, -32020),
    ],
)
@pytest.mark.parametrize("method", ["tools/list", "tools/call", "server/discover"])
def test_an_envelope_that_is_not_whole_is_400(harness: Harness, method: str, meta: Any, code: int) -> None:
    response = harness.ask_stateless(method, {"name": "find_tool", "_meta": meta})
    assert response.status == 400
    assert error_of(response)["code"] == code


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": None},
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_method": None},
        {"mcp_method": "tools/list"},
        {"mcp_method": "TOOLS/CALL"},
        {"mcp_name": None},
        {"mcp_name": "promote"},
        {"mcp_name": sentinel("promote")},
        {"mcp_name": "=?base64?!!!?="},
        {"mcp_name": "=?base64?/w==?="},
    ],
)
def test_a_header_that_contradicts_the_body_is_400(harness: Harness, headers: dict[str, str | None]) -> None:
    call = {"name": "find_tool", "arguments": {"query": ""}}
    response = harness.ask_stateless("tools/call", call, **headers)
    assert response.status == 400
    assert error_of(response)["code"] == -32020


@pytest.mark.parametrize("name", ["  find_tool ", sentinel("find_tool"), sentinel(" find_tool")])
def test_white_space_and_the_sentinel_are_taken_off_a_header(harness: Harness, name: str) -> None:
    call = {"name": "find_tool", "arguments": {"query": ""}}
    response = harness.ask_stateless("tools/call", call, mcp_name=name, mcp_protocol_version=f" {STATELESS} ")
    assert response.status == 200


def test_a_name_of_other_letters_travels_in_the_sentinel(harness: Harness) -> None:
    response = harness.ask_stateless("tools/call", {"name": "läuft"}, mcp_name=sentinel("läuft"))
    assert response.status == 200
    assert error_of(response)["code"] == -32602


@pytest.mark.parametrize("version", ["v999.0.0", "2024-11-05", "1.0"])
def test_an_unknown_revision_is_400_and_told_which_are_known(harness: Harness, version: str) -> None:
    meta = ENVELOPE | {VERSION: version}
    response = harness.ask_stateless("tools/list", {"_meta": meta}, mcp_protocol_version=version)
    known = result_of(harness.ask_stateless("server/discover"))["supportedVersions"]
    assert response.status == 400
    assert error_of(response)["code"] == -32022
    assert error_of(response)["data"] == {"supported": known, "requested": version}


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/list", "unknown/method"])
def test_what_the_revision_does_not_have_is_404(harness: Harness, method: str) -> None:
    response = harness.ask_stateless(method)
    assert response.status == 404
    assert error_of(response)["code"] == -32601


@pytest.mark.parametrize("params", [{"name": "nope"}, {"name": None}, {}, {"name": "promote", "arguments": [1]}])
def test_a_call_that_reached_its_tool_is_never_4xx(harness: Harness, params: dict[str, Any]) -> None:
    response = harness.ask_stateless("tools/call", params)
    assert response.status == 200
    assert error_of(response)["code"] == -32602


def test_a_notification_is_accepted(harness: Harness) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert harness.post(message, mcp_protocol_version=STATELESS).status == 202
    assert harness.post(message, mcp_protocol_version="v9").status == 400


def test_a_posted_response_was_not_asked_for(harness: Harness) -> None:
    assert harness.post({"jsonrpc": "2.0", "id": 1, "result": {}}, mcp_protocol_version=STATELESS).status == 400


def test_a_session_id_and_a_last_event_id_are_ignored(harness: Harness) -> None:
    response = harness.ask_stateless("tools/list", mcp_session_id="of another age", last_event_id="7")
    assert response.status == 200
    assert "Mcp-Session-Id" not in response.headers


WANTED = {"notifications": {"toolsListChanged": True, "promptsListChanged": True}}


class TestListen:
    def test_it_acknowledges_first_and_ends_gracefully(self, harness: Harness) -> None:
        response = harness.ask_stateless("subscriptions/listen", WANTED)
        assert methods_of(response) == ["notifications/subscriptions/acknowledged", "result"]
        assert messages_of(response)[0]["params"]["notifications"] == {"toolsListChanged": True}

    def test_every_frame_carries_the_requests_id(self, deps: Deps, harness: Harness) -> None:
        harness.publish("one")
        listening = with_pause(harness, lambda: move_list(deps, harness))
        message = request("subscriptions/listen", {"_meta": ENVELOPE, **WANTED}, id="listen-7")
        headers = {"mcp_protocol_version": STATELESS, "mcp_method": "subscriptions/listen"}
        messages = messages_of(listening.post(message, **headers))
        metas = [(m.get("params") or m["result"])["_meta"] for m in messages]
        assert len(metas) == 3
        assert {meta["io.modelcontextprotocol/subscriptionId"] for meta in metas} == {"listen-7"}

    def test_it_tells_of_a_list_that_moves_meanwhile(self, deps: Deps, harness: Harness) -> None:
        harness.publish("one")
        listening = with_pause(harness, lambda: move_list(deps, harness))
        response = listening.ask_stateless("subscriptions/listen", WANTED)
        assert methods_of(response)[1] == "notifications/tools/list_changed"

    def test_it_tells_nothing_that_was_not_wanted(self, deps: Deps, harness: Harness) -> None:
        harness.publish("one")
        listening = with_pause(harness, lambda: move_list(deps, harness))
        response = listening.ask_stateless("subscriptions/listen", {"notifications": {"promptsListChanged": True}})
        assert methods_of(response) == ["notifications/subscriptions/acknowledged", "result"]
        assert messages_of(response)[0]["params"]["notifications"] == {}

    def test_it_holds_for_less_than_half_a_second(self, harness: Harness) -> None:
        held: list[float] = []
        harness = Harness(harness.deps, harness.token, pause=held.append)
        harness.ask_stateless("subscriptions/listen", WANTED)
        assert 0 < sum(held) < 0.5

    def test_a_client_that_reads_no_events_gets_the_result_alone(self, harness: Harness) -> None:
        response = harness.ask_stateless("subscriptions/listen", WANTED, accept="application/json")
        assert methods_of(response) == ["result"]
        assert not is_events(response)

    @pytest.mark.parametrize("params", [{}, {"notifications": None}, {"notifications": [1]}])
    def test_a_request_without_a_filter_is_400(self, harness: Harness, params: dict[str, Any]) -> None:
        response = harness.ask_stateless("subscriptions/listen", params)
        assert response.status == 400
        assert error_of(response)["code"] == -32602


def with_pause(harness: Harness, act: Any) -> Harness:
    """The harness, where `act` happens the first time the door waits."""
    waits: list[float] = []

    def pause(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 1:
            act()

    return Harness(harness.deps, harness.token, pause=pause)


def move_list(deps: Deps, harness: Harness) -> None:
    working_set.demote(deps, identity.identify(deps, harness.token, None), "demo", "one")
