"""Threads, each with a client of its own, that do things to one agent at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Condition
from typing import Any, Final

import pytest

from chalicelib.model import Direction
from chalicelib.services.sweep import Sweep, run_sweep
from chalicelib.services.working_set import Membership
from tests.races.arena import NEVER_USED_AGAIN, LiveArena, attempt, have_runs_tell
from tests.races.invariants import (
    check_acknowledged,
    check_guard,
    check_invariants,
    history_of,
    is_by_rule,
)
from tests.services.world import PERSON, World

PATIENCE_SECONDS: Final = 60.0
ROUNDS: Final = 2


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act answered; None where faults outlasted its retries. None begins before all are ready."""
    ready = Barrier(len(acts))

    def begin(act: Callable[[], Any]) -> Any:
        ready.wait(PATIENCE_SECONDS)
        return attempt(act)

    with ThreadPoolExecutor(len(acts)) as threads:
        return [future.result(PATIENCE_SECONDS) for future in [threads.submit(begin, act) for act in acts]]


def sweep(world: World) -> Sweep:
    """To it, everything is idle that is not in flight."""
    return run_sweep(world.deps, rule_now=world.clock() + NEVER_USED_AGAIN)


def publish(world: World, name: str, *, by: str = "demo") -> Membership:
    return world.publish(name, by=by).membership


def exits(arena: LiveArena, tool: str) -> int:
    history = history_of(arena.clean.deps, arena.facts())
    moves = [change for record in history for change in record.changes if change.tool == f"demo__{tool}"]
    return sum(change.direction is Direction.DEMOTED for change in moves)


def left_by_rule(arena: LiveArena) -> int:
    return sum(len(r.changes) for r in history_of(arena.clean.deps, arena.facts()) if is_by_rule(r))


@pytest.mark.parametrize("sweepers", [2, 5])
def test_several_sweeps_at_once_give_one_set_of_records(arena: LiveArena, sweepers: int) -> None:
    """Report: psd401/aistudio#1420"""
    arena.stock("a", "b", "c")
    arena.start_run(arena.clean, "a", seconds_ago=60)
    hands = [arena.hand() for _ in range(sweepers)]
    swept = at_once(*[partial(sweep, hand) for hand in hands])
    check_invariants(arena.clean.deps, PERSON)
    said = sum(len(each.demoted) for each in swept if each is not None)
    assert said == left_by_rule(arena) or (arena.faulty and said < left_by_rule(arena))
    sweep(arena.clean)
    assert (arena.facts().promotions, left_by_rule(arena)) == ((), 3)
    check_invariants(arena.clean.deps, PERSON, at_rest=True)


def test_a_promotion_during_a_sweep_is_never_lost(arena: LiveArena) -> None:
    arena.stock("a", "b", "new")
    sweeper, agent = arena.hand(), arena.hand()
    answers: list[Membership | None] = []
    for _ in range(ROUNDS):
        arena.clean.demote("new")
        _, answer = at_once(partial(sweep, sweeper), partial(agent.promote, "new"))
        answers.append(answer)
        attempt(agent.promote, "a")
        check_invariants(arena.clean.deps, PERSON)
    check_acknowledged(arena.clean.deps, PERSON, answers)


def test_the_agent_and_the_sweep_demote_at_once_and_the_tool_leaves_once(arena: LiveArena) -> None:
    arena.stock("a", "b")
    sweeper, agent = arena.hand(), arena.hand()
    answers: list[Membership | None] = []
    for number in range(1, ROUNDS + 1):
        _, answer = at_once(partial(sweep, sweeper), partial(agent.demote, "a"))
        answers.append(answer)
        arena.clean.demote("a")
        assert exits(arena, "a") == number
        arena.clean.promote("a")
        arena.clean.promote("b")
    check_invariants(arena.clean.deps, PERSON)
    check_acknowledged(arena.clean.deps, PERSON, answers)


