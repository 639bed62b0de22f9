"""Processes, as many Lambdas would be, that work on one agent at the same moment."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.sandbox.pool import Sandbox
from chalicelib.services.sweep import run_sweep
from tests.races.arena import NEVER_USED_AGAIN, LiveArena, attempt
from tests.races.crew import Crew, Order
from tests.races.invariants import InFlight, check_guard, check_invariants, history_of, is_by_rule
from tests.services.world import PERSON

TOOLS = ["a", "b", "c", "d"]


def run_together(arena: LiveArena, crew: Crew, *tasks: tuple[str, dict[str, Any]]) -> list[Any]:
    """What each task answered, each in a process of its own with faults of its own."""
    orders = [
        Order(task, arena.place_of(number), arguments, arena.clock.ahead.total_seconds())
        for number, (task, arguments) in enumerate(tasks)
    ]
    ended = crew.run_together(orders)
    assert not any(each.killed for each in ended)
    return [each.result for each in ended]


def left_by_rule(arena: LiveArena) -> int:
    return sum(len(r.changes) for r in history_of(arena.clean.deps, arena.facts()) if is_by_rule(r))


def bring_to_rest(arena: LiveArena) -> None:
    """Past every deadline, a sweep and a call meet the agent; to that sweep, everything is idle."""
    arena.clock.forward(seconds=31)
    run_sweep(arena.clean.deps, rule_now=arena.clock() + NEVER_USED_AGAIN)
    assert arena.facts().promotions == ()
    arena.clean.call("a")
    check_invariants(arena.clean.deps, PERSON, at_rest=True)


@pytest.mark.parametrize("sweepers", [2, 5])
def test_several_sweeping_processes_give_one_set_of_records(arena: LiveArena, crew: Crew, sweepers: int) -> None:
    arena.stock("a", "b", "c")
    arena.start_run(arena.clean, "a", seconds_ago=60)
    results = run_together(arena, crew, *[("sweeps", {"rounds": 2})] * sweepers)
    said = sum(result["left"] for result in results if result)
    check_invariants(arena.clean.deps, PERSON)
    assert said == left_by_rule(arena) == 3 or (arena.faulty and said <= left_by_rule(arena) <= 3)
    bring_to_rest(arena)


def test_agents_and_sweeps_change_one_set_at_once(arena: LiveArena, crew: Crew) -> None:
    arena.stock(*TOOLS)
    results = run_together(
        arena,
        crew,
        ("sweeps", {"rounds": 6}),
        ("sweeps", {"rounds": 6}),
        ("promotes", {"tools": TOOLS, "times": 2}),
        ("demotes", {"tools": TOOLS, "times": 2}),
        ("publishes", {"tools": ["a", "new"]}),
    )
    print(results)
    check_invariants(arena.clean.deps, PERSON)
    bring_to_rest(arena)


def test_two_hundred_calls_during_continuous_sweeping_with_promotions_in_the_middle(
    arena: LiveArena, crew: Crew
) -> None:
    arena.stock(*TOOLS)
    calling = ("calls", {"tools": TOOLS, "times": 25, "threads": 3})
    sweeping = ("sweeps", {"rounds": 25})
    first, second, swept, promoted = run_together(
        arena, crew, calling, calling, sweeping, ("promotes", {"tools": TOOLS, "times": 6})
    )
    print(first["answered"], second["answered"], swept, promoted)
    assert arena.faulty or first["answered"] + second["answered"] == 200
    check_invariants(arena.clean.deps, PERSON)
    check_guard(arena.clean.deps, PERSON, [InFlight(*each) for each in first["seen"] + second["seen"]])
    assert left_by_rule(arena) >= swept["left"]
    bring_to_rest(arena)


def test_the_same_holds_with_modules_that_really_run(arena: LiveArena) -> None:
    arena.stock("a", "b")
    agent = arena.hand(sandbox=Sandbox(workers=1))
    sweeper = arena.hand()
    for number in range(3):
        answer = attempt(agent.call, "a", number=number)
        assert answer == {"echo": {"number": number}} or (arena.faulty and answer is None)
        attempt(run_sweep, sweeper.deps)
    check_invariants(arena.clean.deps, PERSON)
    bring_to_rest(arena)
