"""The handshake era: 2025-03-26, 2025-06-18 and 2025-11-25."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chalicelib.mcp.session import Session, capability_bits, find_session

from .harness import HANDSHAKE, Harness, error_of, initialize_params, messages_of, request, result_of


@pytest.mark.parametrize("version", HANDSHAKE)
def test_initialize_agrees_to_a_revision_that_is_spoken(harness: Harness, version: str) -> None:
    result = result_of(harness.ask("initialize", initialize_params(version)))
    assert result["protocolVersion"] == version
    assert result["capabilities"] == {"tools": {"listChanged": True}}
    assert result["serverInfo"]["name"] == "graft"


@pytest.mark.parametrize("asked", ["2024-11-05", "2026-07-28", "2099-01-01", "", None, 7, ["x"]])
def test_initialize_offers_the_newest_revision_otherwise(harness: Harness, asked: Any) -> None:
    result = result_of(harness.ask("initialize", initialize_params() | {"protocolVersion": asked}))
    assert result["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("header", ["2099-01-01", "2024-11-05", "2026-07-28", "nonsense"])
def test_on_a_fresh_initialize_an_unknown_version_header_is_ignored(harness: Harness, header: str) -> None:
    response = harness.ask("initialize", initialize_params("2025-06-18"), mcp_protocol_version=header)
    assert result_of(response)["protocolVersion"] == "2025-06-18"


class TestSession:
    def test_its_token_is_visible_ascii_and_short(self, opened: Harness) -> None:
        assert opened.session is not None
        assert opened.session.isascii()
        assert opened.session.isprintable()
        assert len(opened.session) < 160

    def test_its_token_says_what_was_negotiated_to_any_process(self, harness: Harness) -> None:
        params = initialize_params("2025-06-18") | {"capabilities": {"elicitation": {"url": {}}, "roots": {}}}
        token = harness.ask("initialize", params).headers["Mcp-Session-Id"]
        session = find_session(token, harness.token)
        assert isinstance(session, Session)
        assert session.version == "2025-06-18"
        assert session.capabilities == capability_bits({"elicitation": {"url": {}}, "roots": {}}) != 0

    @pytest.mark.parametrize("capabilities", [None, [], "x", {"elicitation": None}, {"sampling": 1}, {"roots": []}])
    def test_malformed_capabilities_declare_nothing(self, capabilities: Any) -> None:
        assert capability_bits(capabilities) == 0

    def test_any_changed_character_forges_nothing(self, opened: Harness) -> None:
        assert opened.session is not None
        for place in range(0, len(opened.session), 7):
            swapped = "A" if opened.session[place] != "A" else "B"
            forged = opened.session[:place] + swapped + opened.session[place + 1 :]
            assert find_session(forged, opened.token) is None

    @pytest.mark.parametrize("session", ["never-issued", "x" * 4000, "a.b.c", ".", "%%%.%%%"])
    def test_an_unknown_id_is_served_as_no_session(self, harness: Harness, session: str) -> None:
        """Report: a-bonus/google-docs-mcp#143"""
        stranger = replace(harness, session=session)
        assert "find_tool" in stranger.tool_names()
        assert stranger.call("find_tool", {"query": ""})["total"] == 0

    def test_a_call_needs_no_initialize_before_it(self, harness: Harness) -> None:
        assert harness.call("find_tool", {"query": ""})["tools"] == []


@pytest.mark.parametrize("version", [None, *HANDSHAKE])
def test_list_and_call_work_in_every_revision(harness: Harness, version: str | None) -> None:
    speaking = replace(harness, version=version)
    assert speaking.tool_names()[0] == "find_tool"
    assert speaking.call("find_tool", {"query": ""})["total"] == 0


@pytest.mark.parametrize("method", ["ping", "logging/setLevel"])
def test_what_clients_send_anyway_is_tolerated(opened: Harness, method: str) -> None:
    assert result_of(opened.ask(method, {"level": "debug"})) == {}


@pytest.mark.parametrize(
    "method", ["notifications/initialized", "notifications/cancelled", "notifications/unheard-of", "tools/call"]
)
def test_a_notification_is_accepted_and_does_nothing(opened: Harness, method: str) -> None:
    response = opened.post({"jsonrpc": "2.0", "method": method, "params": {"name": "promote"}})
    assert (response.status, response.body) == (202, b"")


def test_a_posted_response_is_accepted(opened: Harness) -> None:
    assert opened.post({"jsonrpc": "2.0", "id": 4, "result": {}}).status == 202


@pytest.mark.parametrize(
    "method", ["resources/list", "prompts/get", "server/discover", "notifications/initialized", ""]
)
def test_an_unknown_method_is_named_in_the_error(opened: Harness, method: str) -> None:
    response = opened.ask(method)
    assert response.status == 200
    assert error_of(response)["code"] == -32601
    assert repr(method) in error_of(response)["message"]


class TestBatches:
    def test_the_first_revision_answers_each_message_in_an_array(self, harness: Harness) -> None:
        batch = [
            request("ping", id="a"),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            request("tools/list", id=2),
            request("tools/call", {"name": "nope"}, id=3),
            7,
        ]
        answers = messages_of(harness.post(batch))[0]
        assert [answer["id"] for answer in answers] == ["a", 2, 3, None]
        assert [sorted(answer)[0] for answer in answers] == ["id", "id", "error", "error"]

    def test_what_one_message_moved_the_next_one_sees(self, harness: Harness) -> None:
        harness.publish("one")
        demote = {"name": "demote", "arguments": {"vendor": "demo", "name": "one"}}
        batch = [request("tools/call", demote, id=1), request("tools/list", id=2), request("tools/call", demote, id=3)]
        first, listed, again = messages_of(harness.post(batch))[0]
        assert first["result"]["structuredContent"]["changed"] is True
        assert "demo__one" not in [tool["name"] for tool in listed["result"]["tools"]]
        assert again["result"]["structuredContent"]["changed"] is False

    def test_a_batch_of_notifications_is_accepted(self, harness: Harness) -> None:
        response = harness.post([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
        assert (response.status, response.body) == (202, b"")

    @pytest.mark.parametrize("size", [0, 21])
    def test_its_size_is_bounded(self, harness: Harness, size: int) -> None:
        response = harness.post([request("ping", id=n) for n in range(size)])
        assert response.status == 400
        assert error_of(response)["code"] == -32600

    def test_initialize_is_no_part_of_one(self, harness: Harness) -> None:
        response = harness.post([request("initialize", initialize_params())])
        assert error_of(response)["code"] == -32600

    @pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", "2026-07-28"])
    def test_later_revisions_have_none_and_say_so(self, harness: Harness, version: str) -> None:
        response = replace(harness, version=version).post([request("ping")])
        assert response.status == 400
        assert version in error_of(response)["message"]