def test_what_is_published_during_a_sweep_is_in_the_set_or_left_with_a_record(arena: LiveArena) -> None:
    arena.clean.agent("laptop")
    arena.stock("a", "b")
    sweeper, agent, laptop = arena.hand(), arena.hand(), arena.hand()
    answers: list[Membership | None] = []
    for number in range(ROUNDS):
        _, new, _, _ = at_once(
            partial(sweep, sweeper),
            partial(publish, agent, f"new-{number}"),
            partial(publish, agent, "a"),
            partial(publish, laptop, "b", by="laptop"),
        )
        answers.append(new)
    check_invariants(arena.clean.deps, PERSON)
    check_acknowledged(arena.clean.deps, PERSON, answers)


def test_fifty_parallel_calls_of_one_agent_all_run(arena: LiveArena) -> None:
    """Report: pynamodb/PynamoDB#1264"""
    arena.stock("a", "b")
    agent = arena.hand()
    seen = have_runs_tell(agent)
    answers = at_once(*[partial(agent.call, tool) for tool in ("a", "b") * 25])
    answered = len(answers) - answers.count(None)
    assert answered == 50 or arena.faulty
    check_invariants(arena.clean.deps, PERSON)
    check_guard(arena.clean.deps, PERSON, seen)
    bring_to_rest(arena)


class Ticks:
    """How many sweeps have passed; those who wait for the next one go on at the same moment."""

    def __init__(self) -> None:
        self._passed = Condition()
        self._count = 0
        self._ended = False

    def tick(self) -> None:
        with self._passed:
            self._count += 1
            self._passed.notify_all()

    def end(self) -> None:
        """There will be no further one: nobody waits any more."""
        with self._passed:
            self._ended = True
            self._passed.notify_all()

    def wait_for_one(self) -> None:
        with self._passed:
            after = self._count + 1
            assert self._passed.wait_for(lambda: self._ended or self._count >= after, PATIENCE_SECONDS)


def test_calls_during_continuous_sweeping_with_promotions_in_the_middle(arena: LiveArena) -> None:
    tools = ("a", "b", "c", "d")
    arena.stock(*tools)
    ticks, working = Ticks(), [True] * 4
    callers = [arena.hand() for _ in working]
    testimonies = [have_runs_tell(caller) for caller in callers]
    answers: list[Membership | None] = []

    def call(number: int) -> int:
        done = 0
        try:
            for turn in range(10):
                done += attempt(callers[number].call, tools[turn % 4]) is not None
                if turn % 3 == 2:
                    ticks.wait_for_one()
        finally:
            working[number] = False
        return done

    def keep_sweeping(world: World) -> int:
        left, turn = 0, 0
        while any(working):
            swept = attempt(sweep, world)
            left += len(swept.demoted) if swept else 0
            ticks.tick()
            turn += 1
        ticks.end()
        return left

    def keep_promoting(world: World) -> int:
        turn = 0
        while any(working):
            ticks.wait_for_one()
            answers.append(attempt(world.promote, tools[turn % 4]))
            turn += 1
        return turn

    acts = [partial(call, number) for number in range(len(working))]
    sweeper, promoter = arena.hand(), arena.hand()
    *done, left, promotions = at_once(*acts, partial(keep_sweeping, sweeper), partial(keep_promoting, promoter))
    print(f"{done} answered, {left} left, {promotions} promotions")
    assert arena.faulty or sum(done) == 40
    check_invariants(arena.clean.deps, PERSON)
    check_guard(arena.clean.deps, PERSON, [run for testimony in testimonies for run in testimony])
    check_acknowledged(arena.clean.deps, PERSON, answers)
    assert left_by_rule(arena) >= left
    bring_to_rest(arena)


def bring_to_rest(arena: LiveArena) -> None:
    """Past every deadline, somebody meets the agent."""
    arena.clock.forward(seconds=31)
    arena.clean.call("a")
    check_invariants(arena.clean.deps, PERSON, at_rest=True)
