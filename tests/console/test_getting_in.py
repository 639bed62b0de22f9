"""Signing in and out, one-time links, and what cookies are sent with."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest

from chalicelib.console.knocks import FAILURES_MAX, Knocks
from chalicelib.model import LinkKind
from chalicelib.services import accounts, logins
from chalicelib.services.deps import Deps
from tests.console.browser import Browser, heading, text_of
from tests.services.world import PERSON, World

EMAIL = "you@example.org"
PASSWORD = "four unrelated words here"
NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture
def account(deps: Deps) -> str:
    """The person has chosen an address and a password."""
    link = accounts.find_link(deps, accounts.new_link(deps, PERSON, LinkKind.SET_UP))
    assert link is not None
    ticket = accounts.set_up(deps, link, EMAIL, PASSWORD, "set-up")
    assert ticket is not None
    logins.end_all(deps, PERSON)
    return EMAIL


def sign_in(browser: Browser, *, password: str = PASSWORD, to: str = "/", email: str = EMAIL) -> str:
    browser.get(f"/sign-in?to={to}")
    browser.post("/sign-in", email=email, password=password, to=to)
    return browser.path


def test_a_sign_in_leads_where_it_was_wanted_for(account: str, browser: Browser) -> None:
    assert sign_in(browser, to="/settings") == "/settings"
    assert EMAIL in browser.get("/settings").body


def test_what_was_searched_for_is_still_there_after_the_sign_in(account: str, browser: Browser, world: World) -> None:
    """Fields of a form that only reads stand in the address."""
    world.publish("note")
    agent = f"/agents/{world.caller().agent.id}"
    for address, field in (
        ("/toolbox?q=%22%3E+caf%C3%A9+%26&kind=write", 'value="&#34;&gt; café &amp;"'),
        (f"{agent}?cause=idle&tool=note", 'value="note"'),
        (f"/agents?edit={world.caller().agent.id}", 'name="cap"'),
    ):
        logins.end_all(world.deps, PERSON)
        browser.get(address)
        (to,) = re.findall(r'name="to" value="([^"]*)"', browser.get(browser.path).body)
        page = browser.post("/sign-in", email=EMAIL, password=PASSWORD, to=unescape(to))
        assert browser.path == address
        assert field in page.body
    logins.end_all(world.deps, PERSON)
    browser.get(f"/toolbox?q={'é' * 2000}")
    assert browser.path == "/sign-in?to=/toolbox"


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/a/../../x",
        "javascript:alert(1)",
        "/a?x=//e",
        "/a?x#y",
        "?x=y",
        "a",
    ],
)
def test_a_sign_in_leads_nowhere_else(account: str, browser: Browser, to: str) -> None:
    browser.get("/sign-in")
    answer = browser.post_only("/sign-in", email=EMAIL, password=PASSWORD, to=to)
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize(("email", "password"), [(EMAIL, "wrong password"), ("nobody@example.org", PASSWORD)])
def test_a_failure_does_not_tell_what_was_wrong(account: str, browser: Browser, email: str, password: str) -> None:
    browser.get("/sign-in")
    answer = browser.post("/sign-in", email=email, password=password)
    assert answer.status == 403
    assert "That did not match. Check the address and the password." in text_of(answer.body)
    assert password not in answer.body
    assert f'value="{email}"' in answer.body


def test_after_a_few_wrong_passwords_there_is_a_pause_and_what_is_told_of_it_tells_nothing_of_accounts(
    account: str, browser: Browser, world: World
) -> None:
    for _ in range(5):
        sign_in(browser, password="wrong password")
    browser.get("/sign-in")
    answer = browser.post("/sign-in", email=EMAIL, password=PASSWORD)
    assert "an account takes none for half a minute, the right password included" in text_of(answer.body)
    stranger = browser.post("/sign-in", email=EMAIL.replace("you", "any"), password=PASSWORD)
    assert (stranger.status, stranger.body.replace("any@", "you@")) == (answer.status, answer.body)
    world.clock.forward(seconds=31)
    assert sign_in(browser) == "/start"


def test_an_address_that_keeps_failing_waits_and_writes_nothing(deps: Deps, browser: Browser) -> None:
    browser.get("/sign-in")
    before = rows(deps)
    statuses = [
        browser.post("/sign-in", email=f"{number}@example.org", password="x").status
        for number in range(FAILURES_MAX + 1)
    ]
    assert statuses == [403] * FAILURES_MAX + [429]
    assert rows(deps) == before


def rows(deps: Deps) -> list[dict[str, Any]]:
    return list(deps.store.table.scan("pk > :first", {":first": {"S": "!"}}))


def test_a_network_of_ipv6_addresses_is_one_address() -> None:
    knocks = Knocks()
    for number in range(FAILURES_MAX):
        knocks.count_failure(f"2001:db8:0:7::{number:x}", NOW)
    assert knocks.seconds_to_wait("2001:db8:0:7:ffff::1", NOW) > 0
    assert [knocks.seconds_to_wait(other, NOW) for other in ("2001:db8:0:8::1", "::1", "nowhere")] == [0, 0, 0]


def test_an_ipv4_address_is_itself_however_it_is_written() -> None:
    knocks = Knocks()
    for _ in range(FAILURES_MAX):
        knocks.count_failure("::ffff:192.0.2.7", NOW)
    assert knocks.seconds_to_wait("192.0.2.7", NOW) > 0
    assert knocks.seconds_to_wait("192.0.2.8", NOW) == 0


def test_signing_out_ends_the_login_itself(account: str, browser: Browser, deps: Deps) -> None:
    sign_in(browser)
    kept = dict(browser.cookies)
    browser.get("/settings")
    browser.post("/sign-out")
    assert deps.store.people.logins(PERSON) == []
    browser.cookies = kept
    browser.get("/settings")
    assert browser.path.startswith("/sign-in")


def test_a_one_time_link_signs_in_once(deps: Deps, browser: Browser) -> None:
    secret = accounts.new_link(deps, PERSON, LinkKind.SIGN_IN)
    assert browser.get(f"/in/{secret}", method="HEAD").status == 200
    browser.get(f"/in/{secret}")
    assert browser.path == "/start"
    other = Browser(deps)
    assert heading(other.get(f"/in/{secret}")) == "This link no longer works"
    other.get("/agents")
    assert other.path == "/sign-in?to=/agents"


def test_a_set_up_link_shows_a_form_and_makes_the_account_by_its_post(deps: Deps, browser: Browser) -> None:
    secret = accounts.new_link(deps, PERSON, LinkKind.SET_UP)
    for method in ("GET", "HEAD", "GET"):
        browser.get(f"/in/{secret}", method=method)
    short = browser.post(f"/in/{secret}", email=EMAIL, password="short")
    assert short.status == 422
    assert f'value="{EMAIL}"' in short.body
    browser.post(f"/in/{secret}", email=EMAIL, password=PASSWORD)
    assert browser.path == "/start"
    assert sign_in(Browser(deps)) == "/start"
    assert heading(Browser(deps).get(f"/in/{secret}")) == "This link no longer works"


def test_used_expired_and_unknown_links_are_one_page(world: World, deps: Deps, browser: Browser) -> None:
    used = accounts.new_link(deps, PERSON, LinkKind.SIGN_IN)
    Browser(deps).get(f"/in/{used}")
    expired = accounts.new_link(deps, PERSON, LinkKind.SIGN_IN)
    world.clock.forward(days=2)
    pages = [browser.get(f"/in/{secret}") for secret in (used, expired, "n" * 43)]
    assert {page.status for page in pages} == {404}
    assert len({page.body for page in pages}) == 1


def test_a_sign_in_link_takes_no_form(deps: Deps, browser: Browser) -> None:
    secret = accounts.new_link(deps, PERSON, LinkKind.SIGN_IN)
    browser.get("/sign-in")
    assert browser.post(f"/in/{secret}", email=EMAIL, password=PASSWORD).status == 404
    assert accounts.find_link(deps, secret) is not None


def cookies_of(deps: Deps, origin: str) -> list[str]:
    secret = accounts.new_link(deps, PERSON, LinkKind.SIGN_IN)
    return list(Browser(deps, origin=origin).send("GET", f"/in/{secret}").cookies)


def test_the_cookie_is_for_this_address_and_no_script(deps: Deps) -> None:
    cookie = cookies_of(deps, "http://127.0.0.1:8765")[0]
    assert cookie.startswith("graft-8765=p1.")
    assert cookie.partition("; ")[2] == "HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000"


def test_beyond_a_loopback_address_the_cookie_needs_tls(deps: Deps) -> None:
    object.__setattr__(deps.settings, "public_base_url", "https://graft.example")
    for origin in ("https://graft.example", "http://graft.example", "https://127.0.0.1"):
        cookie = cookies_of(deps, origin)[0]
        assert cookie.startswith("__Host-graft=p1.")
        assert cookie.endswith("; Secure")
