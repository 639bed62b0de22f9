"""A form that is sent after its sign-in has ended: it changes nothing, and comes back filled in, without secrets."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest

from chalicelib.console import keeping
from chalicelib.console.http import PageResponse
from chalicelib.console.router import _CODE, ROUTES
from chalicelib.model import LinkKind
from chalicelib.services import accounts, logins, requests
from chalicelib.services.requests import WantedConnection
from tests.console.browser import Browser, heading, text_of
from tests.services.world import PERSON, WRITES, World

EMAIL = "you@example.org"
PASSWORD = "four unrelated words here"
SECRET = "the-secret-that-was-typed"
HOSTILE = '"><script>alert(1)</script>&amp;'
NOTICE = "Nothing was saved: your sign-in had ended before you sent this."


@pytest.fixture(autouse=True)
def account(world: World) -> None:
    """The person has chosen an address and a password."""
    set_up(world, PERSON, EMAIL)


def set_up(world: World, person_id: str, email: str) -> None:
    link = accounts.find_link(world.deps, accounts.new_link(world.deps, person_id, LinkKind.SET_UP))
    assert link is not None
    assert accounts.set_up(world.deps, link, email, PASSWORD, "set-up")
    logins.end_all(world.deps, person_id)


@pytest.fixture
def mine(world: World, account: None) -> Browser:
    return Browser(world.deps).sign_in(PERSON)


class Fields(HTMLParser):
    """The fields of a page's forms as they stand: what is typed in each, and what is chosen."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.typed: dict[str, str] = {}
        self.chosen: set[tuple[str, str]] = set()
        self.kinds: dict[str, str] = {}
        self.action = ""
        self.of: dict[str, set[str]] = {}
        """By the action of a form, the names of what is typed in it."""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = given.get("action", "").partition("#")[0] if given.get("method") == "post" else ""
        assert tag not in ("select", "textarea") or not self.action, "a form would lose this field"
        if tag == "input" and self.action and given.get("type") != "hidden" and "hidden" not in given:
            name, kind = given["name"], given.get("type", "text")
            self.kinds[name] = kind
            if kind in ("radio", "checkbox"):
                self.chosen |= {(name, given.get("value", "on"))} if "checked" in given else set()
            else:
                self.typed[name] = given.get("value", "")
                self.of.setdefault(self.action, set()).add(name)


def sign_in_again(browser: Browser, answer: PageResponse, *, email: str = EMAIL, wrong: int = 0) -> PageResponse:
    """With everything that the page's form carries."""
    sent = {name: unescape(value) for name, value in re.findall(r'name="(kept|to)" value="([^"]*)"', answer.body)}
    for _ in range(wrong):
        failed = browser.post("/sign-in", email=email, password="wrong password", **sent)
        assert unescape(re.findall(r'name="kept" value="([^"]*)"', failed.body)[0]) == sent["kept"]
    return browser.post("/sign-in", email=email, password=PASSWORD, **sent)


def expire(world: World, how: str, browser: Browser) -> None:
    if how == "its time was up, and the browser forgot the cookie":
        world.clock.forward(days=40)
        browser.cookies = {}
    elif how == "its time was up":
        world.clock.forward(days=40)
    else:
        logins.end_all(world.deps, PERSON)


@pytest.mark.parametrize(
    "how", ["its time was up", "its time was up, and the browser forgot the cookie", "it was ended elsewhere"]
)
def test_an_expired_sign_in_restores_what_was_typed_and_saves_nothing(world: World, mine: Browser, how: str) -> None:
    page = f"/agents/{world.caller().agent.id}"
    mine.get(page)
    expire(world, how, mine)
    asked = mine.post(f"{page}/limits", name=HOSTILE, cap="7", idle_window_days="8")
    assert (asked.status, heading(asked)) == (403, "Sign in")
    assert NOTICE in text_of(asked.body)
    assert "<script>alert" not in asked.body
    back = sign_in_again(mine, asked, wrong=2)
    assert mine.path == f"{page}?restored=1"
    assert NOTICE in text_of(back.body)
    assert Fields(back.body).typed == {"name": HOSTILE, "cap": "7", "idle_window_days": "8"}
    assert "<script>alert" not in back.body
    assert world.caller().agent.name == "demo"
    assert Fields(mine.get(mine.path).body).typed["cap"] == "7"  # a reload loses nothing
    mine.post(f"{page}/limits", name="desk", cap="7", idle_window_days="8")
    assert (world.caller().agent.name, world.caller().agent.cap) == ("desk", 7)
    after = mine.get(f"{page}?restored=1")
    assert NOTICE not in text_of(after.body)
    assert world.deps.store.people.logins(PERSON)[0].kept_form == ""


