"""Every page that stands without a sign-in, as the handlers send it."""

from __future__ import annotations

import re

import pytest
from chalice.test import Client, HTTPResponse

from app import app


def get(path: str) -> HTTPResponse:
    with Client(app) as client:
        return client.http.get(path)


@pytest.mark.parametrize(("path", "heading"), [("/", "one toolbox"), ("/a/abc123", "A question from your agent")])
def test_a_page_is_html_that_needs_nothing_inline_and_from_nowhere_else(path: str, heading: str) -> None:
    page = get(path)
    text = page.body.decode()
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert heading in text
    assert not re.search(r"<script|<style|style=|https?://", text)
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Referrer-Policy"] == "no-referrer"


def test_an_asks_page_shows_nothing_that_its_link_could_give_away() -> None:
    assert get("/a/abc123").body == get("/a/anything").body


@pytest.mark.parametrize("path", ["/", "/a/abc123"])
def test_whatever_a_page_links_to_is_served(path: str) -> None:
    linked = set(re.findall(r'(?:href|src)="(/[^"]+)"', get(path).body.decode()))
    assert linked
    for address in linked:
        answer = get(address)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith(("text/css", "image/svg+xml"))


@pytest.mark.parametrize("path", ["/static/nothing.css", "/static/..%2Fapp.py", "/static/app.py", "/nothing"])
def test_anything_else_is_not_found(path: str) -> None:
    assert get(path).status_code == 404
