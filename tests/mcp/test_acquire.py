"""`acquire` and `acquire_status` at the door, in both eras."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.mcp.waiting import KEY
from chalicelib.model import Connection
from chalicelib.services import writing
from chalicelib.services.deps import Deps
from tests.writer.endpoint import Endpoint, a_tool
from tests.writer.stage import model_at

from .conftest import PERSON
from .harness import ENVELOPE, Harness, result_of
from .persons import allow_acquire, connect, newest_ask
from .test_waiting import CAPABILITIES, OPENS_PAGES

GOAL = "Echo what it is given"
ECHO = "def run(input, http):\n    return {'echo': 1}\n"


@pytest.fixture
def called() -> list[tuple[str, str, str]]:
    """The jobs that a worker was called for."""
    return []


@pytest.fixture
def deps(deps: Deps, called: list[tuple[str, str, str]]) -> Iterator[Deps]:
    with Endpoint([a_tool(ECHO, name="echo")]) as model:
        yield replace(deps, model=model_at(model.url), start_job=lambda *job: called.append(job), pause=lambda _: None)


@pytest.fixture
def connection(deps: Deps) -> Connection:
    return connect(deps, PERSON)


def wanted(connection: Connection) -> dict[str, Any]:
    return {"connectionId": connection.id, "goal": GOAL}


def test_a_client_that_opens_pages_is_asked_to_open_the_asks(harness: Harness, connection: Connection) -> None:
    meta = ENVELOPE | {CAPABILITIES: OPENS_PAGES}
    call = {"name": "acquire", "arguments": wanted(connection), "_meta": meta}
    asked = result_of(harness.ask_stateless("tools/call", call))
    assert asked["resultType"] == "input_required"
    params = asked["inputRequests"][KEY]["params"]
    assert params["url"] == f"{harness.deps.settings.public_base_url}/a/{newest_ask(harness.deps, PERSON).code}"
    assert "whether your agent may have tools written for demo" in params["message"]
    allow_acquire(harness.deps, PERSON)
    accepted = {"inputResponses": {KEY: {"action": "accept"}}, "requestState": asked["requestState"]}
    started = result_of(harness.ask_stateless("tools/call", call | accepted))
    assert (started["resultType"], started["structuredContent"]["status"]) == ("complete", "queued")


@pytest.mark.parametrize("stateless", [False, True])
def test_any_other_client_gets_the_link_in_a_normal_result(
    harness: Harness, connection: Connection, stateless: bool
) -> None:
    ask = harness.ask_stateless if stateless else harness.opened().ask
    result = result_of(ask("tools/call", {"name": "acquire", "arguments": wanted(connection)}))
    assert result.get("isError", False) is False
    assert set(result["structuredContent"]) == {"status", "askId", "url", "expiresAt", "message"}
    assert result["structuredContent"]["status"] == "awaiting_approval"


def test_a_job_is_told_of_from_its_id_to_its_tool_in_the_list(
    harness: Harness, connection: Connection, called: list[tuple[str, str, str]]
) -> None:
    harness.call("acquire", wanted(connection))
    allow_acquire(harness.deps, PERSON)
    started = harness.call("acquire", wanted(connection))
    assert set(started) == {"jobId", "status", "progress", "attempts", "note"}
    assert (started["status"], started["attempts"]) == ("queued", 0)
    assert f'"jobId": "{started["jobId"]}", "after": 1' in started["note"]
    assert harness.call("acquire", wanted(connection)) == started
    assert len(called) == 1
    writing.work(harness.deps, *called[0])
    done = harness.call("acquire_status", {"jobId": started["jobId"], "after": 1})
    assert (done["status"], done["attempts"]) == ("succeeded", 1)
    assert [entry["seq"] for entry in done["progress"]] == list(range(2, 9))
    assert set(done["progress"][0]) == {"seq", "at", "step", "message"}
    assert done["result"] == {
        "tool": "demo__echo",
        "vendor": "demo",
        "name": "echo",
        "version": 1,
        "annotations": {"readOnlyHint": True, "destructiveHint": False},
        "promoted": True,
    }
    assert "demo__echo" in harness.tool_names()
    assert harness.call("demo__echo") == {"echo": 1}


def test_tools_that_look_like_the_goal_are_answered_as_find_tool_answers_them(
    harness: Harness, connection: Connection
) -> None:
    harness.publish("echo-what-it-is-given")
    answer = harness.call("acquire", wanted(connection))
    assert answer["status"] == "existing"
    assert answer["tools"] == harness.call("find_tool", {"query": GOAL})["tools"]
    assert "ignoreExisting: true" in answer["note"]
    assert harness.call("acquire", wanted(connection) | {"ignoreExisting": True})["status"] == "awaiting_approval"


def test_a_connection_or_a_job_that_is_not_there_is_refused_by_its_name(harness: Harness) -> None:
    assert harness.call("acquire", {"connectionId": "c" * 13, "goal": GOAL})["reason"] == "connection_not_found"
    assert harness.call("acquire_status", {"jobId": "none"})["reason"] == "job_not_found"
