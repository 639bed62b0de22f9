"""The list of agents, their limits edited in a row, and a new one with its token."""

from __future__ import annotations

import json
import re
from html import escape

import pytest

from chalicelib.console.paging import PAGE_BYTES
from chalicelib.console.snippets import TRY_ANSWER, try_it
from chalicelib.services import agents, identity, presence
from chalicelib.services.caches import Caches
from chalicelib.services.sweep import run_sweep
from tests.console.browser import Browser, heading
from tests.console.flights import in_flight
from tests.console.reading import words_of
from tests.mcp.harness import Harness, result_of
from tests.round_trips import RoundTrips
from tests.services.world import PERSON, World, lose

HOSTILE = "<img src=x onerror=alert(1)>"
TOKEN = re.compile(r"grft_[a-z0-9_]+_[\w-]{43}")


def row_of(page: str, name: str) -> str:
    """What a reader reads in one agent's row."""
    (row,) = [row for row in re.findall(r"<tr role=\"row\">(.*?)</tr>", page, re.DOTALL) if f"<b>{name}</b>" in row]
    return words_of(row)


def new_form(mine: Browser) -> dict[str, str]:
    """A form for a new agent, filled in as it stands."""
    found = re.search(r'name="agent_id" value="(\w{13})"', mine.get("/agents/new").body)
    assert found is not None
    return {"agent_id": found[1], "name": "laptop", "cap": "20", "idle_window_days": "21", "scope": "all"}


def names(world: World) -> list[str]:
    return sorted(agent.name for agent in world.deps.store.agents.of_person(PERSON))


def test_a_person_without_agents_is_shown_the_way_to_the_first(theirs: Browser) -> None:
    page = theirs.get("/agents").body
    assert "No agents yet." in page
    assert 'href="/agents/new"' in page


def test_each_agent_is_shown_with_its_harness_its_count_and_what_is_so(world: World, mine: Browser) -> None:
    for name in ("waits", "busy", "gone"):
        world.agent(name)
    world.agent("full", cap=1)
    for name in ("a", "b"):
        world.publish(name, by="full")
        world.call(name, by="full")
    agents.revoke_agent(world.deps, PERSON, world.caller("gone").agent.id)
    world.publish("c")
    presence.beside(world.deps, world.caller(), lambda: None, harness=("Hermes", "0.19.0"), lists=True)
    in_flight(world, "busy")
    world.clock.forward(seconds=20)
    page = mine.get("/agents").body
    assert "Hermes 0.19.0 connected last seen just now 1 / 20 21 days Edit demo" in row_of(page, "demo")
    assert "waits for its first call 0 / 20 Empty. It fills when waits publishes" in row_of(page, "waits")
    assert "run in flight" in row_of(page, "busy")
    assert "2 / 1 1 over the cap. Every tool was called since its promotion" in row_of(page, "full")
    assert "revoked" in row_of(page, "gone")
    assert "Edit" not in row_of(page, "gone")
    assert page.index("<b>gone</b>") > page.index("<b>full</b>")


def test_the_counts_agree_with_what_the_harness_is_listed(world: World, mine: Browser) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
    world.demote("b")
    listed = result_of(Harness(world.deps, world.tokens["demo"]).ask_stateless("tools/list"))["tools"]
    authored = [tool["name"] for tool in listed if "__" in tool["name"]]
    assert f"{len(authored)} / 20" in row_of(mine.get("/agents").body, "demo")
    page = mine.get(f"/agents/{world.caller().agent.id}").body
    assert f"<b>{len(authored)}</b> / 20" in page
    shown = re.findall(
        r'<tr role="row"><td role="cell"><div class="line"><a class="wire" href="/toolbox/([\w-]+)"',
        page.partition('id="set"')[2].partition("</table>")[0],
    )
    assert shown == authored


def test_a_withheld_tool_is_counted_beside_the_list_and_said_to_be(world: World, mine: Browser) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
    lose(world, "demo__b")
    listed = result_of(Harness(world.deps, world.tokens["demo"]).ask_stateless("tools/list"))["tools"]
    assert sum("__" in tool["name"] for tool in listed) == 2
    assert "2 / 20, 1 withheld" in row_of(mine.get("/agents").body, "demo")
    page = words_of(mine.get(f"/agents/{world.caller().agent.id}").body)
    assert "2 / 20 tools in its list, 1 withheld; the cap counts it too" in page
    agents.edit_limits(world.deps, PERSON, world.caller().agent.id, name="demo", cap=2, idle_window_days=21)
    assert "1 over the cap, with what is withheld. The next sweep may take 1" in row_of(
        mine.get("/agents").body, "demo"
    )


