"""What a process of a race does: one task of Graft, as a Lambda would, from a cold client to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from datetime import timedelta
from typing import Any

import boto3

from chalicelib.services import publishing, sweep, toolbox
from tests.races.arena import (
    NEVER_USED_AGAIN,
    Place,
    TickingClock,
    attempt,
    have_runs_tell,
    make_world,
    shorten_botocores_pauses,
)
from tests.races.faults import Death
from tests.services.world import World


def prepare() -> None:
    """What every process would load first."""
    shorten_botocores_pauses()
    make: Any = boto3.client
    make("dynamodb", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x").close()
    assert publishing
    assert toolbox


def perform(order: dict[str, Any], wait_for_the_others: Callable[[], None]) -> Any:
    place = Place(**order["place"])

    def die(client: Any) -> None:
        if order["death"] is not None:
            at, after = order["death"]
            Death(client, at, after=after)

    world = make_world(place, clock=TickingClock(timedelta(seconds=order["ahead_seconds"])), prepare=die)
    task: Callable[..., Any] = TASKS[order["task"]]
    wait_for_the_others()
    return attempt(task, world, **order["arguments"])


def sweeps(world: World, *, rounds: int = 1) -> dict[str, int]:
    """Sweeps to which everything is idle that is not in flight. How many tools left, and how the visits ended."""
    counts: Counter[str] = Counter()
    for _ in range(rounds):
        swept = attempt(sweep.run_sweep, world.deps, rule_now=world.clock() + NEVER_USED_AGAIN)
        if swept is not None:
            counts["left"] += len(swept.demoted)
            counts.update(visit.outcome.value for visit in swept.visits)
    return dict(counts)


def calls(world: World, *, tools: list[str], times: int = 1, threads: int = 1) -> dict[str, Any]:
    """Calls of each tool in turn: how many were answered, and what they saw while they were in flight."""
    seen = have_runs_tell(world)
    with ThreadPoolExecutor(threads) as pool:
        wanted = [tool for _ in range(times) for tool in tools]
        answers = list(pool.map(lambda tool: attempt(world.call, tool), wanted))
    return {"answered": len(answers) - answers.count(None), "seen": [astuple(each) for each in seen]}


def promotes(world: World, *, tools: list[str], times: int = 1) -> int:
    """How many promotions were answered `changed: true`."""
    return sum(_changed(attempt(world.promote, tool)) for _ in range(times) for tool in tools)


def demotes(world: World, *, tools: list[str], times: int = 1) -> int:
    return sum(_changed(attempt(world.demote, tool)) for _ in range(times) for tool in tools)


def publishes(world: World, *, tools: list[str]) -> int:
    return sum(_changed(world.publish(tool).membership) for tool in tools)


def _changed(membership: Any) -> bool:
    return membership is not None and membership.changed


TASKS: dict[str, Callable[..., Any]] = {
    "sweeps": sweeps,
    "calls": calls,
    "promotes": promotes,
    "demotes": demotes,
    "publishes": publishes,
}
