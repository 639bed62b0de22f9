"""What the door costs in CPU, without storage and without the module: `python -m benchmarks.door`. Takes half a minute.

Ours is everything from the HTTP request to the finished answer, authentication, the services and the log's lines
included (they are made as on AWS and written to nowhere); the table and the sandbox are stand-ins in memory. The
peers authenticate nobody and look nothing up: the official SDK in the same process, and in one of their own the SDK
and fastmcp through Mangum, and awslabs.mcp-lambda-handler.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

from benchmarks import door_beside, door_peers
from chalicelib.logs.setting_up import start_logging
from chalicelib.mcp import listing
from chalicelib.mcp.door import handle
from chalicelib.mcp.http import HttpRequest
from chalicelib.model import Agent, AgentFacts, Cause, JsonObject, Person, Promotion, ToolCard, ToolVersion
from chalicelib.services.deps import Deps, Settings
from chalicelib.services.identity import hash_token
from chalicelib.storage.agents import DoorFacts
from chalicelib.storage.store import CallFacts

TOOLS = 20
REPEATS = 500
WARM_UP = 50
BUDGET_MS = 0.5
TIMES_BELOW_SDK = 3
TOKEN = "grft_p1_a1_" + "A" * 43
NOW = datetime(2026, 11, 30, tzinfo=UTC)
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": door_peers.VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["open", "closed"], "description": "Which orders to list."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    },
    "required": ["status"],
}
IMPORTS = {
    "ours, standard library": "import chalicelib.mcp.door",
    "mcp_types alone": "import mcp_types",
    "SDK lowlevel server": "import mcp.server.lowlevel",
    "SDK ASGI application": "import mcp.server.lowlevel, mcp.server.streamable_http_manager",
}


def a_tool(number: int) -> ToolVersion:
    return ToolVersion(
        vendor="shop",
        name=f"list-orders-{number}",
        version=1,
        description="Lists the orders of the shop by status, newest first, with their totals and customers.",
        input_schema=SCHEMA,
        source="",
        methods=frozenset({"GET"}),
        connection_id=None,
        published_by="a1",
        published_at=NOW,
    )


def in_memory() -> Deps:
    """Deps whose table holds one agent with a set, and whose sandbox answers at once."""
    tools = {tool.wire_name: tool for tool in map(a_tool, range(TOOLS))}
    promotions = tuple(
        Promotion(name, str(slot), NOW + timedelta(seconds=slot), Cause.AGENT) for slot, name in enumerate(tools)
    )
    agent = Agent("p1", "a1", "laptop", hash_token(TOKEN), 20, 21, None, NOW, list_revision=TOOLS, set_size=TOOLS)
    facts = DoorFacts(AgentFacts(agent, promotions), Person("p1", TOOLS), None)
    agents = SimpleNamespace(find_door_facts=lambda *_: facts, remember_listed=lambda *_: None)
    runs = SimpleNamespace(claim=lambda *_, **__: True, release=lambda *_: None)
    cards = [ToolCard(t.vendor, t.name, t.version, t.description, t.input_schema, t.methods) for t in tools.values()]
    store = SimpleNamespace(
        table=SimpleNamespace(together=lambda *calls: tuple(call() for call in calls)),
        traces=SimpleNamespace(note_presence=lambda *_: None),
        agents=agents,
        runs=runs,
        toolbox=SimpleNamespace(cards=lambda *_: cards),
        find_call_facts=lambda _agent, name: CallFacts(tools[name], [], []),
    )
    return Deps(
        settings=Settings("t", "https://graft.example.com"),
        store=cast(Any, store),
        sandbox=cast(Any, SimpleNamespace(session=answering_at_once)),
        vault=cast(Any, None),
        connections=cast(Any, None),
        new_gate=lambda **_: cast(Any, SimpleNamespace(reads=[], previews=[], calls=0, last=None)),
        now=lambda: NOW,
        random_bytes=lambda count: bytes(count),
        documents=cast(Any, None),
        start_job=lambda *_: None,
        pause=lambda _: None,
    )


@contextmanager
def answering_at_once(**_: Any) -> Iterator[Any]:
    yield SimpleNamespace(run=lambda *_args, **_kwargs: {"notes": [1, 2, 3]})


def a_message(method: str, **params: Any) -> tuple[bytes, dict[str, str]]:
    """A stateless request: body and headers."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": ENVELOPE, **params}}
    headers = {
        "authorization": f"Bearer {TOKEN}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "host": "127.0.0.1:8765",
        "mcp-protocol-version": door_peers.VERSION,
        "mcp-method": method,
    }
    return json.dumps(body).encode(), headers | ({"mcp-name": params["name"]} if "name" in params else {})


