"""What a form has to come with, and what every page goes out with."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from chalicelib.console.router import ROUTES
from tests.console.browser import ORIGIN, Browser, heading
from tests.services.world import PERSON, World

HERE = {"origin": ORIGIN}
POSTS = [re.sub(r"\(.*\)", "abc", route.path) for route in ROUTES if route.post is not None]


def body(browser: Browser, **fields: str) -> str:
    return urlencode({"form_token": browser.form_token, **fields})


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1:8765.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {},
    ],
)
def test_a_form_from_elsewhere_is_refused_on_every_route(mine: Browser, headers: dict[str, str]) -> None:
    mine.get("/settings")
    for path in POSTS:
        answer = mine.send("POST", path, body=body(mine), headers=headers)
        assert (answer.status, heading(answer)) == (403, "This form cannot be taken"), path


@pytest.mark.parametrize("token", ["", "0" * 32, "é"])
def test_a_form_without_this_browsers_token_is_refused_on_every_route(mine: Browser, token: str) -> None:
    for path in POSTS:
        mine.form_token = token
        assert mine.post_only(path).status == 403, path


@pytest.mark.parametrize(
    "headers", [HERE, {"sec-fetch-site": "same-origin"}, {"origin": "null", "sec-fetch-site": "same-origin"}]
)
def test_a_form_of_ours_is_taken_however_the_browser_says_where_it_is_from(
    mine: Browser, headers: dict[str, str]
) -> None:
    """Under no-referrer, browsers say `Origin: null` of a page of ours."""
    mine.get("/settings")
    assert mine.send("POST", "/settings/invite", body=body(mine), headers=headers).status == 200


def test_what_a_form_carries_before_a_sign_in_changes_nothing_after_it(browser: Browser, world: World) -> None:
    browser.get("/sign-in")
    before = browser.form_token
    browser.sign_in(PERSON)
    for path in POSTS:
        if not path.startswith(("/sign", "/in/")):
            browser.form_token = before
            answer = browser.post_only(path)
            assert (answer.status, heading(answer)) == (403, "This form cannot be taken"), path


def test_anothers_token_is_none(mine: Browser, theirs: Browser) -> None:
    theirs.get("/settings")
    mine.form_token = theirs.form_token
    assert mine.post("/settings/invite").status == 403


def test_before_a_sign_in_the_form_belongs_to_the_browser_it_was_sent_to(browser: Browser, world: World) -> None:
    other = Browser(world.deps)
    for one in (browser, other):
        one.get("/sign-in")
    assert browser.form_token != other.form_token
    other.form_token = browser.form_token
    assert other.post("/sign-in", email="a@example.org", password="x").status == 403
    assert heading(browser.post("/sign-in", email="a@example.org", password="x")) == "Sign in"


def test_an_ended_sign_in_leads_to_a_new_one_and_back_to_a_page(browser: Browser) -> None:
    browser.get("/sign-in")
    for path in POSTS:
        if not path.startswith(("/sign", "/in/")):
            answer = browser.post(path)
            assert (answer.status, heading(answer)) == (403, "Sign in")
            (to,) = re.findall(r'name="to" value="([^"]+)"', answer.body)
            assert path.startswith(to)


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        ("application/json", "{}"),
        ("multipart/form-data; boundary=x", "--x--"),
        ("application/x-www-form-urlencoded", "a=" + "x" * 70_000),
        ("application/x-www-form-urlencoded", "&".join(f"a{n}=1" for n in range(300))),
        ("application/x-www-form-urlencoded", "a=%ff"),
        ("application/x-www-form-urlencoded", "a=é"),
    ],
)
def test_what_is_no_form_of_ours_is_not_read(mine: Browser, content_type: str, text: str) -> None:
    answer = mine.send("POST", "/settings/invite", body=text, headers=HERE | {"content-type": content_type})
    assert answer.status == 400


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
def test_no_other_method_is_known(mine: Browser, method: str) -> None:
    answer = mine.send(method, "/sign-in")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD, POST")


def test_a_name_that_was_rebound_to_this_machine_sees_nothing(world: World) -> None:
    for path in ("/", "/sign-in", "/agents"):
        assert Browser(world.deps, origin="http://evil.example:8765").get(path, follow=False).status == 403


@pytest.mark.parametrize("path", ["/", "/sign-in", "/in", "/agents", "/a/abc", "/nothing", f"/in/{'n' * 43}"])
def test_every_page_is_guarded_by_its_headers(mine: Browser, path: str) -> None:
    headers = mine.send("GET", path).headers
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    pointer = path.startswith(("/a/", "/in/"))
    assert headers["Referrer-Policy"] == ("no-referrer" if pointer else "same-origin")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


def test_what_breaks_shows_a_log_id_and_nothing_else(
    mine: Browser, world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the secret detail")

    monkeypatch.setattr(world.deps.store.people, "logins", broken)
    page = mine.send("GET", "/settings")
    assert page.status == 500
    assert "secret detail" not in page.body
    (record,) = caplog.records
    assert isinstance(record.args, tuple)
    assert str(record.args[0]) in page.body
