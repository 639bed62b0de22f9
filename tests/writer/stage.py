"""A world with a model on loopback, and workers that come when they are told to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from chalicelib import wiring
from chalicelib.model import AskAnswer, Job, JobStatus
from chalicelib.services import acquire, acquire_asks, writing
from chalicelib.services.acquire import News, Similar, Wanted
from chalicelib.services.asks import Waiting
from chalicelib.services.deps import Model
from tests.services.world import PERSON, World

from .endpoint import Endpoint

GOAL: Final = "List the notes of the account"


def settings_for(url: str) -> dict[str, str]:
    """Of a process whose model is there, and speaks OpenAI's format."""
    return {"GRAFT_MODEL": "openai:m", "GRAFT_MODEL_URL": url}


def model_at(url: str) -> Model:
    made = wiring._model(settings_for(url))
    assert made is not None
    return made


class Stage:
    def __init__(self, world: World, model: Endpoint, **connection: Any) -> None:
        self.world = world
        self.model = model
        self.called: list[tuple[str, str, str]] = []
        made = model_at(model.url)
        world.deps = replace(
            world.deps, model=made, start_job=lambda *job: self.called.append(job), pause=lambda _: None
        )
        self.provider = made.provider
        self.connection = world.connect(**connection)

    def acquire(self, goal: str = GOAL, **more: Any) -> News | Similar | Waiting:
        return acquire.acquire(self.world.deps, self.world.caller(), Wanted(self.connection.id, goal, **more))

    def allow(self) -> None:
        ask = self.world.asked(self.acquire(ignore_existing=True))
        assert acquire_asks.answer_acquire(self.world.deps, ask, AskAnswer.ALLOWED).ended is None

    def start(self, **more: Any) -> Job:
        self.allow()
        news = self.acquire(**more)
        assert isinstance(news, News)
        return news.job

    def work(self) -> None:
        """The worker that was called last comes."""
        writing.work(self.world.deps, *self.called[-1])

    def job(self, job: Job) -> Job:
        return self.world.deps.store.jobs.find(PERSON, job.agent_id, job.id) or job

    def finished(self, **more: Any) -> Job:
        job = self.start(**more)
        self.work()
        return self.job(job)

    def failure(self, job: Job) -> str:
        assert job.status is JobStatus.FAILED, job
        assert job.result is not None
        return str(job.result["failure"])

    @property
    def prompts(self) -> list[str]:
        return ["\n".join([asked.system, *(turn["text"] for turn in asked.messages)]) for asked in self.model.asked]