def test_the_form_of_an_agent_opens_on_whichever_page_the_agent_is(world: World, mine: Browser) -> None:
    last = [world.agent(f"agent {number}") for number in range(22)][-1].agent
    page = mine.get(f"/agents?edit={last.id}").body
    assert f'action="/agents/{last.id}/edit#edit-name"' in page


def test_the_form_in_a_row_saves_and_the_next_sweep_obeys(world: World, mine: Browser) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
        world.clock.forward(seconds=1)
    agent_id = world.caller().agent.id
    page = mine.get(f"/agents?edit={agent_id}").body
    assert re.search(r'name="cap" type="number" value="20"', page)
    saved = mine.post(f"/agents/{agent_id}/edit", name="desk", cap="2", idle_window_days="7")
    assert mine.path == f"/agents?saved={agent_id}"
    assert "Saved. desk: a cap of 2 and 7 days, from the next sweep on." in words_of(saved.body)
    assert "Saved." not in words_of(mine.get("/agents?saved=nosuchagent00").body)
    run_sweep(world.deps)
    assert "2 / 2" in row_of(mine.get("/agents").body, "desk")
    assert world.set_of() == ["b", "c"]


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": "taken"}, "edit-name"),
        ({"name": "  "}, "edit-name"),
        ({"cap": "501"}, "edit-cap"),
        ({"cap": HOSTILE}, "edit-cap"),
        ({"idle_window_days": "1.5"}, "edit-window"),
    ],
)
def test_a_row_that_cannot_be_saved_keeps_what_was_typed(
    world: World, mine: Browser, typed: dict[str, str], field: str
) -> None:
    world.agent("taken")
    agent_id = world.caller().agent.id
    mine.get(f"/agents?edit={agent_id}")
    sent = {"name": "desk", "cap": "7", "idle_window_days": "8"} | typed
    page = mine.post(f"/agents/{agent_id}/edit", **sent)
    assert page.status == 422
    assert f'id="{field}-wrong"' in page.body
    assert page.body.count('-wrong">') == 1
    for name, value in sent.items():
        assert re.search(rf'name="{name}" type="\w+" value="{re.escape(escape(value))}"', page.body)
    assert HOSTILE not in page.body
    assert (world.caller().agent.name, world.caller().agent.cap) == ("demo", 20)


def test_more_agents_than_a_page_holds_are_paged(world: World, mine: Browser) -> None:
    for number in range(44):
        world.agent(f"&&&&&&&&&& agent {number}")
    seen: set[str] = set()
    for start in (0, 20, 40):
        page = mine.get(f"/agents?from={start}").body
        assert len(page.encode()) <= PAGE_BYTES
        seen |= set(re.findall(r'href="/agents/(\w{13})"><b>', page))
    assert len(seen) == 45
    assert mine.get("/agents?from=900").status == mine.get("/agents?from=x").status == 200


def test_names_that_weigh_much_make_no_large_page_and_every_agent_is_reached_and_edited(
    world: World, mine: Browser
) -> None:
    ids = [world.caller().agent.id]
    ids += [world.agent("&" * 60 + f"{number:02}").agent.id for number in range(24)]
    seen: list[str] = []
    while True:
        page = mine.get(f"/agents?from={len(seen)}").body
        assert len(page.encode()) <= PAGE_BYTES
        seen += re.findall(r'href="/agents/(\w{13})"><b>', page)
        if ">Next<" not in page:
            break
    assert sorted(seen) == sorted(ids)
    for agent_id in ids:
        page = mine.get(f"/agents?edit={agent_id}").body
        assert len(page.encode()) <= PAGE_BYTES
        assert f'action="/agents/{agent_id}/edit#edit-name"' in page


# --- a new one


def test_a_token_is_shown_with_what_each_harness_wants(world: World, mine: Browser) -> None:
    page = mine.post("/agents/new", **new_form(mine))
    assert heading(page) == "laptop is made"
    tokens = set(TOKEN.findall(page.body))
    assert len(tokens) == 1
    assert re.findall(r'<pre id="tok">(.*?)</pre>', page.body) == list(tokens)
    assert identity.identify(world.deps, tokens.pop(), None).agent.name == "laptop"
    text = words_of(page.body)
    for part in ("mcp_servers:", '"streamable-http"', "claude mcp add", '"mcpServers"', "curl -s", TRY_ANSWER):
        assert part in text
    assert len(page.body.encode()) <= PAGE_BYTES


