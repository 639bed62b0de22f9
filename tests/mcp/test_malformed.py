"""Bodies that are no messages: always a proper answer, never a 500."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalicelib.mcp import jsonrpc
from chalicelib.mcp.reading import BODY_BYTES_MAX, DEPTH_MAX, Unreadable, read_json, salvage

from .harness import STATELESS, Harness, error_of, messages_of

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":%b}'

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda child: st.lists(child, max_size=4) | st.dictionaries(st.text(max_size=8), child, max_size=4),
    max_leaves=12,
)
METHODS = st.sampled_from(
    [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "server/discover",
        "subscriptions/listen",
        "notifications/x",
        "x",
    ]
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["find_tool", "promote", "run_tool", "publish_tool", "acquire", "demo__x"]) | JSON,
        "arguments": st.dictionaries(st.sampled_from(["query", "vendor", "name", "limit", "input"]), JSON) | JSON,
        "cursor": JSON,
        "_meta": JSON,
        "protocolVersion": JSON,
        "capabilities": JSON,
        "notifications": JSON,
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": METHODS | JSON},
    optional={"id": st.integers() | JSON, "params": PARAMS | JSON},
)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class TestAnyBody:
    """The harness checks every answer: below 500, ASCII, and a message of the protocol."""

    @QUICK
    @given(body=st.binary(max_size=200))
    def test_of_bytes(self, harness: Harness, body: bytes) -> None:
        response = harness.send("POST", body)
        assert response.body or response.status == 202

    @QUICK
    @given(value=JSON, version=st.sampled_from([None, "2025-11-25", STATELESS, "x"]))
    def test_of_json(self, harness: Harness, value: Any, version: str | None) -> None:
        harness.post(value, mcp_protocol_version=version)

    @QUICK
    @given(message=MESSAGES, version=st.sampled_from([None, "2025-03-26", "2025-11-25"]))
    def test_of_nearly_right_messages(self, harness: Harness, message: Any, version: str | None) -> None:
        response = harness.post(message, mcp_protocol_version=version)
        if message["method"] == "tools/call":
            assert response.status < 400

    @QUICK
    @given(params=PARAMS, method=METHODS)
    def test_of_the_stateless_era(self, harness: Harness, params: Any, method: str) -> None:
        harness.ask_stateless(method, {k: v for k, v in params.items() if k != "_meta"}, mcp_name=None)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"{",
        b"nonsense",
        b"\xff\xfe{}",
        b"\xef\xbb\xbf{}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping"} trailing',
        PING % b'{"a":NaN}',
        PING % b'{"a":-Infinity}',
        PING % b'{"a":1e999}',
        PING % (b'{"a":%b}' % (b"9" * 5000)),
        PING % b'{"a":"\\ud800"}',
        PING % (b"[" * 200 + b"]" * 200),
        PING % (b"[" * 100_000 + b"]" * 100_000),
        PING % (b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
        b"[" * 100_000,
        b'{"a":"\x00"}',
    ],
)
def test_what_is_no_json_is_a_parse_error(harness: Harness, body: bytes) -> None:
    response = harness.send("POST", body)
    assert response.status == 400
    assert error_of(response)["code"] == -32700


@pytest.mark.parametrize("body", [b"1", b"null", b'"text"', b"{}", b'{"jsonrpc":"1.0","id":1,"method":"ping"}'])
def test_what_is_no_message_is_an_invalid_request(harness: Harness, body: bytes) -> None:
    response = harness.send("POST", body)
    assert response.status == 400
    assert error_of(response)["code"] == -32600


@pytest.mark.parametrize("request_id", [None, 1.5, True, [1], {"a": 1}])
def test_an_id_that_is_none_is_answered_with_null(harness: Harness, request_id: Any) -> None:
    response = harness.post({"jsonrpc": "2.0", "id": request_id, "method": "tools/list"})
    assert messages_of(response)[0]["id"] is None
    assert error_of(response)["code"] == -32600


@pytest.mark.parametrize("request_id", [0, -1, 10**30, "", "x" * 100_000, "日本語", "1"])
def test_an_id_comes_back_as_it_was(harness: Harness, request_id: Any) -> None:
    assert messages_of(harness.post({"jsonrpc": "2.0", "id": request_id, "method": "ping"}))[0]["id"] == request_id


@pytest.mark.parametrize("params", [[], [1], "x", 7, True])
def test_params_that_are_no_object_are_invalid(harness: Harness, params: Any) -> None:
    response = harness.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})
    assert error_of(response)["code"] == -32602


def test_a_repeated_key_counts_as_its_last_value(harness: Harness) -> None:
    response = harness.send("POST", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"x","method":"ping"}')
    assert messages_of(response) == [{"jsonrpc": "2.0", "id": 2, "result": {}}]


def test_a_body_up_to_the_limit_is_read_and_a_larger_one_is_told_the_limit(harness: Harness) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": ""}}
    room = BODY_BYTES_MAX - len(json.dumps(call))
    fits, too_large = (json.dumps(call | {"params": {"x": "x" * n}}).encode() for n in (room, room + 1))
    assert harness.send("POST", fits).status == 200
    refused = harness.send("POST", too_large)
    assert refused.status == 400
    assert str(BODY_BYTES_MAX) in error_of(refused)["message"]


@pytest.mark.parametrize("levels", [DEPTH_MAX - 2, DEPTH_MAX, DEPTH_MAX + 1, 3000])
def test_depth_is_bounded_whatever_the_interpreter_can_bear(levels: int) -> None:
    body = b"[" * levels + b"]" * levels
    if levels <= DEPTH_MAX:
        read_json(body)
    else:
        with pytest.raises(Unreadable):
            read_json(body)


def test_half_a_surrogate_is_refused_and_a_whole_one_read() -> None:
    assert read_json(b'"\\ud83d\\ude00"') == "😀"
    with pytest.raises(Unreadable):
        read_json(b'"\\ude00\\ud83d"')


class TestACallThatCannotBeRead:
    """Whoever waits for it hears the error by its id, in a 200: a harness may hang on anything else."""

    DEEP = b"[" * 5000 + b"]" * 5000

    @pytest.mark.parametrize(
        "body",
        [
            b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":%b}}}' % DEEP,
            b'{"method":"tools/call","params":{"name":"x","arguments":{"a":%b}},"jsonrpc":"2.0","id":7}' % DEEP,
            b'{"method":"tools/call","params":{"name":"x","arguments":{"a":%b}},"id":7,"jsonrpc":"2.0"}' % DEEP,
            b'{"jsonrpc": "2.0", "method": "tools/call", "id": 7, "params": {"arguments": {"a": 1e999}}}',
        ],
    )
    def test_is_answered_by_its_id(self, harness: Harness, body: bytes) -> None:
        response = harness.send("POST", body)
        assert response.status == 200
        assert messages_of(response)[0]["id"] == 7
        assert error_of(response)["code"] == -32700

    @QUICK
    @given(body=st.binary(max_size=300))
    def test_salvage_never_raises(self, body: bytes) -> None:
        salvage(body)
        salvage(b'{"id":' + body)
        salvage(body + b'"id":1}')


@given(value=JSON)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert read_json(jsonrpc.encode(value)) == value
