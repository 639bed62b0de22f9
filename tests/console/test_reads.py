"""How many reads of the table follow one another before a page is there: three at most, whatever a person has."""

from __future__ import annotations

import pytest

from chalicelib.model import AcquireQuestion
from chalicelib.services import acquire
from chalicelib.services.acquire import Wanted
from chalicelib.services.caches import Caches
from tests.console.browser import Browser
from tests.round_trips import RoundTrips
from tests.services.world import PERSON, READS, WRITES, World

READS_MAX = 3


@pytest.fixture
def trips(world: World, monkeypatch: pytest.MonkeyPatch) -> RoundTrips:
    """A person with agents, tools, versions, connections, answers and asks; a process that has read nothing yet."""
    for name in ("desk", "studio", "laptop"):
        world.agent(name)
    world.connect()
    world.connect("other")
    for name in ("a", "b", "c"):
        world.publish(name, READS)
        world.publish(name, WRITES)
        world.promote(name, by="desk")
    world.demote("a", by="desk")
    world.call("b", text="x")
    world.allow("b")
    world.call("b", text="x")
    acquire.acquire(world.deps, world.caller(), Wanted(world.deps.store.grants.connections(PERSON)[0].id, "g"))
    trips = RoundTrips()
    trips.watch(world.deps, monkeypatch)
    return trips


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/start",
        "/toolbox",
        "/toolbox?q=demo",
        "/toolbox?connection={connection}",
        "/toolbox/demo__a",
        "/toolbox/demo__a?version=1",
        "/connections",
        "/connections/{connection}/secret",
        "/connections/{connection}/revoke",
    ],
)
def test_a_page_waits_for_three_reads_at_most(world: World, mine: Browser, trips: RoundTrips, path: str) -> None:
    bound = world.deps.store.grants.connections(PERSON)[0].id
    object.__setattr__(world.deps, "caches", Caches())
    trips.start()
    answer = mine.get(path.format(connection=bound), follow=False)
    assert answer.status in (200, 303)
    assert 0 < trips.count <= READS_MAX, trips.count


def test_the_page_of_an_ask_about_having_tools_written_waits_for_four(
    world: World, mine: Browser, trips: RoundTrips
) -> None:
    (ask,) = (ask for ask in world.deps.store.asks.newest(PERSON) if isinstance(ask.question, AcquireQuestion))
    for answer in ("", "allow"):
        if answer:
            mine.post_only(f"/a/{ask.code}", answer=answer)
        trips.start()
        assert mine.get(f"/a/{ask.code}").status == 200
        assert 0 < trips.count <= 4, trips.count
