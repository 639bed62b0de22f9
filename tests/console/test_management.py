"""Asks, agents, connections and settings: what the lists show, and what their forms do."""

from __future__ import annotations

import re

import pytest

from chalicelib.errors import Unauthorized
from chalicelib.model import ConnectionState
from chalicelib.services import answers, identity
from chalicelib.services.deps import Deps
from tests.console.browser import Browser, heading, text_of
from tests.services.world import PERSON, WRITES, World

SECRET = "sk-canary-0123456789"


def agent_id(world: World, name: str = "demo") -> str:
    return world.caller(name).agent.id


# --- asks


def test_the_title_counts_what_waits_and_the_newest_is_first(world: World, mine: Browser) -> None:
    assert "Nothing waits for you." in mine.get("/asks").body
    world.connect()
    for name in ("first", "second"):
        world.publish(name, WRITES)
        world.call(name, text="x")
        world.clock.forward(minutes=5)
    page = mine.get("/asks").body
    assert "<title>(2) Asks · Graft</title>" in page
    assert "2 wait for you" in page
    assert page.count('class="chip write"') == 2
    assert page.index("second") < page.index("first")
    assert "10 min ago" in page


def test_what_was_answered_or_closed_stands_below(world: World, mine: Browser) -> None:
    world.connect()
    world.publish("note", WRITES)
    ask = world.asked(world.call("note", text="x"))
    mine.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="deny")
    world.publish("other", WRITES)
    world.call("other", text="x")
    world.clock.forward(hours=25)
    page = text_of(mine.get("/asks").body)
    assert "denied" in page
    assert "not answered" in page


# --- agents


def test_a_new_agent_shows_its_token_once(world: World, mine: Browser, deps: Deps) -> None:
    mine.get("/agents/new")
    page = mine.post("/agents/new", name="laptop", cap="5", idle_window_days="7")
    assert heading(page) == "laptop is made"
    token = re.search(r"grft_[\w-]+", page.body)
    assert token is not None
    caller = identity.identify(deps, token[0], None)
    assert (caller.agent.name, caller.agent.cap, caller.agent.idle_window_days) == ("laptop", 5, 7)
    assert token[0] not in mine.get(f"/agents/{caller.agent.id}").body


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": "demo"}, "name"),
        ({"name": ""}, "name"),
        ({"cap": "0"}, "cap"),
        ({"cap": "many"}, "cap"),
        ({"idle_window_days": "4000"}, "idle-window"),
        ({"idle_window_days": ""}, "idle-window"),
    ],
)
def test_a_field_that_is_wrong_says_so_and_the_rest_is_kept(
    world: World, mine: Browser, typed: dict[str, str], field: str
) -> None:
    mine.get("/agents/new")
    page = mine.post("/agents/new", **{"name": "laptop", "cap": "7", "idle_window_days": "8"} | typed)
    assert page.status == 422
    assert f'id="{field}-wrong"' in page.body
    for name, value in ({"name": "laptop", "cap": "7", "idle_window_days": "8"} | typed).items():
        assert re.search(rf'name="{name}" type="\w+" value="{value}"', page.body)


def test_an_answer_is_withdrawn_so_that_the_next_call_asks(world: World, mine: Browser) -> None:
    bound = world.connect(display_name="Demo notes").id
    world.publish("note", WRITES)
    world.allow("note") if world.call("note", text="x") else None
    assert world.call("note", text="x")["text"] == "x"
    page = mine.get(f"/agents/{agent_id(world)}")
    assert "demo__note" in text_of(page.body)
    assert "Demo notes" in page.body
    mine.post(f"/agents/{agent_id(world)}/withdraw", tool="demo__note", connection=bound)
    assert "No answers yet." in mine.get(f"/agents/{agent_id(world)}").body
    assert world.asked(world.call("note", text="x"))


