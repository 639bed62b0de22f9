"""Every page that stands without a sign-in, as the handlers send it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from chalice.test import Client, HTTPResponse

from app import app
from chalicelib.console import assets


def get(path: str) -> HTTPResponse:
    with Client(app) as client:
        return client.http.get(path)


def linked_from(html: str) -> set[str]:
    linked = set(re.findall(r'(?:href|src)="(/[^"]+)"', html))
    assert linked
    return linked


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
    for address in linked_from(get(path).body.decode()):
        answer = get(address)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith(("text/css", "image/svg+xml"))


@pytest.mark.parametrize("path", ["/", "/a/abc123"])
def test_a_page_links_to_what_may_be_kept_for_ever(path: str) -> None:
    for address in linked_from(get(path).body.decode()):
        assert get(address).headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_a_page_of_before_a_deploy_gets_what_there_is_now_for_a_short_while() -> None:
    old, plain = get("/static/console.0123456789ab.css"), get("/static/console.css")
    assert old.status_code == plain.status_code == 200
    assert old.body == plain.body
    assert old.headers["Cache-Control"] == plain.headers["Cache-Control"] == "public, max-age=300"


def test_an_assets_name_changes_with_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def here() -> Path:
        return tmp_path

    monkeypatch.setattr(assets, "_folder", here)
    names = []
    for text in ("a {}", "b {}"):
        (tmp_path / "test.css").write_text(text)
        assets._read.cache_clear()
        names.append(assets.asset_path("/api", "test.css"))
    assets._read.cache_clear()
    assert len(set(names)) == 2
    assert all(re.fullmatch(r"/api/static/test\.[0-9a-f]{12}\.css", name) for name in names)


def test_an_asset_that_is_not_there_cannot_be_linked() -> None:
    with pytest.raises(KeyError):
        assets.asset_path("", "nothing.css")


@pytest.mark.parametrize(
    ("resource", "path", "root"),
    [
        ("/", "/api", "/api"),
        ("/", "/api/", "/api"),
        ("/a/{code}", "/api/a/abc", "/api"),
        ("/", "/", ""),
        ("/a/{code}", "/a/abc", ""),
        ("/a/{code}", "/tools/graft/a/abc", "/tools/graft"),
    ],
)
def test_links_begin_with_the_stage_or_the_base_path(resource: str, path: str, root: str) -> None:
    answer = app(gateway_event(resource, path), None)
    assert answer["statusCode"] == 200
    for address in linked_from(answer["body"]):
        assert address.startswith(f"{root}/static/")


def gateway_event(resource: str, path: str) -> dict[str, Any]:
    """What a gateway sends for a GET of `path`, which leads to the route `resource`."""
    context = {"httpMethod": "GET", "resourcePath": resource, "path": path, "domainName": "graft.example"}
    return {
        "requestContext": context,
        "headers": {"x-forwarded-proto": "https"},
        "multiValueQueryStringParameters": None,
        "pathParameters": {"code": "abc"} if "code" in resource else None,
        "body": None,
        "stageVariables": None,
    }


@pytest.mark.parametrize("path", ["/static/nothing.css", "/static/..%2Fapp.py", "/static/app.py", "/nothing"])
def test_anything_else_is_not_found(path: str) -> None:
    assert get(path).status_code == 404
