"""What the console says of a connection comes from recorded answers only."""

from __future__ import annotations

from chalicelib.model import VendorAnswer
from chalicelib.services import connections
from tests.services.world import PERSON, READS, World


def answers(world: World) -> dict[str, VendorAnswer]:
    return world.deps.store.traces.answers(PERSON)


def test_a_connection_that_was_not_tried_has_no_answer(world: World) -> None:
    world.connect()
    world.publish("echo")
    world.call("echo")
    assert answers(world) == {}


def test_the_vendors_last_status_is_kept(world: World) -> None:
    mine = world.connect()
    world.publish("list-notes", READS)
    world.call("list-notes")
    assert answers(world) == {mine.id: VendorAnswer(mine.id, 200, "", world.clock())}
    connections.replace_secret(world.deps, mine, {"token": "wrong-token"})
    world.call("list-notes")
    assert answers(world)[mine.id].status == 401


def test_the_same_answer_is_written_once_a_minute_at_most(world: World) -> None:
    mine = world.connect()
    world.publish("list-notes", READS)
    world.call("list-notes")
    first = world.clock()
    world.clock.forward(seconds=59)
    world.call("list-notes")
    assert answers(world)[mine.id].at == first
    world.clock.forward(seconds=1)
    world.call("list-notes")
    assert answers(world)[mine.id].at == world.clock()
