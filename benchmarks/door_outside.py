"""Other ways to serve MCP from a Lambda function, each with the tools of our benchmark and its events.

Run by benchmarks.door in the environment .lab/peers: tools, events and repeats as JSON in, CPU in milliseconds out.
None of them authenticates anybody or looks anything up.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Literal

from benchmarks import door_peers

Event = dict[str, Any]
Serve = Callable[[Event], dict[str, Any]]
ANSWER = {"notes": [1, 2, 3]}


def main() -> None:
    asked = json.load(sys.stdin)
    measured = {}
    for way in (sdk_through_mangum, fastmcp_through_mangum, awslabs):
        with way(asked["tools"]) as (name, serve):
            measured[name] = {
                what: cpu_ms(serve, events, asked["warm_up"], asked["repeats"])
                for what, events in asked["events"].items()
            }
    json.dump(measured, sys.stdout)


def cpu_ms(serve: Serve, events: list[Event], warm_up: int, repeats: int) -> float:
    """Median for the first of the events (one request in the words of several revisions) that is understood."""
    event = next((event for event in events if is_served(serve(event))), None)
    if event is None:
        return float("nan")
    taken = []
    for _ in range(warm_up + repeats):
        start = time.process_time_ns()
        serve(event)
        taken.append((time.process_time_ns() - start) / 1e6)
    return statistics.median(taken[warm_up:])


def is_served(response: dict[str, Any]) -> bool:
    return response["statusCode"] == 200 and '"result"' in response["body"] and '"isError":true' not in response["body"]


@contextmanager
def sdk_through_mangum(tools: list[dict[str, Any]]) -> Iterator[tuple[str, Serve]]:
    app = door_peers.sdk_server(tools).streamable_http_app(json_response=True, stateless_http=True)
    with _mangum(app) as serve:
        yield f"SDK {version('mcp')} through Mangum {version('mangum')}", serve


@contextmanager
def fastmcp_through_mangum(tools: list[dict[str, Any]]) -> Iterator[tuple[str, Serve]]:
    from fastmcp import FastMCP

    server = FastMCP("peer")
    for tool in tools:
        server.tool(list_orders, name=tool["name"], description=tool["description"], output_schema=None)
    app = server.http_app(path="/mcp", json_response=True, stateless_http=True)
    with _mangum(app) as serve:
        yield f"fastmcp {version('fastmcp')} through Mangum {version('mangum')}", serve


@contextmanager
def awslabs(tools: list[dict[str, Any]]) -> Iterator[tuple[str, Serve]]:
    from awslabs.mcp_lambda_handler import MCPLambdaHandler

    handler = MCPLambdaHandler(name="peer", version="0")
    handler.tool()(list_orders)
    (name,) = handler.tools
    made, action = handler.tools.pop(name), handler.tool_implementations.pop(name)
    for tool in tools:
        handler.tools[tool["name"]] = made | {"name": tool["name"], "description": tool["description"]}
        handler.tool_implementations[tool["name"]] = action
    yield f"awslabs.mcp-lambda-handler {version('awslabs.mcp-lambda-handler')}", lambda e: handler.handle_request(e, {})


def list_orders(status: Literal["open", "closed"], limit: int = 10) -> dict[str, list[int]]:
    """Lists the orders of the shop.

    Args:
        status: Which orders to list.
        limit: How many.
    """
    assert status == "open"
    assert limit == 10
    return ANSWER


@contextmanager
def _mangum(app: Any) -> Iterator[Serve]:
    """The application started once, as a process of it is; Mangum's own life cycle would start it for each request."""
    from mangum import Mangum

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        with door_peers.running(app, loop):
            handler = Mangum(app, lifespan="off")
            yield lambda event: handler(event, {})
    finally:
        asyncio.set_event_loop(None)
        loop.close()


if __name__ == "__main__":
    main()
