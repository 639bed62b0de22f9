"""A secret does not come back, in whatever usual form a vendor echoes it."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
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
    ],
)
def test_each_form_is_replaced(form: str) -> None:
    assert redact(f"before {form} after {form}", echoes_of([SECRET])) == f"before {REDACTED} after {REDACTED}"


def test_the_longer_secret_goes_first_so_that_no_tail_is_left() -> None:
    assert redact("tokentail token", echoes_of(["token", "tokentail"])) == f"{REDACTED} {REDACTED}"


def test_no_secret_changes_nothing() -> None:
    assert redact("text", echoes_of([""])) == "text"


@given(st.text(min_size=8, max_size=30), st.text(max_size=20), st.text(max_size=20))
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    echoes = echoes_of([secret])
    text = before + secret + after
    assert redact(text, echoes).count(secret) <= f"{before}{REDACTED}{after}".count(secret)
