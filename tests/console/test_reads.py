"""Every page, of a person who has something of everything: three reads in a row at most, and 30 KB at most."""

from __future__ import annotations

import re

import pytest

from chalicelib import wiring
from chalicelib.console.router import _CODE, ROUTES
from chalicelib.model import Ask, AskAnswer, AskPointer
from chalicelib.services import acquire, acquire_asks, answers, requests
from chalicelib.services.acquire import News, Wanted
from chalicelib.services.caches import Caches
from chalicelib.services.requests import WantedConnection
from tests.console.browser import Browser
from tests.round_trips import RoundTrips
from tests.services.world import PERSON, READS, WRITES, World

READS_MAX = 3
BYTES_MAX = 30_000
HIDDEN = "\u202e\u200b"
"""Turns text around, and is not seen."""
MORE = {
    "toolbox": ("?q=demo", "?connection={connection}"),
    "toolbox/{}": ("?version=1",),
    "agents": ("?edit={agent}",),
    "agents/{}": ("?cause=idle", "?cause=agent&tool=a"),
    "asks": ("?from=1",),
}
"""Addresses of a page beside its own."""


@pytest.fixture
def asks(world: World) -> list[str]:
    """A person with agents, tools, versions, connections, answers, and an ask of every kind in every state."""
    for name in ("desk", "studio", "laptop"):
        world.agent(name)
    world.connect(display_name=f"Notes {HIDDEN}of the household")
    world.connect("other")
    for name in ("a", "b", "c", "d"):
        world.publish(name, READS)
        world.publish(name, WRITES)
        world.promote(name, by="desk")
    world.demote("a", by="desk")
    bound = world.connection().id
    changed, allowed, waits, again = (world.asked(world.call(name, text="x")) for name in ("a", "b", "c", "d"))
    world.publish("a", WRITES + "\n")
    answers.answer_tool(world.deps, allowed, AskAnswer.ALLOWED)
    world.call("b", text="x")
    answers.answer_tool(world.deps, again, AskAnswer.ALLOWED)
    world.publish("d", WRITES + "\n")
    anew = world.asked(world.call("d", text="x"))
    wanted, declined = (
        world.asked(requests.request_connection(world.deps, world.caller(), WantedConnection(vendor, host, "bearer")))
        for vendor, host in (("acme", "api.acme.example"), ("initech", "api.initech.example"))
    )
    answers.decline(world.deps, declined)
    credential = world.asked(requests.request_credential(world.deps, world.caller(), bound, ""))
    tools = (changed, allowed, waits, anew)
    return [ask.code for ask in (*tools, wanted, declined, credential, *asks_of_jobs(world))]


def asks_of_jobs(world: World) -> tuple[Ask, Ask]:
    """Of one connection where a job came of the answer, and of one that waits for it."""
    object.__setattr__(world.deps, "model", wiring._model({"GRAFT_MODEL": "bedrock:m"}))
    object.__setattr__(world.deps, "start_job", lambda *_: None)
    first, second = (connection.id for connection in world.deps.store.grants.connections(PERSON)[:2])

    def called(connection_id: str) -> object:
        return acquire.acquire(world.deps, world.caller(), Wanted(connection_id, "Count them", ignore_existing=True))

    answered = world.asked(called(first))
    acquire_asks.answer_acquire(world.deps, answered, AskAnswer.ALLOWED)
    assert isinstance(called(first), News)
    return answered, world.asked(called(second))


def addresses(world: World, asks: list[str]) -> list[str]:
    """Every page, with everything that its address may name."""
    ids = {
        "a": asks,
        "agents": [world.caller().agent.id],
        "connections": [world.connection().id],
        "toolbox": ["demo__a"],
    }
    named = {"agent": ids["agents"][0], "connection": ids["connections"][0]}
    found = []
    for route in ROUTES:
        path = route.path.replace(_CODE, "{}")
        if route.get is None or route.changes_on_get:
            continue
        for name in ids.get(path.split("/")[1], [""]):
            found += [path.format(name) + more.format(**named) for more in ("", *MORE.get(path[1:], ()))]
    return found


def test_every_page_waits_for_three_reads_at_most(
    world: World, mine: Browser, asks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process that has read nothing yet."""
    pages = addresses(world, asks)
    assert len(pages) > 30
    trips = RoundTrips()
    trips.watch(world.deps, monkeypatch)
    for address in pages:
        object.__setattr__(world.deps, "caches", Caches())
        trips.start()
        answer = mine.get(address, follow=False)
        assert answer.status == (404 if address == "/in" else 303 if address in ("/", "/sign-in") else 200), address
        assert 0 < trips.count <= READS_MAX, f"{address}: {trips.count}"


def test_every_page_is_small_and_spells_out_what_hides_in_a_name(world: World, mine: Browser, asks: list[str]) -> None:
    """But in fields, where a person may take it out."""
    for address in addresses(world, asks):
        body = mine.get(address, follow=False).body
        assert len(body.encode()) <= BYTES_MAX, address
        assert not set(HIDDEN) & set(re.sub(r'value="[^"]*"', "", body)), address


def test_a_code_that_does_not_tell_what_it_is_about_leads_there_all_the_same(
    world: World, mine: Browser, asks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made before codes told it: one read more."""
    rows = world.deps.store.asks
    known = rows.find_pointer

    def short(person_id: str, code: str) -> AskPointer | None:
        pointer = known(person_id, code)
        return AskPointer(pointer.person_id, pointer.ask_id) if pointer else None

    pages = [mine.get(f"/a/{code}").body for code in asks]
    monkeypatch.setattr(rows, "find_pointer", short)
    assert [mine.get(f"/a/{code}").body for code in asks] == pages