def test_a_form_that_was_refused_is_still_kept(world: World, mine: Browser) -> None:
    page = f"/agents/{world.caller().agent.id}"
    mine.get(page)
    logins.end_all(world.deps, PERSON)
    sign_in_again(mine, mine.post(f"{page}/limits", name="desk", cap="0", idle_window_days="8"))
    assert mine.post(f"{page}/limits", name="desk", cap="0", idle_window_days="8").status == 422
    assert Fields(mine.get(f"{page}?restored=1").body).typed["cap"] == "0"


def test_ticks_schemes_and_what_stands_behind_a_disclosure_come_back_and_secrets_do_not(
    world: World, mine: Browser
) -> None:
    bound = world.connect()
    mine.get("/agents/new")
    logins.end_all(world.deps, PERSON)
    sent = {"name": "laptop", "cap": "9", "idle_window_days": "3", "scope": "list", "connection": bound.id}
    new = Fields(sign_in_again(mine, mine.post("/agents/new", **sent)).body)
    assert new.chosen == {("scope", "list"), ("connection", bound.id)}
    assert new.typed["name"] == "laptop"

    mine.get("/connections")
    logins.end_all(world.deps, PERSON)
    typed = {"vendor": "acme", "primary_host": "api.acme.example.org", "basic.username": SECRET, "scheme": "basic"}
    asked = mine.post("/connections", **typed, **{"basic.password": SECRET, "api_key_header.headerName": "X-Key"})
    assert SECRET not in asked.body
    back = sign_in_again(mine, asked)
    assert "except a secret" in text_of(back.body)
    assert SECRET not in back.body
    assert SECRET not in world.deps.store.people.logins(PERSON)[0].kept_form
    assert Fields(back.body).chosen == {("scheme", "basic")}
    assert Fields(back.body).typed["vendor"] == "acme"
    assert Fields(back.body).typed["api_key_header.headerName"] == "X-Key"


def test_an_answer_on_an_ask_is_not_given_and_its_buttons_stay_what_they_are(world: World, mine: Browser) -> None:
    world.connect()
    world.publish("note", WRITES)
    ask = world.asked(world.call("note", text="x"))
    page = mine.get(f"/a/{ask.code}").body
    logins.end_all(world.deps, PERSON)
    asked = mine.post(f"/a/{ask.code}", answer="allow-every-time", reason="because")
    back = sign_in_again(mine, asked)
    assert mine.path == f"/a/{ask.code}?restored=1"
    assert re.findall(r'name="answer" value="([^"]*)"', back.body) == re.findall(r'name="answer" value="([^"]*)"', page)
    assert Fields(back.body).typed == {"reason": "because"}
    found = world.deps.store.asks.find(PERSON, ask.id)
    assert found is not None
    assert found.answer is None


def test_what_was_changed_behind_a_disclosure_is_seen(world: World, mine: Browser) -> None:
    ask = world.asked(
        requests.request_connection(world.deps, world.caller(), WantedConnection("acme", "api.acme.example", "bearer"))
    )
    assert "<details open" not in mine.get(f"/a/{ask.code}").body
    logins.end_all(world.deps, PERSON)
    sent = {
        "answer": "connect",
        "display_name": "acme",
        "primary_host": "api.acme.example",
        "hosts": "files.acme.example",
    }
    back = sign_in_again(mine, mine.post(f"/a/{ask.code}", **sent, scheme="bearer"))
    assert Fields(back.body).typed["hosts"] == "files.acme.example"
    assert re.search(r"<details [^>]*open>\s*<summary>Change hosts or scheme", back.body)


def test_nothing_of_it_comes_back_to_another_account(world: World, mine: Browser) -> None:
    world.deps.store.people.add("p2")
    set_up(world, "p2", "they@example.org")
    page = f"/agents/{world.caller().agent.id}"
    mine.get("/connections")
    logins.end_all(world.deps, PERSON)
    for form in ("/connections", f"{page}/limits"):
        asked = mine.post(form, vendor="typed-by-the-first", name="typed-by-the-first")
        back = sign_in_again(mine, asked, email="they@example.org")
        assert "typed-by-the-first" not in back.body
        assert world.deps.store.people.logins("p2")[0].kept_form == ""
        mine.cookies = {}
        mine.get("/sign-in")


def test_a_form_of_an_earlier_sign_in_is_shown_again_to_its_person_and_refused_to_anybody_else(
    world: World, mine: Browser
) -> None:
    """Signed in again in another tab, by a link for instance."""
    page = f"/agents/{world.caller().agent.id}"
    mine.get(page)
    old_token = mine.form_token
    mine.sign_in(PERSON)
    sent = {"name": "desk", "cap": "7", "idle_window_days": "8", "form_token": old_token}
    back = mine.post(f"{page}/limits", **sent)
    assert back.status == 403
    assert NOTICE in text_of(back.body)
    assert Fields(back.body).typed["name"] == "desk"
    assert world.caller().agent.name == "demo"
    mine.post(f"{page}/limits", name="desk", cap="7", idle_window_days="8")
    assert world.caller().agent.name == "desk"
    world.deps.store.people.add("p2")
    other = Browser(world.deps).sign_in("p2")
    assert heading(other.post("/connections", vendor="x", form_token=old_token)) == "This form cannot be taken"


