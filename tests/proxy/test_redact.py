"""A secret does not come back, in whatever usual form a vendor echoes it."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.proxy.redact import REDACTED, echoes_of, redact

SECRET = 'p"ä/ss>?~&wörd=='


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        b64encode(SECRET.encode()).decode(),
        b64encode(SECRET.encode()).decode().rstrip("="),
        urlsafe_b64encode(SECRET.encode()).decode(),
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="")
        .replace("%C3", "%c3")
        .replace("%A4", "%a4")
        .replace("%B6", "%b6")
        .replace("%2F", "%2f")
        .replace("%3E", "%3e")
        .replace("%3F", "%3f")
        .replace("%3D", "%3d"),
        quote_plus(SECRET),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        json.dumps(SECRET)[1:-1].replace("/", "\\/"),
        escape(SECRET),
        quote(b64encode(SECRET.encode()).decode(), safe=""),
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        json.dumps(SECRET)[1:-1].replace("&", "\\u0026").replace(">", "\\u003e"),
        json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
    ],
)
def test_each_form_is_replaced(form: str) -> None:
    assert redact(f"before {form} after {form}", echoes_of([SECRET])) == f"before {REDACTED} after {REDACTED}"


@given(st.binary(max_size=20), st.binary(max_size=20), st.sampled_from([b64encode, urlsafe_b64encode]))
def test_a_secret_within_something_in_base64_is_taken_out(
    before: bytes, after: bytes, encode: Callable[[bytes], bytes]
) -> None:
    """At most one character at each end is left, which holds bits of its neighbour too."""
    secret = "s3cr3t-of-a-vendor>>>???"
    seen = redact(encode(before + secret.encode() + after).decode(), echoes_of([secret]))
    assert REDACTED in seen
    assert len(seen) - len(REDACTED) <= (len(before) + len(after)) * 4 / 3 + 8


def test_a_pair_of_user_and_password_is_taken_out_of_basic_authentication() -> None:
    pair = b64encode(b"somebody-else:passw0rd-1234").decode()
    assert "cGFzc3cwcmQt" not in redact(pair, echoes_of(["passw0rd-1234"]))


def test_what_only_looks_like_a_short_secret_stays() -> None:
    assert redact("616263 YWJj abcd YWJjZA==", echoes_of(["abc"])) == f"616263 {REDACTED} {REDACTED}d {REDACTED}ZA=="


@pytest.mark.parametrize("told", [SECRET[::-1], f"{SECRET[:8]} {SECRET[8:]}"])
def test_a_vendor_that_wants_to_tell_can(told: str) -> None:
    """The documented limit."""
    assert redact(told, echoes_of([SECRET])) == told


def test_a_large_answer_is_searched_quickly_and_whole() -> None:
    token = b64encode(bytes(range(256)) * 8).decode()
    text = f"{'x' * 2_500_000}{token}{'y' * 2_500_000}"
    assert redact(text, echoes_of([token])) == f"{'x' * 2_500_000}{REDACTED}{'y' * 2_500_000}"


def test_the_longer_secret_goes_first_so_that_no_tail_is_left() -> None:
    assert redact("tokentail token", echoes_of(["token", "tokentail"])) == f"{REDACTED} {REDACTED}"


def test_no_secret_changes_nothing() -> None:
    assert redact("text", echoes_of([""])) == "text"


@given(st.text(min_size=8, max_size=30), st.text(max_size=20), st.text(max_size=20))
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    echoes = echoes_of([secret])
    text = before + secret + after
    assert redact(text, echoes).count(secret) <= f"{before}{REDACTED}{after}".count(secret)
