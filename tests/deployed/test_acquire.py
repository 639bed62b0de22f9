"""The worker as it was deployed: invoked for a job, held to its role's permissions, to a tool that is called."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from chalicelib import wiring
from chalicelib.model import AcquireQuestion, AskAnswer
from chalicelib.services import acquire_asks
from chalicelib.services.deps import Deps
from infra.local.setup import PERSON
from tests.acceptance.driver import Connect, Driver
from tests.acceptance.rpc import Agent
from tests.acceptance.waiting import until
from tests.writer.endpoint import Endpoint, a_tool

from .conftest import CLIENTS, MODEL
from .site import STAGE, Site
from .test_deployed import ECHO, TEXT, connect_vendor

BROKEN: Final = "def run(input, http):\n    return undefined\n"
VENDOR: Final = "written"
WORKER: Final = f"graft-{STAGE}-acquire"


def test_a_missing_tool_is_written_by_a_function_of_its_own_and_called(
    site: Site, connect: Connect, agent: Agent, deps: Deps, model: Endpoint
) -> None:
    written: dict[str, Any] = {"name": "echo", "schema": TEXT, "test_input": {"text": "x"}}
    model.will_say([a_tool(BROKEN, **written), a_tool(ECHO, **written)])
    with connect(agent, CLIENTS[1]) as client:
        wanted = {"connectionId": connected(client, deps), "goal": "Echo a text"}
        assert client.call("acquire", **wanted)["status"] == "awaiting_approval"
        allow(deps)
        done = followed(client, client.call("acquire", **wanted))
        assert (done["status"], done["attempts"]) == ("succeeded", 2), done
        assert client.call(f"{VENDOR}__echo", text="hello") == {"said": "hello"}
    assert [asked.path for asked in model.asked] == ["/model/some.model-v1:0/converse"] * 2
    (line,) = until(lambda: job_lines(site), "the job's line in the worker's log")
    assert {"outcome": "ok", "attempts": 2, "tokens": 2400}.items() <= line["job"].items()
    assert "Echo a text" not in json.dumps(line)


def connected(client: Driver, deps: Deps) -> str:
    connect_vendor(deps, VENDOR)
    connections = client.call("find_tool", query="")["connections"]
    return str(next(each["connectionId"] for each in connections if each["vendor"] == VENDOR))


def allow(deps: Deps) -> None:
    """What the person does behind the link."""
    deps = replace(deps, model=wiring._model({"GRAFT_MODEL": MODEL}))
    asks = deps.store.asks.newest(PERSON)
    ask = next(ask for ask in asks if isinstance(ask.question, AcquireQuestion))
    assert acquire_asks.answer_acquire(deps, ask, AskAnswer.ALLOWED).ended is None


def followed(client: Driver, news: dict[str, Any]) -> dict[str, Any]:
    while news["status"] in ("queued", "running"):
        news = client.call("acquire_status", jobId=news["jobId"], after=news["progress"][-1]["seq"])
    return news


def job_lines(site: Site) -> list[dict[str, Any]]:
    return [line for line in site.log_lines(WORKER) if line.get("event") == "job"]
