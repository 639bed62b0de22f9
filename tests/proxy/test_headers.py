"""What of a module's headers travels, and what of a vendor's comes back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.headers import HEADER_CHARACTERS_MAX, HEADER_COUNT_MAX, answered, carried

NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "Authorization",
        "authorization",
        "Cookie",
        "Connection",
        "Keep-Alive",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "transfer_encoding",
        "Upgrade",
        "Expect",
        "Content-Length",
        "Accept-Encoding",
        "Proxy-Authorization",
        "Proxy-Connection",
        "Proxy-Anything",
        "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X_Forwarded_Proto",
        "X-Forwarded",
        "X-Original-Forwarded-For",
        "Via",
        "X-Real-IP",
        "True-Client-IP",
        "CF_Connecting_IP",
        "Client-IP",
        "X-Host",
        "X-HTTP-Method-Override",
        "x_http_method_override",
        "X.HTTP.Method.Override",
        "X-HTTP-Method",
        "X-Method-Override",
        "X-RestLi-Method",
        "x_restli_method",
        "X-HTTPMethod",
        "HTTP-Method",
        "X-Tunnel-Method",
        "X-HTTP-Verb",
        "X-Verb-Override",
        "X-HTTP-Override",
        "X-HTTPOverride",
        "Access-Control-Request-Method",
        "X-Original-URL",
        "X-Rewrite-URL",
    ],
)
def test_headers_that_are_the_proxys_business_are_stripped(name: str) -> None:
    assert carried([(name, "x"), ("Accept", "*/*")], NONE) == (("Accept", "*/*"),)


@pytest.mark.parametrize("name", ["X-Verbose", "X-Adverb", "X-Override-Cache", "Stripe-Version", "X-Meth"])
def test_headers_that_only_look_like_one_travel(name: str) -> None:
    assert carried([(name, "x")], NONE) == ((name, "x"),)


def test_the_connections_own_header_is_stripped_in_any_spelling() -> None:
    own = frozenset({"x-api-key"})
    assert carried([("X-API-Key", "a"), ("x_api_key", "b"), ("X-Api-Key-2", "c")], own) == (("X-Api-Key-2", "c"),)


def test_other_headers_travel_in_order_repeated_ones_too() -> None:
    given_headers = (("Accept", "a"), ("X-Tag", "1"), ("X-Tag", "2"), ("If-Match", '"é\tx"'), ("X-Empty", ""))
    assert carried(given_headers, NONE) == given_headers


@pytest.mark.parametrize(
    "value", ["a\r\nHost: evil", "a\nb", "a\rb", "a\x00b", "a\x7f", "日本", "’", " a", "a ", "\ta", "\ud800"]
)
def test_a_value_that_http_cannot_carry_is_refused_by_name(value: str) -> None:
    """Report: google-gemini/gemini-cli#25668"""
    with pytest.raises(Refusal, match="X-Note cannot be sent") as refused:
        carried([("X-Note", value)], NONE)
    assert refused.value.reason is Reason.TOOL_FAILED


@pytest.mark.parametrize("name", ["", "a b", "a:", "a\r\nb", "ä", "a\x00", "(x)", "x" * 257, "Host:", "Authorization "])
def test_a_name_that_is_no_token_is_refused(name: str) -> None:
    with pytest.raises(Refusal, match="not a header name"):
        carried([(name, "x")], NONE)


def test_number_and_size_of_headers_are_bounded() -> None:
    carried([("X-A", "")] * HEADER_COUNT_MAX, NONE)
    with pytest.raises(Refusal, match="at most 64"):
        carried([("X-A", "")] * (HEADER_COUNT_MAX + 1), NONE)
    carried([("X-A", "v" * (HEADER_CHARACTERS_MAX - 3))], NONE)
    with pytest.raises(Refusal, match="at most 16384"):
        carried([("X-A", "v" * (HEADER_CHARACTERS_MAX - 2))], NONE)


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=6))
def test_whatever_travels_can_be_written_on_one_line(headers: list[tuple[str, str]]) -> None:
    try:
        kept = carried(headers, NONE)
    except Refusal:
        return
    for name, value in kept:
        assert re.fullmatch(r"[^\x00-\x1f\x7f]+: [^\x00-\x08\x0a-\x1f\x7f]*", f"{name}: {value}")
        f"{name}: {value}".encode("latin-1")


def test_an_answer_comes_back_without_cookies_and_framing() -> None:
    sent = [("set-cookie", "a"), ("connection", "close"), ("transfer-encoding", "chunked"), ("etag", '"1"')]
    assert answered(sent, has_body=True) == (("etag", '"1"'),)


def test_a_content_length_stays_where_it_is_true() -> None:
    assert answered([("content-length", "5")], has_body=False) == (("content-length", "5"),)
    assert answered([("content-length", "5")], has_body=True) == ()


def test_a_folded_value_comes_back_on_one_line() -> None:
    assert answered([("x-note", "one\r\n  two\x00three\tfour")], has_body=True) == (("x-note", "one two three\tfour"),)