def test_the_scope_is_a_list_or_everything(world: World, mine: Browser) -> None:
    connection = world.connect()
    path = f"/agents/{agent_id(world)}"
    mine.get(path)
    mine.post(f"{path}/scope", scope="list", connection=connection.id)
    assert world.caller().agent.connection_ids == frozenset({connection.id})
    mine.post(f"{path}/scope", scope="list")
    assert world.caller().agent.connection_ids == frozenset()
    mine.post(f"{path}/scope", scope="all")
    assert world.caller().agent.connection_ids is None
    assert mine.post(f"{path}/scope", scope="list", connection="nothing").status == 409
    assert mine.post(f"{path}/scope", scope="some").status == 400


def test_a_rotated_token_replaces_the_old_one(world: World, mine: Browser, deps: Deps) -> None:
    old = world.tokens["demo"]
    path = f"/agents/{agent_id(world)}/rotate"
    form = mine.get(path).body
    assert "answers 401 from now on" in form
    seen = re.search(r'name="seen" value="(\w+)"', form)
    assert seen is not None
    page = mine.post(path, seen=seen[1])
    token = re.search(r"grft_[\w-]+", page.body)
    assert token is not None
    assert identity.identify(deps, token[0], None).agent.name == "demo"
    with pytest.raises(Unauthorized):
        identity.identify(deps, old, None)


def test_revoking_an_agent_is_asked_first_with_its_effects(world: World, mine: Browser) -> None:
    world.connect()
    world.publish("note", WRITES)
    ask = world.asked(world.call("note", text="x"))
    path = f"/agents/{agent_id(world)}"
    page = text_of(mine.get(f"{path}/revoke").body)
    assert "1 that waits would be closed" in page
    done = mine.post(f"{path}/revoke")
    assert "Revoked" in text_of(done.body)
    assert heading(mine.get(f"/a/{ask.code}")) == "Closed"
    assert mine.get(f"{path}/rotate").status == 404
    assert "revoked" in text_of(mine.get("/agents").body)


# --- connections


def test_a_connection_is_added_and_its_secret_never_comes_back(world: World, mine: Browser) -> None:
    mine.get("/connections")
    mine.post(
        "/connections",
        vendor="github",
        display_name="GitHub, you-k",
        primary_host="api.github.com",
        hosts="uploads.github.com",
        scheme="bearer",
        **{"bearer.token": SECRET},
    )
    page = mine.get("/connections").body
    assert "GitHub, you-k" in page
    assert "uploads.github.com" in page
    assert SECRET not in page


def test_what_is_wrong_with_a_connection_stands_at_its_field(world: World, mine: Browser) -> None:
    mine.get("/connections")
    page = mine.post("/connections", vendor="Git Hub", primary_host="http://x/", scheme="basic")
    assert page.status == 422
    assert 'id="primary-host-wrong"' in page.body
    assert 'id="basic-username-wrong"' in page.body
    assert "Git Hub" in page.body
    assert mine.post("/connections", scheme="magic").status == 400


def test_a_secret_is_replaced(world: World, mine: Browser) -> None:
    connection = world.connect()
    path = f"/connections/{connection.id}/secret"
    assert world.vendor_host in mine.get(path).body
    assert mine.post(path, **{"bearer.token": "a b"}).status == 422
    mine.post(path, **{"bearer.token": SECRET})
    assert world.connection().secret_revision == 2


def test_revoking_a_connection_spells_out_what_goes_and_does_it(world: World, mine: Browser) -> None:
    connection = world.connect()
    world.publish("note", WRITES, connection_id=connection.id)
    world.allow("note") if world.call("note", text="x") else None
    path = f"/connections/{connection.id}/revoke"
    page = text_of(mine.get(path).body)
    assert "1 tool leaves the list of demo" in page
    assert "1 answer is withdrawn" in page
    mine.post(path)
    assert world.connection().state is ConnectionState.REVOKED
    assert world.set_of() == []
    assert "Its secret is wiped" in mine.get("/connections").body
    assert mine.post(path).status == 200


