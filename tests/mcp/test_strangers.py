"""What belongs to another person is answered as what does not exist, byte for byte, by every tool of the door."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from chalicelib.mcp.catalogue import META_TOOLS
from chalicelib.services import agents
from chalicelib.services.deps import Deps
from tests.writer.stage import model_at

from .conftest import PERSON
from .harness import ENVELOPE, Harness, initialize_params, result_of
from .persons import HOST, MAKES, allow_acquire, connect

STRANGER = "p2"
OURS_ALONE = re.compile(rb"[0-9a-f]{24}|/a/[a-z2-9]{12}")
"""Ids and links that are new each time."""
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
Arguments = Callable[["Ids"], dict[str, Any]]


@dataclass(frozen=True)
class Ids:
    """Another person's, or of the same shape and nobody's."""

    vendor: str
    name: str
    connection: str
    job: str

    @property
    def tool(self) -> dict[str, str]:
        return {"vendor": self.vendor, "name": self.name}

    def in_place_of(self, others: Ids, body: bytes) -> bytes:
        for mine, theirs in zip(self._all(), others._all(), strict=True):
            body = body.replace(theirs.encode(), mine.encode())
        return OURS_ALONE.sub(b"", body)

    def _all(self) -> list[str]:
        return [self.vendor, self.name, self.connection, self.job]


NOBODYS = Ids("zyxw", "vutsr", "a" * 13, "job-of-nobody")

WALK: dict[str, list[Arguments]] = {
    "find_tool": [lambda ids: {"query": ids.vendor}, lambda ids: {"query": f"{ids.vendor}__{ids.name}"}],
    "promote": [lambda ids: ids.tool],
    "demote": [lambda ids: ids.tool],
    "run_tool": [lambda ids: ids.tool, lambda ids: {**ids.tool, "input": {"text": "x"}, "dryRun": True}],
    "check_tool": [lambda ids: {"source": f"def run(input, http):\n    return {ids.connection!r}\n"}],
    "publish_tool": [
        lambda ids: {
            "vendor": "demo",
            "name": "mine",
            "description": "Mine.",
            "inputSchema": {"type": "object"},
            "source": MAKES,
            "connectionId": ids.connection,
        }
    ],
    "read_tool_source": [lambda ids: ids.tool, lambda ids: {**ids.tool, "version": 1}],
    "request_connection": [lambda ids: {"vendor": ids.vendor, "primaryHost": HOST, "scheme": "bearer"}],
    "request_credential": [lambda ids: {"connectionId": ids.connection}],
    "acquire": [lambda ids: {"connectionId": ids.connection, "goal": "g"}],
    "acquire_status": [lambda ids: {"jobId": ids.job}],
}
EVERY_CALL = [pytest.param(tool, at, id=f"{tool}-{at}") for tool, calls in WALK.items() for at in range(len(calls))]


@pytest.fixture
def deps(deps: Deps) -> Deps:
    """With a model, which nothing here comes to ask."""
    return replace(deps, model=model_at("http://127.0.0.1:9"), start_job=lambda *_: None)


@pytest.fixture
def theirs(harness: Harness) -> tuple[Ids, Harness]:
    """Another person with a tool of every kind of state: promoted, asked for, connected, being written."""
    deps = harness.deps
    deps.store.people.add(STRANGER)
    stranger = Harness(deps, agents.create_agent(deps, STRANGER, "laptop")[1])
    connection = connect(deps, STRANGER, "qpon")
    published = stranger.publish("mlkji", MAKES, vendor="qpon", connectionId=connection.id)
    assert published["promoted"] is True
    assert stranger.call("qpon__mlkji", {"text": "x"})["status"] == "awaiting_approval"
    assert stranger.call("request_credential", {"connectionId": connection.id})["status"] == "awaiting_credential"
    wanted = {"connectionId": connection.id, "goal": "g", "ignoreExisting": True}
    assert stranger.call("acquire", wanted)["status"] == "awaiting_approval"
    allow_acquire(deps, STRANGER)
    return Ids("qpon", "mlkji", connection.id, stranger.call("acquire", wanted)["jobId"]), stranger


@pytest.fixture
def mine(harness: Harness) -> Harness:
    """On a clock that stands still."""
    now = harness.deps.now()
    still = replace(harness, deps=replace(harness.deps, now=lambda: now))
    still.publish("one")
    return still


def test_the_walk_leaves_no_meta_tool_out() -> None:
    assert list(WALK) == [tool.name for tool in META_TOOLS]


@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize(("tool", "at"), EVERY_CALL)
def test_a_meta_tool_answers_as_if_it_did_not_exist(
    mine: Harness, theirs: tuple[Ids, Harness], tool: str, at: int, stateless: bool
) -> None:
    strangers, _ = theirs
    ask = mine.ask_stateless if stateless else mine.opened().ask
    answers = [ask("tools/call", {"name": tool, "arguments": WALK[tool][at](ids)}) for ids in (strangers, NOBODYS)]
    assert [answer.status for answer in answers] == [200, 200]
    assert NOBODYS.in_place_of(strangers, answers[0].body) == NOBODYS.in_place_of(NOBODYS, answers[1].body)


@pytest.mark.parametrize("stateless", [False, True])
def test_so_does_the_call_of_their_tool_by_its_name(
    mine: Harness, theirs: tuple[Ids, Harness], stateless: bool
) -> None:
    strangers, _ = theirs
    ask = mine.ask_stateless if stateless else mine.ask
    bodies = [ask("tools/call", {"name": f"{ids.vendor}__{ids.name}"}).body for ids in (strangers, NOBODYS)]
    assert NOBODYS.in_place_of(strangers, bodies[0]) == bodies[1]


def test_their_session_is_no_session(mine: Harness, theirs: tuple[Ids, Harness]) -> None:
    _, stranger = theirs
    sessions = (stranger.opened().session, "unknown")
    for method, params in (("tools/list", {}), ("tools/call", {"name": "find_tool", "arguments": {"query": ""}})):
        first, second = (replace(mine, session=session).ask(method, params) for session in sessions)
        assert (first.status, first.headers, first.body) == (second.status, second.headers, second.body)
    polls = [replace(mine, session=session).send("GET") for session in sessions]
    assert [poll.status for poll in polls] == [405, 405]
    assert polls[0].body == polls[1].body


def test_their_request_state_is_as_good_as_a_forged_one(mine: Harness, theirs: tuple[Ids, Harness]) -> None:
    _, stranger = theirs
    meta = ENVELOPE | {CAPABILITIES: {"elicitation": {"url": {}}}}
    call = {"name": "request_connection", "arguments": {"vendor": "x", "primaryHost": HOST, "scheme": "bearer"}}
    state = result_of(stranger.ask_stateless("tools/call", {**call, "_meta": meta}))["requestState"]
    first, second = (
        mine.ask_stateless("tools/call", {**call, "_meta": meta, "requestState": shown}) for shown in (state, "forged")
    )
    assert (first.status, first.body) == (second.status, second.body)
    assert mine.deps.store.asks.newest(PERSON) == []


def test_their_token_that_was_revoked_is_as_unknown_as_any(mine: Harness, theirs: tuple[Ids, Harness]) -> None:
    _, stranger = theirs
    agent_id = mine.deps.store.agents.ids(STRANGER)[0]
    agents.revoke_agent(mine.deps, STRANGER, agent_id)
    tokens = (stranger.token, stranger.token[:-1] + "A", "grft_p9_nobody_" + "A" * 43, "nonsense")
    answers = [replace(mine, token=token).ask("initialize", initialize_params()) for token in tokens]
    assert {(answer.status, answer.body) for answer in answers} == {(401, answers[0].body)}
