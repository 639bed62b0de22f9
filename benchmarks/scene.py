"""What benchmarks of the whole handler run on: a table on the emulator with one agent, its set and a toolbox, and
requests as API Gateway sends them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.door import SCHEMA, a_message, a_tool
from benchmarks.gateway import Event, gateway_event
from chalicelib import wiring
from chalicelib.model import Cause, ToolVersion
from chalicelib.rules.membership import decide_entry, facts_after
from chalicelib.services import agents, identity
from chalicelib.services.deps import Deps
from infra.local import emulator
from infra.local.table import ensure_table

PERSON: Final = "p1"
TABLE: Final = "graft"
PROMOTED: Final = 20
TOOLBOX: Final = 200
ANSWERS: Final = "def run(input, http):\n    return {'notes': [1, 2, 3]}\n"
HANDSHAKE: Final = "2025-11-25"


@dataclass(frozen=True)
class Scene:
    """`environment` is what a function here would have; this process has it, too, while the scene stands."""

    deps: Deps
    environment: dict[str, str]
    agent_id: str
    token: str

    def event(self, method: str, *, session: str = "", **params: Any) -> Event:
        """A request of the stateless era; with a session, one of the handshake era."""
        body, headers = a_message(method, **params)
        if session:
            message = json.loads(body)
            del message["params"]["_meta"]
            body, headers = json.dumps(message).encode(), headers | {"mcp-protocol-version": HANDSHAKE}
            headers["mcp-session-id"] = session
        return gateway_event("POST", body, headers | {"authorization": f"Bearer {self.token}"})

    def meta_call(self, meta_tool: str, **arguments: Any) -> Event:
        return self.event("tools/call", name=meta_tool, arguments=arguments)

    def poll(self, session: str, last_event_id: str) -> Event:
        """What a harness asks every `retry` for as long as it runs."""
        headers = {
            "authorization": f"Bearer {self.token}",
            "accept": "text/event-stream",
            "mcp-session-id": session,
            "mcp-protocol-version": HANDSHAKE,
            "last-event-id": last_event_id,
        }
        return gateway_event("GET", b"", headers)


@contextmanager
def standing(*, promoted: int = PROMOTED, toolbox: int = TOOLBOX) -> Iterator[Scene]:
    """A scene in which one agent has `promoted` of its person's `toolbox` tools."""
    with tempfile.TemporaryDirectory() as home, emulator.start(Path(home), ephemeral=True) as aws:
        environment = {
            "GRAFT_TABLE": TABLE,
            "GRAFT_HOME": home,
            "GRAFT_AWS_ENDPOINT": aws.endpoint_url,
            "GRAFT_PUBLIC_BASE_URL": "https://graft.example.com",
        }
        with _in_this_process(environment):
            deps = wiring.deps()
            try:
                yield _furnished(deps, environment, promoted, toolbox)
            finally:
                deps.sandbox.close()
                deps.store.close()
                deps.store.table.client.close()


@contextmanager
def _in_this_process(environment: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(environment)
    wiring.deps.cache_clear()
    try:
        yield
    finally:
        wiring.deps.cache_clear()
        os.environ.clear()
        os.environ.update(before)


def _furnished(deps: Deps, environment: dict[str, str], promoted: int, toolbox: int) -> Scene:
    ensure_table(deps.store.table.client, TABLE)
    deps.store.people.add(PERSON)
    agent, token = agents.create_agent(deps, PERSON, "laptop", cap=500)
    facts = identity.identify(deps, token, None).facts
    for number in range(toolbox):
        tool = a_stored_tool(number, agent.id)
        if number >= promoted:
            assert deps.store.toolbox.publish(PERSON, tool)
            continue
        move = decide_entry(facts, tool.wire_name, Cause.PUBLISH, deps.now() + timedelta(milliseconds=number))
        assert deps.store.publish(facts, tool, move.record, move.remaining)
        facts = facts_after(facts, move)
    return Scene(deps, environment, agent.id, token)


def a_stored_tool(number: int, publisher: str) -> ToolVersion:
    return replace(a_tool(number), source=ANSWERS, published_by=publisher, input_schema=SCHEMA)


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """What Lambda calls: app.py through Chalice."""
    import app

    answer: Callable[[Event, Any], dict[str, Any]] = app.app
    return answer


def answered(response: dict[str, Any]) -> dict[str, Any]:
    """The response, once it is one that a client can use."""
    assert response["statusCode"] == 200, response
    assert '"error":' not in response["body"], response
    assert '"isError":true' not in response["body"], response
    return response
