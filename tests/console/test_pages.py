"""The handlers of app.py before the console: what a gateway sends in, and what goes out; and the assets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from chalice.test import Client, HTTPResponse

from app import app
from chalicelib import wiring
from chalicelib.console import assets
from chalicelib.services import acquire
from chalicelib.services.acquire import Wanted
from tests.console.browser import Browser
from tests.services.world import PERSON, WRITES, World


def get(path: str) -> HTTPResponse:
    with Client(app) as client:
        return client.http.get(path)


@pytest.fixture
def gateway(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """The handlers work with the world's services, and know no public address but the gateway's."""
    object.__setattr__(world.deps.settings, "public_base_url", "")
    monkeypatch.setattr(wiring, "deps", lambda: world.deps)
    return world


def gateway_event(
    stage: str, path: str, *, method: str = "GET", body: str | None = None, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """What a gateway sends for `path` below `stage`."""
    context = {
        "httpMethod": method,
        "resourcePath": "/" if path == "/" else "/{proxy+}",
        "path": f"{stage}{path}",
        "domainName": "graft.example",
        "identity": {"sourceIp": "192.0.2.7"},
        "requestId": "gateway-1",
    }
    return {
        "requestContext": context,
        "headers": {"x-forwarded-proto": "https", "accept": "text/html"} | (headers or {}),
        "multiValueQueryStringParameters": None,
        "pathParameters": None if path == "/" else {"proxy": path.strip("/")},
        "body": body,
        "stageVariables": None,
    }


def linked_from(html: str) -> set[str]:
    linked = set(re.findall(r'(?:href|src|action)="(/[^"]+)"', html))
    assert linked
    return linked


@pytest.mark.parametrize("stage", ["", "/api", "/tools/graft"])
@pytest.mark.parametrize("path", ["/", "/sign-in", "/nothing/at/all", "/a/abc"])
def test_links_begin_with_the_stage_or_the_base_path(gateway: World, stage: str, path: str) -> None:
    answer = app(gateway_event(stage, path), None)
    if answer["statusCode"] == 303:
        assert answer["headers"]["Location"] == f"{stage}/sign-in?to={path}"
        return
    for address in linked_from(answer["body"]):
        assert address.startswith(f"{stage}/")


def test_signing_in_through_a_gateway(gateway: World) -> None:
    sign_in = app(gateway_event("/api", "/sign-in"), None)
    (cookie,) = sign_in["multiValueHeaders"]["Set-Cookie"]
    token = re.search(r'name="form_token" value="(\w+)"', sign_in["body"])
    assert token is not None
    assert cookie.startswith("__Host-graft-form=")
    headers = {
        "cookie": cookie.partition(";")[0],
        "origin": "https://graft.example",
        "content-type": "application/x-www-form-urlencoded",
    }
    sent = f"form_token={token[1]}&email=a%40example.org&password=x&to=%2F"
    failed = app(gateway_event("/api", "/sign-in", method="POST", body=sent, headers=headers), None)
    assert failed["statusCode"] == 403
    assert "That did not match" in failed["body"]
    elsewhere = gateway_event("/api", "/sign-in", method="POST", body=sent, headers=headers | {"origin": "https://e.x"})
    assert "cannot be taken" in app(elsewhere, None)["body"]


def test_a_program_that_asks_for_what_is_not_there_gets_no_page(gateway: World) -> None:
    path = "/.well-known/oauth-protected-resource"
    answer = app(gateway_event("/api", path, headers={"accept": "application/json"}), None)
    assert (answer["statusCode"], answer["body"]) == (404, '{"message":"Not found"}')


def pages(world: World) -> list[str]:
    world.connect()
    world.publish("note", WRITES)
    ask = world.asked(world.call("note", text="x"))
    agent = world.caller().agent.id
    connection = world.connection().id
    wanted = Wanted(connection, "g", ignore_existing=True)
    written = world.asked(acquire.acquire(world.deps, world.caller(), wanted))
    return [
        f"/a/{ask.code}",
        f"/a/{written.code}",
        "/asks",
        "/agents",
        f"/agents/{agent}",
        f"/agents/{agent}/jobs",
        f"/agents/{agent}/rotate",
        f"/agents/{agent}/revoke",
        "/connections",
        f"/connections/{connection}/secret",
        f"/connections/{connection}/revoke",
        "/settings",
        "/nothing",
    ]


def test_no_page_needs_anything_inline_or_from_elsewhere(world: World, mine: Browser) -> None:
    for path in [*pages(world), "/sign-in", "/in"]:
        html = mine.get(path).body
        assert not re.search(
            r"<style|<script(?! src=\"/static/)|style=|\son\w+=|javascript:|(src|href)=\"http", html
        ), path


def test_whatever_a_page_links_to_is_there_and_assets_may_be_kept_for_ever(world: World, mine: Browser) -> None:
    seen = set()
    for path in pages(world):
        seen |= {address for address in linked_from(mine.get(path).body) if "#" not in address}
    for address in seen:
        if address.startswith("/static/"):
            assert get(address).headers["Cache-Control"] == "public, max-age=31536000, immutable"
        else:
            assert mine.get(address).status in (200, 404 if address == "/nothing" else 200, 405)


def test_every_time_can_be_read_exactly_without_a_pointer(world: World, mine: Browser) -> None:
    """By a disclosure, where a page has a time."""
    for path in pages(world):
        html = mine.get(path).body
        times = re.findall(r"<time [^>]*>", html)
        assert all(re.search(r'title="\d+ \w{3} \d{4}, \d\d:\d\d UTC"', time) for time in times), path
        assert html.count("Exact times") == (1 if times else 0), path


def test_no_page_is_larger_than_it_should_be(world: World, mine: Browser) -> None:
    for path in pages(world):
        assert len(mine.get(path).body.encode()) < 30_000, path


def test_very_many_browsers_make_no_large_page_and_this_one_is_among_them(world: World, mine: Browser) -> None:
    for _ in range(60):
        world.clock.forward(seconds=1)
        Browser(world.deps).sign_in(PERSON)
    html = mine.get("/settings").body
    assert len(html.encode()) < 30_000
    assert "this one" in html
    assert "and 41 more, opened before these." in html


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


@pytest.mark.parametrize("path", ["/static/nothing.css", "/static/..%2Fapp.py", "/static/app.py"])
def test_no_other_file_is_an_asset(path: str) -> None:
    assert get(path).status_code == 404


def test_our_script_stays_small() -> None:
    assert len((Path(__file__).parents[2] / "console_static" / "console.js").read_bytes()) < 3_000