LIST = f"tools/list of {TOOLS}"
REQUESTS = {
    LIST: a_message("tools/list"),
    "tools/call": a_message("tools/call", name="shop__list-orders-3", arguments={"status": "open"}),
}
OURS = "ours"
CHALICE = "ours, through Chalice"
SDK = "SDK ASGI application"
MANGUM = "through Mangum"


def cpu_ms(act: Callable[[], bytes]) -> float:
    """Median CPU of this process for one request, in milliseconds."""
    taken = []
    for _ in range(WARM_UP + REPEATS):
        start = time.process_time_ns()
        act()
        taken.append((time.process_time_ns() - start) / 1e6)
    return statistics.median(taken[WARM_UP:])


def import_ms(statement: str) -> float:
    """Median CPU of a new process's import, in milliseconds, with compiled files at hand."""
    code = f"import time; t = time.process_time(); {statement}; print((time.process_time() - t) * 1000)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


@contextmanager
def logging_as_on_aws() -> Iterator[None]:
    with open(os.devnull, "w") as nowhere:
        with redirect_stdout(nowhere):
            start_logging(stage="dev", level=logging.INFO)
        yield


def measure() -> dict[str, dict[str, float]]:
    """CPU in milliseconds by way and by request, with the same tools in each."""
    deps, loop = in_memory(), asyncio.new_event_loop()

    def ours(body: bytes, headers: dict[str, str]) -> bytes:
        return handle(deps, HttpRequest("POST", "/mcp", headers, body=body)).body

    tools = json.loads(ours(*REQUESTS[LIST]))["result"]["tools"][-TOOLS:]
    server = door_peers.sdk_server(tools)
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    with closing(loop), logging_as_on_aws(), door_peers.running(app, loop):
        return {
            OURS: timed(ours),
            CHALICE: timed(door_beside.through_chalice(deps)),
            "SDK lowlevel, driven directly": timed(door_peers.driven_directly(server, loop)),
            SDK: timed(door_peers.over_asgi(app, loop)),
        } | door_beside.outside(tools, REQUESTS, repeats=REPEATS, warm_up=WARM_UP)


def sdk_through_mangum(measured: dict[str, dict[str, float]]) -> dict[str, float]:
    """What the budget is held against; the SDK's own application where Mangum could not be fetched."""
    return next((of for way, of in measured.items() if way.startswith("SDK") and MANGUM in way), measured[SDK])


def timed(serve: door_peers.Serve) -> dict[str, float]:
    for message in REQUESTS.values():
        answer = serve(*message)
        assert b'"result"' in answer, answer
        assert b'"isError":true' not in answer, answer
    return {what: cpu_ms(partial(serve, *message)) for what, message in REQUESTS.items()}


def report(measured: dict[str, dict[str, float]]) -> bool:
    """Print the figures; answer whether they keep the budgets."""
    print(f"CPU ms a request, median of {REPEATS}; no storage, no module")
    for way, figures in measured.items():
        print(f"  {way:40}" + "".join(f"  {what} {value:6.3f}" for what, value in figures.items()))
    print("CPU ms to import, median of 5 new processes")
    for way, statement in IMPORTS.items():
        print(f"  {way:32}  {import_ms(statement):6.0f}")
    fixed = len(listing.meta_tool_entries())
    print(f"the meta-tools in every list: {fixed} bytes, about {fixed // 4} tokens")
    peer = sdk_through_mangum(measured)
    kept = all(ours <= BUDGET_MS and ours * TIMES_BELOW_SDK <= peer[what] for what, ours in measured[OURS].items())
    print(f"budget ({BUDGET_MS} ms each, {TIMES_BELOW_SDK} times below the SDK): {'kept' if kept else 'BROKEN'}")
    return kept


if __name__ == "__main__":
    sys.exit(not report(measure()))
