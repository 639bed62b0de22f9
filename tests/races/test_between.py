"""Something happens between two requests of a sweep: its decision is stale, and nothing of it is written."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import pytest

from chalicelib.services import agents, connections
from chalicelib.services.sweep import Outcome, Sweep, run_sweep
from tests.races.arena import StillArena, agent_id_of, attempt
from tests.races.faults import Interruption
from tests.races.invariants import check_invariants, history_of, is_by_rule
from tests.services.world import PERSON, World

READS_THE_AGENT: Final = "BatchGetItem"
READS_THE_SET: Final = "GetItem"
WRITES: Final = "TransactWriteItems"
POSTPONES: Final = "UpdateItem"
REPORTS: Final = "PutItem"
CONNECTION: Final = "c1"
EDITED_CAP: Final = 5


@dataclass(frozen=True)
class Act:
    """What another process does to the agent, by a hand of its own."""

    do: Callable[[StillArena, World], object]
    stays_in_flight: bool = False


def edit(world: World) -> object:
    return agents.edit_limits(world.deps, PERSON, agent_id_of(world), name="demo", cap=EDITED_CAP, idle_window_days=500)


def begin_revoke(world: World) -> object:
    connection = world.deps.store.grants.find_connection(PERSON, CONNECTION)
    assert connection is not None
    return world.deps.store.grants.begin_revoke(connection, world.clock())


ACTS: Final = {
    "a run starts": Act(lambda arena, world: arena.start_run(world, "idle"), stays_in_flight=True),
    "a run starts and ends": Act(lambda _, world: world.call("idle")),
    "a tool that is not promoted runs": Act(lambda _, world: world.call("outside")),
    "a dry run starts and ends": Act(lambda _, world: world.call("idle", dry_run=True)),
    "another tool is promoted": Act(lambda _, world: world.promote("outside")),
    "an idle tool is demoted": Act(lambda _, world: world.demote("idle")),
    "an idle tool leaves and comes back": Act(lambda _, world: (world.demote("idle"), world.promote("idle"))),
    "the agent republishes": Act(lambda _, world: world.publish("idle")),
    "another agent republishes": Act(lambda arena, world: world.publish("idle", by=arena.another_agent())),
    "the agent publishes": Act(lambda _, world: world.publish("new")),
    "a connection is revoked": Act(lambda _, world: connections.revoke(world.deps, PERSON, CONNECTION)),
    "a revoke begins and its process dies": Act(lambda _, world: begin_revoke(world)),
    "the limits are edited": Act(lambda _, world: edit(world)),
}


def set_the_scene(arena: StillArena) -> None:
    """Three tools past their window, one just used, and one in the toolbox only."""
    arena.shelve("outside")
    arena.connect(CONNECTION)
    arena.stock("idle", connection_id=CONNECTION)
    arena.stock("idle-too", "idle-as-well", "used")
    arena.clock.forward(days=22)
    arena.use("used")


def sweep_interrupted(arena: StillArena, operation: str, act: Act) -> tuple[Outcome | None, bool]:
    """(how the visit of the agent ended, whether the act went through)"""
    sweeper, actor = arena.hand(), arena.hand()
    done: list[object] = []
    about = "report" if operation == REPORTS else agent_id_of(actor)
    client = sweeper.deps.store.table.client
    meeting = Interruption(client, operation, about, lambda: done.append(attempt(act.do, arena, actor)))
    swept: Sweep | None = attempt(run_sweep, sweeper.deps)
    assert meeting.happened or arena.faulty
    visits = swept.visits if swept else ()
    mine = [visit.outcome for visit in visits if visit.due.agent_id == agent_id_of(actor)]
    return (mine[0] if mine else None), any(answer not in (None, False) for answer in done)


def edits_of(arena: StillArena) -> int:
    """How often the limits were saved, even if the answer was lost."""
    return int(arena.facts().agent.cap == EDITED_CAP)


def demoted_by_rule(arena: StillArena) -> list[str]:
    facts = arena.facts()
    records = filter(is_by_rule, history_of(arena.clean.deps, facts))
    return [change.tool for record in records for change in record.changes]


@pytest.mark.parametrize("name", ACTS)
def test_between_the_read_and_the_write_it_makes_the_sweep_lose_and_the_next_one_decides_afresh(
    still: StillArena, name: str
) -> None:
    set_the_scene(still)
    act = ACTS[name]
    outcome, done = sweep_interrupted(still, WRITES, act)
    if done and outcome is not None:
        assert outcome in {Outcome.LOST_RACE, Outcome.FAILED}
        assert demoted_by_rule(still) == []
    still.clock.forward(seconds=31)
    run_sweep(still.clean.deps)
    facts = still.facts()
    idle_since = still.clock() - timedelta(days=facts.agent.idle_window_days)
    assert all((p.last_used_at or p.promoted_at) >= idle_since for p in facts.promotions)
    check_invariants(still.clean.deps, PERSON, edits=edits_of(still), at_rest=True)


@pytest.mark.parametrize("name", ["the limits are edited", "another tool is promoted"])
def test_a_visit_that_takes_nothing_never_hides_what_became_due_meanwhile(still: StillArena, name: str) -> None:
    """Five tools fit the cap; the act makes it one too many, right before the visit moves the due time away."""
    still.shelve("outside")
    if name == "the limits are edited":
        still.stock("a", "b", "c", "d", "e", "f")
    else:
        edit(still.clean)
        still.stock("a", "b", "c", "d", "e")
    still.clock.forward(seconds=1)
    outcome, done = sweep_interrupted(still, POSTPONES, ACTS[name])
    if done and outcome is not None:
        assert outcome in {Outcome.LOST_RACE, Outcome.FAILED}
    check_invariants(still.clean.deps, PERSON, edits=edits_of(still))
    still.clock.forward(seconds=1)
    run_sweep(still.clean.deps)
    assert still.facts().agent.set_size <= still.facts().agent.cap


@pytest.mark.parametrize("operation", [READS_THE_AGENT, READS_THE_SET, REPORTS])
def test_at_any_other_moment_it_is_seen_or_it_comes_after(still: StillArena, operation: str) -> None:
    """Five acts where nothing else goes wrong, and one beside faults; the seed chooses which."""
    names = sorted(ACTS)
    for name in random.Random(still.place.seed).sample(names, 1 if still.faulty else 5):
        print(name)
        arena = still.another()
        set_the_scene(arena)
        act = ACTS[name]
        _, done = sweep_interrupted(arena, operation, act)
        if done and act.stays_in_flight and operation != REPORTS:
            assert demoted_by_rule(arena) == []
        check_invariants(arena.clean.deps, PERSON, edits=edits_of(arena))
