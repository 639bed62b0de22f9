"""What a process of a race does: one task of Graft, as a Lambda would, from a cold client to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, replace
from datetime import timedelta
from typing import Any

import boto3

from chalicelib.model import AskAnswer, ConnectionState
from chalicelib.services import answers, connections, publishing, sweep, toolbox, writing
from chalicelib.services.asks import Waiting
from chalicelib.services.connections import NewConnection
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
from tests.races.scripted import Scripted
from tests.services.world import PERSON, World


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


def asks(world: World, *, tool: str, times: int) -> list[str]:
    """The ask of each call that waits."""
    outcomes = [attempt(world.call, tool, text="x") for _ in range(times)]
    return [outcome.ask_id for outcome in outcomes if isinstance(outcome, Waiting)]


def spends(world: World, *, tool: str, times: int) -> int:
    """How many calls with one and the same input ran."""
    outcomes = [attempt(world.call, tool, text="x") for _ in range(times)]
    return sum(isinstance(outcome, dict) for outcome in outcomes)


def answers_ask(world: World, *, ask_id: str, answer: str) -> bool | None:
    """Whether this answer holds."""
    ask = attempt(world.deps.store.asks.find, PERSON, ask_id)
    if ask is None:
        return None
    answered = attempt(answers.answer_tool, world.deps, ask, AskAnswer(answer))
    return None if answered is None else answered.ended is None


def connects(world: World, *, ask_id: str) -> bool | None:
    """Whether the connection that was asked for is made by this answer."""
    ask = attempt(world.deps.store.asks.find, PERSON, ask_id)
    if ask is None:
        return None
    wanted = NewConnection("github", "api.github.com", "bearer", secret={"token": "s3cret"})
    made = attempt(answers.connect, world.deps, ask, wanted)
    return None if made is None else made[0].ended is None


def revokes(world: World, *, connection_id: str) -> bool:
    """Whether the revoke came to its end here."""
    revoked = attempt(connections.revoke, world.deps, PERSON, connection_id)
    return revoked is not None and revoked.state is ConnectionState.REVOKED


def works(world: World, *, agent_id: str, job_id: str) -> None:
    """A worker of this job, whose model is in this process."""
    writing.work(replace(world.deps, model=Scripted(), start_job=lambda *_: None), PERSON, agent_id, job_id)


def _changed(membership: Any) -> bool:
    return membership is not None and membership.changed


TASKS: dict[str, Callable[..., Any]] = {
    "sweeps": sweeps,
    "calls": calls,
    "promotes": promotes,
    "demotes": demotes,
    "publishes": publishes,
    "asks": asks,
    "spends": spends,
    "answers": answers_ask,
    "connects": connects,
    "revokes": revokes,
    "works": works,
}
