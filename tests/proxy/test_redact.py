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


TOKEN = "CANARY+ab/cd9Xyz=="
SPELLINGS: dict[str, Callable[[str], str]] = {
    "json": lambda c: f"\\u{ord(c):04X}",
    "json in json": lambda c: f"\\\\u{ord(c):04x}",
    "javascript": lambda c: f"\\x{ord(c):02x}",
    "url": lambda c: f"%{ord(c):02x}",
    "html, hexadecimal": lambda c: f"&#x{ord(c):X};",
    "html, decimal": lambda c: f"&#{ord(c):03};",
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("which", ["+", "=", "+=/", TOKEN], ids=["plus", "equals", "signs", "all"])
def test_whichever_characters_are_escaped_it_is_taken_out(spell: Callable[[str], str], which: str) -> None:
    """As .NET, Gson, PHP and others each write it."""
    form = "".join(spell(c) if c in which else c for c in TOKEN)
    text = f'{{"a": "&lt;{form}\\u0021", "b": "Bearer {form}"}}'
    assert redact(text, echoes_of([TOKEN])) == f'{{"a": "&lt;{REDACTED}\\u0021", "b": "Bearer {REDACTED}"}}'


def test_escapes_of_several_kinds_in_one_echo_are_seen_through() -> None:
    form = "CANARY\\u002Bab\\/cd9Xyz&equals;%3d"
    assert redact(f"%41{form}&amp;", echoes_of([TOKEN])) == f"%41{REDACTED}&amp;"


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_an_echo_in_one_case_is_taken_out(change: Callable[[str], str]) -> None:
    assert redact(f"https://{change('CANARYhostile1')}.example/", echoes_of(["CANARYhostile1"])) == (
        f"https://{REDACTED}.example/"
    )


def test_an_answer_of_nothing_but_escapes_is_searched_whole() -> None:
    noise = "\\u0041&#x42;%43" * 50_000
    form = "".join(f"\\u{ord(c):04x}" for c in TOKEN)
    assert redact(f"{noise}{form}{noise}", echoes_of([TOKEN])) == f"{noise}{REDACTED}{noise}"


@given(st.data())
def test_no_secret_survives_any_mixture_of_escapes(data: st.DataObject) -> None:
    """Whoever escapes anything escapes the signs that begin an escape."""
    secret = data.draw(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=30))
    escaped, plain = st.sampled_from(list(SPELLINGS.values())), st.just(str)
    form = "".join(data.draw(escaped if c in "\\&%" else escaped | plain)(c) for c in secret)
    assert REDACTED in redact(f"before {form} after", echoes_of([secret]))


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
