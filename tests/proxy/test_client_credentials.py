"""The client credentials grant: the client is proved as its server wants, and every answer is understood or refused."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.call import Call
from chalicelib.proxy.client_credentials import (
    BASIC,
    BODY,
    LIFETIME_SECONDS_DEFAULT,
    ClientRejected,
    Granted,
    ask,
)
from chalicelib.proxy.headers import Headers
from chalicelib.proxy.token_url import parse_token_url
from chalicelib.proxy.transport import WireAnswer

URL = parse_token_url("https://login.vendor.example/token?v=2")
SECRET = {"clientId": "id:1", "clientSecret": "s3cr3t &+é%"}


class Server:
    """Answers in turn; `asked` are the calls with their headers."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[Call, dict[str, str]]] = []

    def __call__(self, call: Call, headers: Headers) -> WireAnswer:
        self.asked.append((call, dict(headers)))
        status, body = self._answers.pop(0)
        return WireAnswer(status, (), body if isinstance(body, bytes) else json.dumps(body).encode())

    def ask(self, style: str = BASIC, scopes: str = "") -> Granted:
        return ask(self, URL, scopes, SECRET, style)


def granted(**more: Any) -> tuple[int, Any]:
    return 200, {"access_token": "t0k3n", "token_type": "Bearer", "expires_in": 600} | more


def test_the_client_is_proved_by_basic_authentication_first() -> None:
    server = Server(granted())
    assert server.ask(scopes="read write") == Granted("t0k3n", 600.0, BASIC)
    ((call, headers),) = server.asked
    assert (call.method, str(call.host), call.target) == ("POST", "login.vendor.example", "/token?v=2")
    assert parse_qs((call.body or b"").decode()) == {"grant_type": ["client_credentials"], "scope": ["read write"]}
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert headers["Accept"] == "application/json"
    scheme, _, pair = headers["Authorization"].partition(" ")
    assert (scheme, b64decode(pair)) == ("Basic", b"id%3A1:s3cr3t+%26%2B%C3%A9%25")


@pytest.mark.parametrize("status", [400, 401, 403])
def test_where_basic_is_no_good_the_body_proves_it(status: int) -> None:
    server = Server((status, {"error": "invalid_client"}), granted())
    assert server.ask().style == BODY
    call, headers = server.asked[1]
    assert "Authorization" not in headers
    assert parse_qs((call.body or b"").decode()) == {
        "grant_type": ["client_credentials"],
        "client_id": [SECRET["clientId"]],
        "client_secret": [SECRET["clientSecret"]],
    }


def test_the_style_that_worked_is_tried_first() -> None:
    server = Server(granted())
    assert server.ask(BODY).style == BODY
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((401, {"error": "invalid_client"}), (401, {"error": "invalid_client"})),
        ((401, b"<html>no</html>"), (400, {"error": "invalid_request"})),
        ((400, {"error": "invalid_request"}), (400, {"error": "unauthorized_client"})),
        ((403, {"error": "access_denied"}), (403, b"")),
    ],
)
def test_a_client_that_is_not_taken_in_either_style_is_rejected(
    first: tuple[int, Any], second: tuple[int, Any]
) -> None:
    with pytest.raises(ClientRejected):
        Server(first, second).ask()


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([(500, b"")], "answered 500"),
        ([(429, {"error": "slow_down s3cr3t"})], "answered 429"),
        ([(302, b"")], "answered 302"),
        ([(404, b"s3cr3t")], "answered 404"),
        ([(400, {"error": "invalid_scope", "error_description": "s3cr3t"})], "answered 400 (invalid_scope)"),
        ([(400, {"error": "s3cr3t"}), (400, {"error": ["s3cr3t"]})], "answered 400"),
        ([(200, b"")], "without an access token"),
        ([(200, b"access_token=t&s3cr3t")], "without an access token"),
        ([(200, ["t"])], "without an access token"),
        ([(200, b"[" * 100_000)], "without an access token"),
        ([(200, {"access_token": None})], "without an access token"),
        ([(200, {"access_token": ""})], "without an access token"),
        ([(200, {"access_token": {"s3cr3t": 1}})], "without an access token"),
        ([granted(token_type="mac")], "not a bearer token"),
        ([granted(token_type=["Bearer"])], "not a bearer token"),
        ([granted(access_token="s3cr3t\r\nX: y")], "no header carries"),
        ([granted(access_token="s3cr3t x")], "no header carries"),
        ([granted(access_token="s3cr3té")], "no header carries"),
        ([granted(access_token="s3cr3t" * 2000)], "no header carries"),
        ([granted(padding="s3cr3t" * 20_000)], "without an access token"),
    ],
)
def test_every_other_answer_is_an_unreachable_vendor_and_is_not_quoted(
    answers: list[tuple[int, Any]], says: str
) -> None:
    with pytest.raises(Refusal) as refused:
        Server(*answers).ask()
    assert refused.value.reason is Reason.VENDOR_UNREACHABLE
    assert "login.vendor.example" in refused.value.message
    assert says in refused.value.message
    assert "s3cr3t" not in str(refused.value) + repr(refused.value.details)


@pytest.mark.parametrize(
    ("expires_in", "seconds"),
    [
        (600, 600.0),
        ("3599", 3599.0),
        (0.5, 0.5),
        (0, 0.0),
        (-5, 0.0),
        (10**9, 86_400.0),
        (10**400, LIFETIME_SECONDS_DEFAULT),
        (None, LIFETIME_SECONDS_DEFAULT),
        (True, LIFETIME_SECONDS_DEFAULT),
        ("soon", LIFETIME_SECONDS_DEFAULT),
        ("nan", LIFETIME_SECONDS_DEFAULT),
        ("inf", 86_400.0),
        ([1], LIFETIME_SECONDS_DEFAULT),
    ],
)
def test_a_lifetime_is_read_with_sense(expires_in: Any, seconds: float) -> None:
    assert Server(granted(expires_in=expires_in)).ask().lifetime_seconds == seconds


def test_a_token_without_a_kind_and_a_lifetime_is_a_bearer_token_for_an_hour() -> None:
    assert Server((200, {"access_token": "t"})).ask() == Granted("t", 3600.0, BASIC)


def test_the_token_does_not_show_itself() -> None:
    assert "t0k3n" not in repr(Server(granted()).ask())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner),
    max_leaves=4,
)


@given(
    st.sampled_from([200, 201, 204, 301, 400, 401, 403, 500]),
    st.binary(max_size=40)
    | st.dictionaries(st.sampled_from(["access_token", "token_type", "expires_in", "error"]), json_values),
)
def test_any_answer_is_a_token_a_rejection_or_a_refusal(status: int, body: Any) -> None:
    try:
        found = Server((status, body), (status, body)).ask()
    except (Refusal, ClientRejected):
        return
    assert found.token.isascii()
    assert 0 <= found.lifetime_seconds <= 86_400