def test_the_line_to_try_it_is_answered_as_the_page_says(world: World) -> None:
    line = try_it("http://127.0.0.1:8765/mcp", world.tokens["demo"])
    sent = line.partition("-d '")[2].removesuffix("'")
    answer = Harness(world.deps, world.tokens["demo"]).post(json.loads(sent))
    assert (answer.status, answer.body) == (200, TRY_ANSWER.encode())


def test_a_form_that_is_sent_twice_makes_one_agent_and_shows_its_token_once(world: World, mine: Browser) -> None:
    form = new_form(mine)
    first, second = (mine.post("/agents/new", **form) for _ in range(2))
    assert TOKEN.search(first.body)
    assert heading(second) == "laptop is made already"
    assert not TOKEN.search(second.body)
    assert names(world) == ["demo", "laptop"]
    renamed = mine.post("/agents/new", **form | {"name": "another"})
    assert heading(renamed) == "laptop is made already"
    assert names(world) == ["demo", "laptop"]


def test_a_new_agents_scope_is_chosen_with_it(world: World, mine: Browser) -> None:
    connection = world.connect(display_name=HOSTILE)
    form = new_form(mine)
    assert HOSTILE not in mine.get("/agents/new").body
    wrong = mine.post("/agents/new", **form | {"scope": "list", "connection": "nosuch"})
    assert wrong.status == 422
    assert 'id="scope-wrong"' in wrong.body
    mine.post("/agents/new", **form | {"scope": "list", "connection": connection.id})
    (made,) = [agent for agent in world.deps.store.agents.of_person(PERSON) if agent.name == "laptop"]
    assert made.connection_ids == frozenset({connection.id})


def test_a_new_agent_for_which_nothing_was_ticked_is_said_to_have_no_connection(world: World, mine: Browser) -> None:
    """It is a choice: it gets each one that is connected when it asks."""
    world.connect()
    page = mine.post("/agents/new", **new_form(mine) | {"scope": "list"}).body
    assert "laptop may use no connection: none was ticked." in words_of(page)
    (made,) = [agent for agent in world.deps.store.agents.of_person(PERSON) if agent.name == "laptop"]
    assert f'href="/agents/{made.id}/scope">choose others' in page
    every = mine.post("/agents/new", **new_form(mine) | {"name": "every"}).body
    assert TOKEN.search(every)
    assert "no connection" not in words_of(every)


def test_every_field_that_is_wrong_says_so_at_once(world: World, mine: Browser) -> None:
    page = mine.post("/agents/new", **new_form(mine) | {"name": "", "cap": "0", "idle_window_days": "x"})
    assert page.status == 422
    assert all(f'id="{field}-wrong"' in page.body for field in ("name", "cap", "idle-window"))
    assert names(world) == ["demo"]


def test_a_token_that_is_rotated_twice_by_one_form_is_replaced_once(world: World, mine: Browser) -> None:
    path = f"/agents/{world.caller().agent.id}/rotate"
    seen = re.search(r'name="seen" value="(\w+)"', mine.get(path).body)
    assert seen is not None
    first = TOKEN.search(mine.post(path, seen=seen[1]).body)
    second = mine.post(path, seen=seen[1])
    assert first is not None
    assert heading(second) == "demo has its new token already"
    assert identity.identify(world.deps, first[0], None).agent.name == "demo"


PATHS = ("", "/new", "?edit={id}")
OF_ONE = (
    "",
    "?cause=idle",
    "?cause=agent&tool=a",
    "/scope",
    "/approvals",
    "/runs",
    "/jobs",
    "/left",
    "/rotate",
    "/revoke",
)


@pytest.mark.parametrize("path", [*PATHS, *(f"/{{id}}{more}" for more in OF_ONE)])
def test_a_page_waits_for_three_reads_at_most(
    world: World, mine: Browser, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    world.agent("desk")
    world.publish("a")
    world.call("a")
    agent_id = world.caller().agent.id
    trips = RoundTrips()
    trips.watch(world.deps, monkeypatch)
    object.__setattr__(world.deps, "caches", Caches())
    trips.start()
    assert mine.get(f"/agents{path.format(id=agent_id)}").status == 200
    assert 0 < trips.count <= 3, trips.count
