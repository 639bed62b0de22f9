"""The endpoint's edges, through the server that a harness meets."""

from __future__ import annotations

import pytest

from .graft import Graft
from .rpc import Agent

MEGABYTE = 1_000_000
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def test_a_query_string_changes_nothing(agent: Agent) -> None:
    """Report: anthropics/claude-ai-mcp#1044"""
    plain, queried = (agent.send("POST", _list_tools(), path=path) for path in ("/mcp", "/mcp?v=2"))
    assert (queried.status, queried.body) == (plain.status, plain.body) == (200, plain.body)


def test_the_same_facts_are_the_same_bytes(agent: Agent) -> None:
    agent.promote("demo__list-notes")
    assert agent.send("POST", _list_tools()).body == agent.send("POST", _list_tools()).body


def test_head_and_options_need_no_token(agent: Agent) -> None:
    head = agent.send("HEAD", headers={"authorization": None})
    assert (head.status, head.body) == (200, b"")
    preflight = {"origin": "http://localhost:6274", "access-control-request-method": "POST", "authorization": None}
    options = agent.send("OPTIONS", headers=preflight)
    assert 200 <= options.status < 300
    allowed = options.headers["access-control-allow-headers"].lower()
    for name in ("authorization", "content-type", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"):
        assert name in allowed


def test_a_get_without_a_session_is_405_at_once(agent: Agent) -> None:
    answer = agent.send("GET")
    assert answer.status == 405
    assert "POST" in answer.headers["allow"]


def test_a_session_cannot_be_ended_by_the_client(agent: Agent) -> None:
    session = {"mcp-session-id": agent.open_session()}
    assert agent.send("DELETE", headers=session).status == 405
    assert agent.send("GET", headers=session).status == 200


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer grft_local_x_y", "Basic dXNlcjpwYXNz", "Bearer grft_local_aaaaaaaaaaaaa_" + "A" * 43],
)
def test_every_unknown_token_gets_the_same_401(graft: Graft, authorization: str | None) -> None:
    answer = graft.demo.send("POST", PING, headers={"authorization": authorization})
    reference = graft.demo.send("POST", PING, headers={"authorization": "Bearer nonsense"})
    assert (answer.status, answer.body) == (401, reference.body)
    assert "www-authenticate" in answer.headers


def test_six_megabytes_are_read_and_answered(agent: Agent) -> None:
    padding = "x" * (6 * MEGABYTE - 200)
    assert agent.ask("ping", {"padding": padding}).result == {}
    refused = agent.refused("run_tool", vendor="demo", name="list-notes", input={"padding": padding})
    assert refused["reason"] == "input_invalid"


def test_a_body_over_the_limit_is_refused_with_its_size(agent: Agent) -> None:
    refused = agent.ask("ping", {"padding": "x" * 7 * MEGABYTE})
    assert refused.status in (200, 400)
    assert "at most 6291456" in refused.error["message"]


def test_a_body_beyond_what_a_gateway_takes_is_not_even_waited_for(agent: Agent) -> None:
    announced = agent.send("POST", headers={"content-length": str(11 * MEGABYTE)})
    assert announced.status == 413
    assert agent.send("POST", PING).result == {}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"17",
        b'"text"',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
        b'{"jsonrpc":"2.0","id":{},"method":7}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_tool","arguments":"x"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800","arguments":{}}}',
        b"1" * 5_000,
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":NaN}}',
    ],
    ids=lambda body: body[:24].decode("ascii", "replace") or "nothing",
)
def test_a_malformed_body_gets_a_json_rpc_error_and_never_a_500(agent: Agent, body: bytes) -> None:
    answer = agent.send("POST", body)
    assert answer.status in (200, 400), answer
    assert answer.messages[-1]["error"]["code"] < 0


def test_a_chunked_body_is_read(agent: Agent) -> None:
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(PING), PING)
    assert agent.send("POST", chunked, headers={"transfer-encoding": "chunked"}).result == {}


def test_a_session_that_was_never_given_is_served_as_none(agent: Agent) -> None:
    """Report: a-bonus/google-docs-mcp#143"""
    call = {"name": "find_tool", "arguments": {"query": "notes"}}
    assert agent.ask("tools/call", call, headers={"mcp-session-id": "never-given"}).result["isError"] is False


def test_a_foreign_origin_is_refused(agent: Agent) -> None:
    assert agent.send("POST", PING, headers={"origin": "https://evil.test"}).status == 403


def _list_tools() -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
