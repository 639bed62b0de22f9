"""Jobs raced: asked for, taken up, given to another worker and cancelled by many hands at the same moment."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, Final

import pytest

from chalicelib.errors import Refusal
from chalicelib.model import AskAnswer, Direction, Job, JobStatus
from chalicelib.rules.acquire import JOBS_OPEN_MAX
from chalicelib.services import acquire, acquire_asks, connections, jobs, workers, writing
from chalicelib.services.acquire import News, Wanted
from chalicelib.services.sweep import run_sweep
from tests.races.arena import NO_FAULTS, LiveArena
from tests.races.crew import Crew
from tests.races.faults import LostAnswer, Meanwhile
from tests.races.scripted import Scripted, name_for
from tests.races.tasks import sweeps
from tests.races.test_at_once import at_once
from tests.races.test_killed import REQUESTS_MAX, kill_at_every_step
from tests.services.world import PERSON, World

CONNECTION: Final = "c1"
HANDS: Final = 6
LEASES_MAX: Final = 4
REQUESTS_MIN: Final = 20
STEPS: Final = ["queued", "started", "documentation", "model", "reply", "check", "dry run", "published"]
STRIDE: Final = 3
"""A worker sends many requests: every third moment is tried, from one that the seed chooses."""


@dataclass
class Scene:
    arena: LiveArena
    model: Scripted = field(default_factory=Scripted)
    called: list[tuple[str, str, str]] = field(default_factory=list)

    def hand(self, **changes: Any) -> World:
        return self.equipped(self.arena.hand(**changes))

    def equipped(self, world: World) -> World:
        world.deps = replace(world.deps, model=self.model, start_job=lambda *job: self.called.append(job))
        return world

    def set(self, connection_id: str = CONNECTION) -> None:
        """A connection on which the person allows tools to be written."""
        self.arena.connect(connection_id)
        clean = self.equipped(self.arena.clean)
        ask = clean.asked(start(clean, 1, connection_id))
        assert acquire_asks.answer_acquire(clean.deps, ask, AskAnswer.ALLOWED).ended is None

    def job(self) -> Job:
        """The newest one."""
        return self.arena.clean.deps.store.jobs.newest(PERSON, self.arena.facts().agent.id)[0]

    def go_on(self) -> None:
        """As after a worker's death: its lease ends, the sweep calls others, and they come."""
        for _ in range(LEASES_MAX):
            if not self.job().status.is_open:
                return
            self.arena.clock.forward(seconds=91)
            run_sweep(self.arena.clean.deps)
            for job in self.called:
                writing.work(self.arena.clean.deps, *job)

    def check(self) -> Job:
        """What holds once nobody is at it: one end, told once; one tool if it succeeded; nothing stays in flight."""
        job, deps = self.job(), self.arena.clean.deps
        assert not job.status.is_open
        assert deps.store.jobs.all_open(PERSON, job.agent_id) == []
        told = [entry.step for entry in job.progress]
        assert told[0] == "queued"
        ends = [step for step in told if step in ("published", "failed", "cancelled")]
        assert ends == [told[-1]], told
        made = deps.store.toolbox.find_current(PERSON, f"demo__{name_for(job.goal)}")
        assert (made is not None) == (job.status is JobStatus.SUCCEEDED)
        assert made is None or made.version == 1
        jobs.release_ended(deps, self.arena.facts().agent)
        assert job.id not in self.arena.facts().agent.runs, "a job that ended holds the sweep off"
        return job

    def open_jobs(self) -> list[Job]:
        return self.arena.clean.deps.store.jobs.all_open(PERSON, self.arena.facts().agent.id)


def start(world: World, number: int = 1, connection_id: str = CONNECTION) -> object:
    wanted = Wanted(connection_id, f"Echo a text, goal {number}", ignore_existing=True)
    return acquire.acquire(world.deps, world.caller(), wanted)


def work(world: World, job: Job) -> None:
    writing.work(world.deps, PERSON, job.agent_id, job.id)


@pytest.fixture
def scene(arena: LiveArena) -> Scene:
    scene = Scene(arena)
    scene.set()
    return scene


def test_one_goal_asked_for_by_many_at_once_is_one_job(scene: Scene) -> None:
    hands = [scene.hand() for _ in range(HANDS)]
    answers = at_once(*[partial(start, hand) for hand in hands])
    told = {answer.job.id for answer in answers if isinstance(answer, News)}
    assert told <= {scene.job().id}
    assert told or scene.arena.faulty
    assert len(scene.arena.facts().agent.runs) == 1


def test_so_many_goals_at_once_open_three_jobs_and_the_others_are_told_which(scene: Scene) -> None:
    hands = [scene.hand() for _ in range(HANDS)]
    answers = at_once(*[partial(refused_or_started, hand, number) for number, hand in enumerate(hands)])
    opened = scene.open_jobs()
    assert len(opened) == JOBS_OPEN_MAX or scene.arena.faulty
    assert len(opened) <= JOBS_OPEN_MAX
    assert {answer.job.id for answer in answers if isinstance(answer, News)} <= {job.id for job in opened}
    told = [answer.message for answer in answers if isinstance(answer, Refusal)]
    busy = [message for message in told if "are open" in message]
    assert len(busy) == HANDS - JOBS_OPEN_MAX or scene.arena.faulty
    assert all(job.id in message for message in busy for job in opened)