# --- settings


def test_whoever_came_by_a_link_chooses_an_address_and_a_password(world: World, mine: Browser) -> None:
    assert "no address yet" in mine.get("/settings").body
    page = mine.post("/settings/account")
    assert heading(page) == "Make your account"
    mine.post(mine.path, email="you@example.org", password="four unrelated words")
    assert "you@example.org" in mine.get("/settings").body


def with_account(mine: Browser) -> None:
    mine.get("/settings")
    mine.post("/settings/account")
    mine.post(mine.path, email="you@example.org", password="four unrelated words")
    mine.get("/settings")


def test_a_new_password_signs_every_other_browser_out(world: World, mine: Browser) -> None:
    with_account(mine)
    other = Browser(world.deps).sign_in(PERSON)
    wrong = mine.post("/settings/password", old_password="nope", new_password="four other words")
    assert "That is not your password." in wrong.body
    bad = mine.post("/settings/password", old_password="four unrelated words", new_password="short")
    assert 'id="new-wrong"' in bad.body
    page = mine.post("/settings/password", old_password="four unrelated words", new_password="four other words")
    assert "The password is changed" in page.body
    other.get("/settings")
    assert other.path.startswith("/sign-in")


def test_while_the_account_is_locked_its_owner_is_told_that_and_nothing_of_the_password(mine: Browser) -> None:
    with_account(mine)
    for _ in range(5):
        mine.post("/settings/password", old_password="nope", new_password="four other words")
    locked = mine.post("/settings/password", old_password="four unrelated words", new_password="four other words")
    assert "After too many wrong passwords there is a pause. Wait 31 s, then try again." in locked.body
    assert "That is not your password." not in locked.body


def test_one_browser_is_signed_out_or_all_are(world: World, mine: Browser) -> None:
    others = [Browser(world.deps).sign_in(PERSON) for _ in range(2)]
    page = mine.get("/settings").body
    found = re.findall(r'name="login" value="(\w+)"', page)
    assert len(found) == 2
    mine.post("/settings/browsers", login=found[0])
    assert len(world.deps.store.people.logins(PERSON)) == 2
    mine.post("/settings/everywhere")
    for browser in (mine, *others):
        assert browser.get("/settings", follow=False).status == 303


def test_an_invited_person_makes_an_account_of_their_own(world: World, mine: Browser) -> None:
    mine.get("/settings")
    page = mine.post("/settings/invite")
    link = re.search(r"http://127\.0\.0\.1:8765(/in/[\w-]+)", page.body)
    assert link is not None
    guest = Browser(world.deps)
    guest.get(link[1])
    guest.post(link[1], email="guest@example.org", password="four unrelated words")
    assert "guest@example.org" in guest.get("/settings").body
    assert "demo" not in text_of(guest.get("/agents").body).partition("New agent")[0].partition("Agents")[2]


def test_an_invitation_that_is_sent_twice_makes_one_link_and_offers_another(mine: Browser) -> None:
    def person_id(page: str) -> str:
        found = re.search(r'name="person_id" value="(\w{13})"', page)
        assert found is not None
        return found[1]

    sent = person_id(mine.get("/settings").body)
    assert "/in/" in mine.post("/settings/invite", person_id=sent).body
    again = mine.post("/settings/invite", person_id=sent)
    assert heading(again) == "The link is made already"
    assert "/in/" not in again.body
    assert "/in/" in mine.post("/settings/invite", person_id=person_id(again.body)).body


def test_an_answer_late_for_a_closed_list_is_no_harm(world: World, mine: Browser, deps: Deps) -> None:
    world.connect()
    world.publish("note", WRITES)
    ask = world.asked(world.call("note", text="x"))
    mine.get("/asks")
    assert answers.ask_again(deps, ask) is False
    assert mine.post(f"/asks/{ask.code}/again").status == 200
