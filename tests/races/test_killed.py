"""`kill -9` of a process between any two of its requests: nothing is half done, and what it left behind ends by itself.

A process is killed before it sends its first request, after the first was answered, before the second, and so on,
until it comes to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from chalicelib.services.sweep import run_sweep
from tests.races.arena import NEVER_USED_AGAIN, LiveArena
from tests.races.crew import Crew, Order
from tests.races.invariants import check_invariants
from tests.services.world import PERSON

REQUESTS_MAX: Final = 100
STRIDE_AMONG_FAULTS: Final = 5
"""Beside faults every fifth moment is tried, from one that the seed chooses: retries make the steps many."""


def deaths(arena: LiveArena, stride: int) -> Iterator[tuple[int, bool]]:
    """(request, whether it was answered), in the order of time."""
    moments = [(request, after) for request in range(1, REQUESTS_MAX) for after in (False, True)]
    stride *= STRIDE_AMONG_FAULTS if arena.faulty else 1
    return iter(moments[arena.place.seed % stride :: stride])


def kill_at_every_step(
    arena: LiveArena,
    crew: Crew,
    task: str,
    arguments: dict[str, Any],
    *,
    before: Callable[[], object],
    after: Callable[[], object],
    stride: int = 1,
) -> int:
    """How often the process was killed before one came to its end.

    `stride`: of a task with very many requests, every so many moments are tried.
    """
    for kills, death in enumerate(deaths(arena, stride)):
        before()
        ended = crew.run(Order(task, arena.place, arguments, arena.clock.ahead.total_seconds(), death))
        print(death, ended)
        wait_for_what_was_sent(arena)
        after()
        if not ended.killed:
            return kills
    raise AssertionError("the process never came to its end")


def wait_for_what_was_sent(arena: LiveArena) -> None:
    """What a dead process had sent is answered before what is sent now, or at the same time as the first of these."""
    for _ in range(3):
        arena.clean.deps.store.agents.ids(PERSON)


def test_a_killed_sweep_leaves_all_of_a_demotion_or_nothing_and_the_next_one_does_the_rest(
    arena: LiveArena, crew: Crew
) -> None:
    """Report: lightningkite/lightning-server#143"""
    arena.stock("a", "b")

    def bring_back() -> None:
        arena.have_promoted("a", "b")
        arena.start_run(arena.clean, "a", seconds_ago=60)

    def sweep_again() -> None:
        run_sweep(arena.clean.deps, rule_now=arena.clock() + NEVER_USED_AGAIN)
        assert arena.facts().promotions == ()
        check_invariants(arena.clean.deps, PERSON, at_rest=True)

    kills = kill_at_every_step(arena, crew, "sweeps", {}, before=bring_back, after=sweep_again)
    assert arena.faulty or kills >= 20


def test_a_killed_run_holds_the_sweep_until_its_deadline_and_then_has_its_line(arena: LiveArena, crew: Crew) -> None:
    arena.stock("a", "b")

    def bring_back() -> None:
        arena.have_promoted("a", "b")

    def outlive() -> None:
        held = bool(arena.facts().agent.runs)
        run_sweep(arena.clean.deps, rule_now=arena.clock() + NEVER_USED_AGAIN)
        assert len(arena.facts().promotions) == (2 if held else 0)
        arena.clock.forward(seconds=31)
        run_sweep(arena.clean.deps, rule_now=arena.clock() + NEVER_USED_AGAIN)
        assert arena.facts().promotions == ()
        check_invariants(arena.clean.deps, PERSON, at_rest=True)

    kills = kill_at_every_step(arena, crew, "calls", {"tools": ["a"]}, before=bring_back, after=outlive)
    assert arena.faulty or kills >= 12


@pytest.mark.parametrize("task", ["promotes", "demotes", "publishes"])
def test_a_killed_change_of_the_set_is_whole_or_not_there(arena: LiveArena, crew: Crew, task: str) -> None:
    arena.stock("a", "b")

    def check() -> None:
        check_invariants(arena.clean.deps, PERSON)

    scene: dict[str, Callable[[], object]] = {
        "promotes": lambda: arena.clean.demote("a"),
        "demotes": lambda: arena.have_promoted("a"),
        "publishes": lambda: arena.clean.demote("a"),
    }
    kills = kill_at_every_step(arena, crew, task, {"tools": ["a"]}, before=scene[task], after=check)
    assert arena.faulty or kills >= 4