def refused_or_started(world: World, number: int) -> object:
    try:
        return start(world, number)
    except Refusal as refusal:
        return refusal


def test_no_sweep_takes_a_tool_while_a_dead_workers_job_is_found_by_many_at_once(scene: Scene) -> None:
    scene.arena.clean.publish("idle")
    start(scene.arena.clean)
    agent = scene.arena.facts().agent
    assert workers.take_up(scene.arena.clean.deps, agent, scene.job().id) is not None
    for _ in range(LEASES_MAX):
        scene.arena.clock.forward(seconds=91)
        finds = [partial(jobs.go_on, scene.hand().deps, scene.job()) for _ in range(2)]
        takes = partial(workers.take_up, scene.hand().deps, agent, scene.job().id)
        at_once(*finds, takes, *[partial(sweeps, scene.hand()) for _ in range(3)])
        assert [promotion.tool for promotion in scene.arena.facts().promotions] == ["demo__idle"]
        assert scene.job().status.is_open


def test_past_its_deadline_a_dead_workers_job_is_failed_once_and_its_agent_swept_once(scene: Scene) -> None:
    scene.arena.clean.publish("idle")
    start(scene.arena.clean)
    scene.arena.clock.forward(minutes=10)
    at_once(*[partial(sweeps, scene.hand()) for _ in range(3)])
    sweeps(scene.arena.clean)
    assert scene.check().status is JobStatus.FAILED
    assert scene.arena.facts().promotions == ()
    left = [record for record in scene.arena.clean.history() if record.changes[0].direction is Direction.DEMOTED]
    assert len(left) == 1


def test_many_workers_at_once_write_one_tool_and_ask_the_model_once(scene: Scene) -> None:
    start(scene.arena.clean)
    job = scene.job()
    at_once(*[partial(work, scene.hand(), job) for _ in range(HANDS)], partial(work, scene.arena.clean, job))
    scene.go_on()
    assert scene.check().status is JobStatus.SUCCEEDED
    assert len(scene.model.asked) == 1 or scene.arena.faulty


@pytest.mark.parametrize("place", [NO_FAULTS], indirect=True)
def test_whichever_answer_is_lost_the_worker_goes_on_and_tells_no_step_twice(scene: Scene) -> None:
    for at in range(1, REQUESTS_MAX):
        start(scene.arena.clean, at)
        worker = scene.hand()
        lost = LostAnswer(worker.deps.store.table.client, at)
        work(worker, scene.job())
        done = scene.check()
        assert done.status is JobStatus.SUCCEEDED
        assert [entry.step for entry in done.progress] == STEPS
        if not lost.happened:
            return
    raise AssertionError("the worker never came to its end")


@pytest.mark.parametrize("place", [NO_FAULTS], indirect=True)
def test_a_silent_job_is_given_to_another_worker_although_the_answer_is_lost(scene: Scene) -> None:
    start(scene.arena.clean)
    scene.called.clear()
    scene.arena.clock.forward(seconds=61)
    finder = scene.hand()
    LostAnswer(finder.deps.store.table.client, 1)
    assert jobs.go_on(finder.deps, scene.job()).status is JobStatus.QUEUED
    assert len(scene.called) == 1


def test_a_worker_killed_between_any_two_of_its_requests_is_followed_by_one_that_ends_the_job(
    scene: Scene, crew: Crew
) -> None:
    """Report: lightningkite/lightning-server#143"""
    numbers = count(1)
    arguments: dict[str, Any] = {"agent_id": scene.arena.facts().agent.id, "job_id": ""}

    def ask_for_another() -> None:
        start(scene.arena.clean, next(numbers))
        arguments["job_id"] = scene.job().id

    def go_on() -> None:
        scene.go_on()
        assert scene.check().status is JobStatus.SUCCEEDED
        scene.called.clear()

    kills = kill_at_every_step(
        scene.arena, crew, "works", arguments, before=ask_for_another, after=go_on, stride=STRIDE
    )
    assert scene.arena.faulty or kills >= REQUESTS_MIN // STRIDE


@pytest.mark.parametrize("place", [NO_FAULTS], indirect=True)
def test_a_revoke_between_any_two_requests_of_the_worker_leaves_a_whole_tool_or_none(arena: LiveArena) -> None:
    scene = Scene(arena)
    for at in range(1 + arena.place.seed % STRIDE, REQUESTS_MAX, STRIDE):
        scene.set(f"c{at}")
        start(arena.clean, at, f"c{at}")
        worker = scene.hand()
        revoke = partial(connections.revoke, arena.clean.deps, PERSON, f"c{at}")
        meanwhile = Meanwhile(worker.deps.store.table.client, at, revoke)
        work(worker, scene.job())
        assert scene.check().status in (JobStatus.SUCCEEDED, JobStatus.CANCELLED, JobStatus.FAILED)
        if not meanwhile.happened:
            assert at > REQUESTS_MIN
            return
        assert arena.facts().promotions == (), "what was published before the revoke was demoted by it"
    raise AssertionError("the worker never came to its end")