def test_a_form_that_waits_in_one_tab_comes_back_after_a_sign_in_in_another(world: World, mine: Browser) -> None:
    page = f"/agents/{world.caller().agent.id}"
    mine.get(page)
    logins.end_all(world.deps, PERSON)
    waiting = mine.post(f"{page}/limits", name="desk", cap="7", idle_window_days="8")
    its_token = mine.form_token
    mine.get("/sign-in")
    mine.post("/sign-in", email=EMAIL, password=PASSWORD, to="/settings")
    assert mine.path == "/settings"
    mine.form_token = its_token
    back = sign_in_again(mine, waiting)
    assert mine.path == f"{page}?restored=1"
    assert Fields(back.body).typed["name"] == "desk"
    assert len(world.deps.store.people.logins(PERSON)) == 1


def test_a_form_from_elsewhere_is_not_kept(world: World, mine: Browser) -> None:
    mine.get("/connections")
    logins.end_all(world.deps, PERSON)
    answer = mine.send("POST", "/connections", body="vendor=planted", headers={"origin": "https://evil.example"})
    assert heading(answer) == "This form cannot be taken"
    assert "planted" not in answer.body


@pytest.mark.parametrize("how", ["another browser's", "its seal broken", "no seal", "made up"])
def test_what_this_browser_did_not_send_is_not_restored(world: World, mine: Browser, how: str) -> None:
    page = "/connections"
    mine.get(page)
    logins.end_all(world.deps, PERSON)
    asked = mine.post(page, vendor="planted")
    sealed = unescape(re.findall(r'name="kept" value="([^"]*)"', asked.body)[0])
    victim = Browser(world.deps)
    if how != "another browser's":
        victim, sealed = (
            mine,
            {"no seal": sealed[64:], "made up": "é" * 80}.get(how, sealed.replace("planted", "other")),
        )
    victim.get("/sign-in")
    back = victim.post("/sign-in", email=EMAIL, password=PASSWORD, to=page, kept=sealed)
    assert victim.path == page
    assert "planted" not in back.body
    assert 'value="other"' not in back.body


def test_what_is_too_long_is_not_kept_and_says_so(world: World, mine: Browser) -> None:
    mine.get("/connections")
    logins.end_all(world.deps, PERSON)
    asked = mine.post("/connections", hosts="h" * keeping.KEPT_MAX)
    assert "too long to be kept" in text_of(asked.body)
    assert len(asked.body.encode()) < 30_000
    sign_in_again(mine, asked)
    assert mine.path == "/connections"


def addresses(world: World) -> list[str]:
    """Of every page with a form that waits for a person."""
    world.connect()
    world.publish("note", WRITES)
    asks = [
        world.asked(world.call("note", text="x")),
        world.asked(
            requests.request_connection(
                world.deps, world.caller(), WantedConnection("acme", "api.acme.example", "bearer")
            )
        ),
        world.asked(requests.request_credential(world.deps, world.caller(), world.connection().id, "")),
    ]
    agent = world.caller().agent.id
    bound = world.connection().id
    pages = [route.path.replace(_CODE, "{}") for route in ROUTES if route.get is not None and not route.is_open]
    ids = {"agents": agent, "connections": bound, "toolbox": "demo__note", "a": asks[0].code}
    found = [page.format(ids.get(page.split("/")[1], "")) for page in pages]
    return [*found, *(f"/a/{ask.code}" for ask in asks[1:]), f"/agents?edit={agent}"]


def test_every_field_of_every_form_comes_back_unless_it_is_a_secret(world: World, mine: Browser) -> None:
    forms = 0
    for address in addresses(world):
        shown = Fields(mine.get(address, follow=False).body)
        for name, kind in shown.kinds.items():
            assert (kind != "password") or name in keeping.SECRETS, f"{name} of {address} is no declared secret"
        for action, names in shown.of.items():
            mine.get(address)
            logins.end_all(world.deps, PERSON)
            sent = {name: f"typed-{number}" for number, name in enumerate(sorted(names))}
            back = Fields(sign_in_again(mine, mine.post(action, **sent)).body)
            for name, value in sent.items():
                wanted = "" if name in keeping.SECRETS else value
                assert back.typed[name] == wanted, f"{name} of {address}"
            forms += 1
    assert forms >= 8


def test_every_form_names_the_page_that_holds_it() -> None:
    pages = {route.path.replace(_CODE, "{}") for route in ROUTES if route.get is not None}
    for route in ROUTES:
        if route.post is not None and not route.is_open:
            page = route.page or route.path.replace(_CODE, "{}")
            assert page.partition("?")[0] in pages, route.path
