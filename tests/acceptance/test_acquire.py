"""A tool is written while an agent waits: `make run`, the real SDK, and a model on loopback in either wire format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib import wiring
from chalicelib.model import AskAnswer, JobStatus
from chalicelib.services import acquire_asks
from chalicelib.services.deps import Deps
from chalicelib.storage import items
from chalicelib.storage.table import update
from infra.local.setup import PERSON
from tests.writer.endpoint import Endpoint, a_tool

from .driver import Connect, Driver
from .graft import Graft
from .rpc import Agent

LISTS: Final = 'def run(input, http):\n    return [note["text"] for note in http.get("/notes").json()]\n'
BROKEN: Final = "import requests\n\n\ndef run(input, http):\n    return requests.get(1)\n"
GOAL: Final = "Tell the texts alone"
NAME: Final = "tell-texts"
MODELS: Final[dict[str, Callable[[Endpoint], dict[str, str]]]] = {
    "bedrock": lambda model: {
        "GRAFT_MODEL": "bedrock:some.model-v1:0",
        "GRAFT_MODEL_URL": model.url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    },
    "openai": lambda model: {
        "GRAFT_MODEL": "openai:some-model",
        "GRAFT_MODEL_URL": f"{model.url}/v1",
        "GRAFT_MODEL_KEY": "sk-test",
    },
}


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with Endpoint() as serving:
        yield serving


@pytest.fixture(params=MODELS)
def writing(request: pytest.FixtureRequest, tmp_path: Path, model: Endpoint) -> Iterator[Graft]:
    with Graft(tmp_path, settings=MODELS[request.param](model)) as running:
        yield running


def allow(deps: Deps, waiting: dict[str, Any]) -> None:
    """What the person does behind the link."""
    assert waiting["status"] == "awaiting_approval", waiting
    ask = deps.store.asks.find(PERSON, waiting["askId"])
    assert ask is not None
    assert acquire_asks.answer_acquire(deps, ask, AskAnswer.ALLOWED).ended is None


def started(graft: Graft, agent: Driver) -> str:
    """The id of a job that a person has allowed."""
    (connection,) = agent.call("find_tool", query="")["connections"]
    wanted = {"connectionId": connection["connectionId"], "goal": GOAL, "ignoreExisting": True}
    with graft.deps() as deps:
        allow(replace(deps, model=wiring._model(graft.settings)), agent.call("acquire", **wanted))
    job_id: str = agent.call("acquire", **wanted)["jobId"]
    assert agent.call("acquire", **wanted)["jobId"] == job_id
    return job_id


def ended(agent: Driver, job_id: str) -> dict[str, Any]:
    """Follows the job to its end, by its news."""
    after, seen = 0, []
    while True:
        news: dict[str, Any] = agent.call("acquire_status", jobId=job_id, after=after)
        seen += [entry["seq"] for entry in news["progress"]]
        if news["status"] not in ("queued", "running"):
            assert seen == list(range(1, len(seen) + 1))
            return news
        after = seen[-1]


def test_a_missing_tool_is_written_promoted_and_called(writing: Graft, model: Endpoint, connect: Connect) -> None:
    model.will_say([a_tool(BROKEN, name=NAME), a_tool(LISTS, name=NAME, reads=["/notes"])])
    with connect(writing.demo, "auto") as agent:
        done = ended(agent, started(writing, agent))
        assert (done["status"], done["attempts"]) == ("succeeded", 2)
        assert done["result"]["tool"] == f"demo__{NAME}"
        assert f"demo__{NAME}" in [tool["name"] for tool in agent.list()]
        assert len(agent.call(f"demo__{NAME}")["result"]) == 3
    assert "  model          some" in writing.log()
    token = (writing.home / "vendor.token").read_text().strip()
    assert token not in repr([asked.body for asked in model.asked])


def test_a_job_whose_process_is_killed_is_finished_by_another(
    tmp_path: Path, model: Endpoint, connect: Connect
) -> None:
    model.will_say([a_tool(BROKEN, name=NAME), a_tool(LISTS, name=NAME)])
    with Graft(tmp_path, settings=MODELS["openai"](model)) as graft:
        with connect(graft.demo, "auto") as agent:
            model.hold_from(1)
            job_id = started(graft, agent)
            assert model.arrived.wait(30)
        assert "skipped" in graft.command("sweep", "--at", "+400d")
        graft.kill()
        model.let_go()
        graft.start()
        with graft.deps() as deps:
            be_silent(deps, graft.demo, job_id)
        with connect(graft.demo, "auto") as agent:
            done = ended(agent, job_id)
            assert (done["status"], done["attempts"]) == ("succeeded", 3)
            assert len(agent.call(f"demo__{NAME}")["result"]) == 3


def test_a_process_that_is_stopped_waits_for_no_model(tmp_path: Path, model: Endpoint, connect: Connect) -> None:
    with Graft(tmp_path, settings=MODELS["openai"](model)) as graft:
        with connect(graft.demo, "auto") as agent:
            model.hold_from(0)
            started(graft, agent)
            assert model.arrived.wait(30)
        assert graft.stop() == 0


def be_silent(deps: Deps, agent: Agent, job_id: str) -> None:
    """Let the lease of the dead worker be over, as it is after a minute and a half."""
    job = deps.store.jobs.find(PERSON, agent.id, job_id)
    assert job is not None
    assert job.status is JobStatus.RUNNING
    past = items.moment(deps.now() - timedelta(seconds=1))
    key = items.job_key(PERSON, agent.id, job_id)
    assert deps.store.table.write(update(key, "SET #lease_until = :past, #due_at = :past", values={":past": past}))
