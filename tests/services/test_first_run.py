"""The four steps to the first tool: each is ticked by what the table holds, and by nothing else."""

from __future__ import annotations

import pytest

from chalicelib.errors import Refusal
from chalicelib.model import Presence
from chalicelib.services import agents, first_run
from chalicelib.services.first_run import Progress
from tests.services.world import PERSON, READS, World

RAISES = "def run(input, http):\n    raise ValueError('no')\n"


def progress(world: World) -> Progress:
    return first_run.progress(world.deps, PERSON)


def test_nothing_is_done_before_anything_happened(world: World) -> None:
    agents.revoke_agent(world.deps, PERSON, world.caller().agent.id)
    assert progress(world) == Progress(None, None, None, None, None)


def test_an_agent_is_made_and_not_yet_seen(world: World) -> None:
    world.clock.forward(seconds=1)
    world.agent("laptop")
    found = progress(world)
    assert found.made is not None
    assert (found.made.name, found.seen) == ("laptop", None)
    assert not first_run.is_anybody_seen(world.deps, PERSON)


def test_its_first_request_is_seen(world: World) -> None:
    seen = Presence("Hermes", "0.19.0", world.clock())
    world.deps.store.traces.note_presence(world.caller().agent, seen)
    found = progress(world)
    assert found.seen is not None
    assert (found.seen.presence, found.seen_at) == (seen, world.clock())
    assert first_run.is_anybody_seen(world.deps, PERSON)


def test_a_live_connection_and_a_call_that_went_through_complete_it(world: World) -> None:
    connection = world.connect()
    world.publish("reads", READS)
    assert progress(world).connection == connection
    assert not progress(world).is_complete
    world.call("reads", dry_run=True)
    assert progress(world).ran is None
    world.call("reads")
    found = progress(world)
    assert found.ran is not None
    assert (found.ran.agent.name, found.ran.line.run.tool) == ("demo", "demo__reads")
    assert found.is_complete


def test_a_run_that_failed_is_told_until_one_goes_through(world: World) -> None:
    world.publish("fails", RAISES)
    with pytest.raises(Refusal):
        world.call("fails")
    found = progress(world)
    assert found.ran is None
    assert found.failed is not None
    assert found.failed.line.outcome == "tool_failed"
    world.publish("works")
    world.call("works")
    assert progress(world).failed is None


def test_the_agent_that_is_told_of_is_the_one_that_was_seen(world: World) -> None:
    world.deps.store.traces.note_presence(world.caller().agent, Presence("Hermes", "1", world.clock()))
    world.clock.forward(seconds=1)
    world.agent("newer")
    made = progress(world).made
    assert made is not None
    assert made.name == "demo"


def test_another_persons_steps_are_their_own(world: World) -> None:
    world.connect()
    world.deps.store.people.add("p2")
    assert first_run.progress(world.deps, "p2") == Progress(None, None, None, None, None)
