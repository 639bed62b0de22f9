"""Connections: what is so with each, how one is added, and what its end takes away."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from chalicelib.console.connection_states import state_of
from chalicelib.console.paging import PAGE_BYTES
from chalicelib.errors import Reason
from chalicelib.model import Connection, ConnectionState, VendorAnswer
from chalicelib.proxy.schemes import SCHEMES
from chalicelib.services import connections
from chalicelib.services.connection_view import ConnectionFacts
from tests.console.browser import Browser, heading
from tests.console.reading import words_of
from tests.services.world import PERSON, READS, START, WRITES, World

SECRET = "sk-canary-0123456789"
A_CONNECTION = Connection(
    PERSON, "c1", "demo", "Demo", "bearer", {}, "api.demo.example", ("api.demo.example",), ConnectionState.LIVE, START
)


def page_of(mine: Browser, path: str = "/connections") -> str:
    answer = mine.get(path)
    assert answer.status == 200, answer.body
    return words_of(answer.body)


# --- states


def test_without_a_connection_the_page_says_where_they_come_from(mine: Browser) -> None:
    assert "No connections yet. Agents ask for one when a tool needs it." in page_of(mine)


def test_a_state_is_what_was_recorded(world: World, mine: Browser) -> None:
    bound = world.connect(display_name="Demo notes")
    world.publish("reads", READS)
    assert "saved, not tried yet" in page_of(mine)
    world.call("reads")
    world.clock.forward(minutes=2)
    assert "last answered 200, 2 min ago" in page_of(mine)
    mine.post(f"/connections/{bound.id}/secret", **{"bearer.token": "wrong"})
    assert "new secret saved, not tried yet, since just now" in page_of(mine)
    world.call("reads")
    assert "last answered 401, just now. The secret may have run out." in page_of(mine)
    mine.post(f"/connections/{bound.id}/revoke")
    assert "revoked just now. Its secret is wiped." in page_of(mine)


@pytest.mark.parametrize(
    ("status", "reason", "tone", "words", "advice"),
    [
        (200, "", "good", "last answered 200,", ""),
        (404, "", "good", "last answered 404,", ""),
        (401, "", "bad", "last answered 401,", "The secret may have run out."),
        (403, "", "bad", "last answered 403,", "The secret may not reach that far."),
        (503, "", "warn", "last answered 503,", "The vendor had a fault of its own."),
        (0, Reason.VENDOR_UNREACHABLE, "bad", "vendor could not be reached,", ""),
        (0, Reason.CREDENTIAL_MISSING, "bad", "no secret is stored,", ""),
        (0, Reason.INTERNAL, "bad", "a call ended without an answer (internal),", ""),
    ],
)
def test_every_answer_has_its_words(status: int, reason: str, tone: str, words: str, advice: str) -> None:
    state = state_of(ConnectionFacts(A_CONNECTION, VendorAnswer("c1", status, str(reason), START), 1))
    assert (state.tone, state.words, state.at, state.advice) == (tone, words, START, advice)


def test_a_revoke_that_has_not_ended_can_be_gone_on_with(world: World, mine: Browser) -> None:
    bound = world.connect()
    world.deps.store.grants.begin_revoke(bound, world.clock())
    page = page_of(mine)
    assert "being revoked since just now. Its secret is wiped; its tools are leaving the lists." in page
    assert "Go on with it now" in page
    mine.post(f"/connections/{bound.id}/revoke")
    assert "revoked just now" in page_of(mine)


def test_a_connection_of_before_times_were_kept_is_still_told() -> None:
    state = state_of(ConnectionFacts(replace(A_CONNECTION, state=ConnectionState.REVOKED), None, 0))
    assert (state.words, state.at) == ("revoked", None)


def test_a_connection_leads_to_the_tools_that_use_it(world: World, mine: Browser) -> None:
    bound = world.connect(display_name="Demo notes")
    world.connect("other", scheme="none", secret={}, display_name="Nothing")
    world.publish("reads", READS)
    body = mine.get("/connections").body
    assert f'href="/toolbox?connection={bound.id}">1<span class="vh"> tool uses Demo notes' in body
    assert "other, no secret" in words_of(body)
    assert body.count("/secret") == 1


def test_very_many_connections_are_paged_and_a_page_stays_small(world: World, mine: Browser) -> None:
    for at in range(25):
        world.connect(f"vendor-{at:02}", display_name=f"Account {at:02} at a vendor")
    assert "1 to 20 of 25 connections" in page_of(mine, "/connections")
    assert "21 to 25 of 25 connections" in page_of(mine, "/connections?from=20")
    for wrong in ("99", "x", "-1"):
        assert "1 to 20 of 25 connections" in page_of(mine, f"/connections?from={wrong}")


def test_very_many_hosts_and_hostile_names_make_no_large_page_and_every_connection_is_reached(
    world: World, mine: Browser
) -> None:
    made = []
    for at in range(25):
        hosts = [f"{'h' * 60}-{number}.{at}.example.org" for number in range(19)]
        made.append(world.connect(f"vendor-{at:02}", display_name="\u200b<&>" * 25, hosts=hosts).id)
    seen: list[str] = []
    while True:
        page = mine.get(f"/connections?from={len(seen)}").body
        assert len(page.encode()) <= PAGE_BYTES
        seen += re.findall(r"/connections/(\w+)/revoke", page)
        if ">Next<" not in page:
            break
    assert sorted(seen) == sorted(made)
    world.agent("laptop")
    for at in range(40):
        world.publish(f"{'x' * 35}-{at}", WRITES, connection_id=made[0], vendor="vendor-00")
    effects = mine.get(f"/connections/{made[0]}/revoke").body
    assert len(effects.encode()) <= PAGE_BYTES
    assert "40 tools leave the list of demo" in words_of(effects)
    assert "and 28 more" in words_of(effects)


def test_a_hostile_name_is_text(world: World, mine: Browser) -> None:
    bound = world.connect(display_name="<b>bold</b> \u202etxt")
    for path in ("/connections", f"/connections/{bound.id}/revoke"):
        body = mine.get(path).body
        assert "<b>bold" not in body
        assert "\u202e" not in body
        assert "U+202E right-to-left override" in body


# --- adding one

TYPED = {
    "none": {},
    "bearer": {"bearer.token": SECRET},
    "api_key_header": {"api_key_header.headerName": "X-Api-Key", "api_key_header.key": SECRET},
    "api_key_query": {"api_key_query.queryParam": "api_key", "api_key_query.key": SECRET},
    "basic": {"basic.username": "you", "basic.password": SECRET},
    "oauth2_client_credentials": {
        "oauth2_client_credentials.tokenUrl": "https://api.acme.example.org/token",
        "oauth2_client_credentials.clientId": "you",
        "oauth2_client_credentials.clientSecret": SECRET,
    },
}


def test_every_scheme_is_here() -> None:
    assert set(TYPED) == set(SCHEMES)


def add(mine: Browser, scheme: str, **changes: str) -> str:
    mine.get("/connections")
    given = {"vendor": "acme", "primary_host": "api.acme.example.org", "scheme": scheme} | TYPED[scheme] | changes
    return mine.post("/connections", follow=True, **given).body  # type: ignore[arg-type]  # field names are no keywords


@pytest.mark.parametrize("scheme", TYPED)
def test_a_person_adds_one_of_any_scheme(world: World, mine: Browser, scheme: str) -> None:
    page = add(mine, scheme, display_name="Acme, mine")
    assert "Acme, mine" in page
    assert "saved, not tried yet" in page
    assert SECRET not in page
    (made,) = world.deps.store.grants.connections(PERSON)
    assert (made.scheme, made.primary_host) == (scheme, "api.acme.example.org")


def test_the_hosts_are_the_first_thing_that_is_asked_for(mine: Browser) -> None:
    form = mine.get("/connections").body.partition('id="add"')[2]
    names = re.findall(r'<input id="[\w-]+" name="([\w.]+)"', form)
    assert names[:4] == ["primary_host", "hosts", "vendor", "display_name"]


@pytest.mark.parametrize("scheme", [scheme for scheme in TYPED if scheme != "none"])
def test_what_is_wrong_stands_at_its_field_and_all_but_the_secret_is_kept(mine: Browser, scheme: str) -> None:
    page = add(mine, scheme, vendor="Not A Vendor", primary_host="https://api.acme.example.org/", display_name="Kept")
    assert 'id="vendor-wrong"' in page
    assert "Only the host: api.acme.example.org, without https:// and without a path." in words_of(
        page.partition('id="primary-host-wrong"')[2]
    )
    assert 'value="Kept"' in page
    assert 'value="https://api.acme.example.org/"' in page
    assert f'value="{scheme}" checked' in page
    assert SECRET not in page


def test_a_missing_secret_is_told_at_its_field(mine: Browser) -> None:
    mine.get("/connections")
    page = mine.post("/connections", vendor="acme", primary_host="api.acme.example.org", scheme="basic")
    assert page.status == 422
    assert 'id="basic-username-wrong"' in page.body


def test_a_token_url_elsewhere_has_to_be_confirmed(world: World, mine: Browser) -> None:
    scheme = "oauth2_client_credentials"
    elsewhere = {f"{scheme}.tokenUrl": "https://login.elsewhere.example.net/token"}
    page = add(mine, scheme, **elsewhere)
    assert "login.elsewhere.example.net, outside the primary host’s domain" in words_of(page)
    assert world.deps.store.grants.connections(PERSON) == []
    add(mine, scheme, **elsewhere, confirmed_host="login.elsewhere.example.net")
    assert len(world.deps.store.grants.connections(PERSON)) == 1


def new_form(mine: Browser) -> dict[str, str]:
    """A form for a new connection, filled in."""
    found = re.search(r'name="connection_id" value="(\w{13})"', mine.get("/connections").body)
    assert found is not None
    given = {"vendor": "acme", "display_name": "Acme, mine", "primary_host": "api.acme.example.org"}
    return {"connection_id": found[1], "scheme": "bearer", "bearer.token": SECRET} | given


@pytest.mark.parametrize("changed", [{}, {"vendor": "other"}, {"bearer.token": ""}, {"primary_host": ""}])
def test_a_form_that_is_sent_twice_makes_one_connection_and_says_so(
    world: World, mine: Browser, changed: dict[str, str]
) -> None:
    """A double click, or Back and Save again with something else typed."""
    form = new_form(mine)
    assert "Acme, mine" in words_of(mine.post("/connections", **form).body)
    again = mine.post("/connections", **form | changed)
    assert heading(again) == "Acme, mine is saved already"
    (made,) = world.deps.store.grants.connections(PERSON)
    assert (made.id, made.vendor) == (form["connection_id"], "acme")
    assert f"/connections/{made.id}/secret" in again.body
    mine.post(f"/connections/{made.id}/revoke")
    revoked = mine.post("/connections", **form)
    assert heading(revoked) == "Acme, mine is saved already"
    assert "Replace the secret" not in revoked.body


def test_another_form_makes_another_connection_and_one_that_was_wrong_stays_the_same(
    world: World, mine: Browser
) -> None:
    first = new_form(mine)
    wrong = mine.post("/connections", **first | {"primary_host": ""})
    assert wrong.status == 422
    assert f'name="connection_id" value="{first["connection_id"]}"' in wrong.body
    for form in (first, new_form(mine)):
        mine.post("/connections", **form)
    assert len(world.deps.store.grants.connections(PERSON)) == 2


def test_anothers_connection_of_the_same_id_is_another_one(world: World, mine: Browser, theirs: Browser) -> None:
    form = new_form(mine)
    mine.post("/connections", **form)
    theirs.get("/settings")
    assert "saved already" not in words_of(theirs.post("/connections", **form).body)
    assert len(world.deps.store.grants.connections(PERSON)) == 1


# --- its end


def test_the_end_names_the_tools_and_the_agents_and_what_stays(world: World, mine: Browser) -> None:
    bound = world.connect(display_name="Demo notes")
    world.publish("reads", READS)
    world.publish("writes", WRITES)
    world.call("writes", text="x")
    world.allow("writes")
    world.publish("asks", WRITES)
    world.call("asks", text="x")
    world.clock.forward(seconds=1)
    world.agent("desk")
    world.promote("reads", by="desk")
    page = page_of(mine, f"/connections/{bound.id}/revoke")
    assert "Revoke Demo notes?" in page
    assert "3 tools leave the list of demo" in page
    assert "1 tool leaves the list of desk" in page
    assert "1 answer is withdrawn: demo (1)" in page
    assert "1 that waits is closed" in page
    assert "3 tools with every version, in your toolbox" in page
    assert "demo__asks" in page
    mine.post(f"/connections/{bound.id}/revoke")
    assert world.set_of("demo") == world.set_of("desk") == []


def test_the_end_of_a_connection_that_nothing_uses(world: World, mine: Browser) -> None:
    bound = world.connect("other", scheme="none", secret={})
    page = page_of(mine, f"/connections/{bound.id}/revoke")
    for words in ("no tool leaves a list", "no answer is withdrawn", "none waits", "your toolbox, whole"):
        assert words in page
    connections.revoke(world.deps, PERSON, bound.id)
    assert mine.get(f"/connections/{bound.id}/revoke").status == 404


def test_anothers_connection_is_not_there(world: World, theirs: Browser) -> None:
    bound = world.connect(display_name="Demo notes")
    assert theirs.get(f"/connections/{bound.id}/revoke").status == 404
    theirs.get("/settings")
    assert theirs.post(f"/connections/{bound.id}/revoke").status == 404
    assert world.connection().state is ConnectionState.LIVE
    assert "Demo notes" not in theirs.get("/connections").body
