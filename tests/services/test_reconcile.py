from __future__ import annotations

from datetime import timedelta

from chalicelib.services.reconcile import Drift, Unreadable, reconcile
from chalicelib.services.sweep import run_sweep
from tests.services.world import World, break_row


def drifts(world: World) -> list[str]:
    return [found.agent.name for found in reconcile(world.deps) if isinstance(found, Drift)]


def test_an_honest_index_shows_no_drift(world: World) -> None:
    world.agent("empty")
    world.publish("a")
    assert drifts(world) == []
    run_sweep(world.deps)
    assert drifts(world) == []


def test_an_agent_without_an_entry_is_found_and_swept_again(world: World) -> None:
    world.publish("a")
    world.deps.store.sweeps.postpone(world.caller().facts, None)
    world.clock.forward(days=22)
    assert run_sweep(world.deps).visits == ()
    assert drifts(world) == ["demo"]
    assert drifts(world) == []
    assert len(run_sweep(world.deps).demoted) == 1


def test_an_entry_that_is_too_late_is_found(world: World) -> None:
    world.publish("a")
    world.deps.store.sweeps.postpone(world.caller().facts, world.clock() + timedelta(days=40))
    assert drifts(world) == ["demo"]


def test_an_entry_that_is_early_is_left_as_it_is(world: World) -> None:
    world.publish("a")
    world.clock.forward(days=10)
    world.call("a")
    assert drifts(world) == []


def test_an_agent_that_cannot_be_read_is_named_and_the_others_are_reconciled(world: World) -> None:
    world.publish("a")
    world.deps.store.sweeps.postpone(world.caller().facts, None)
    broken = world.agent("broken").agent
    break_row(world, broken)
    found = [one for one in reconcile(world.deps) if one is not None]
    assert Unreadable(broken.id) in found
    assert [one.agent.name for one in found if isinstance(one, Drift)] == ["demo"]
