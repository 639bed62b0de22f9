"""The official SDK with the same tools as our door, in the two ways it can be driven."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.transport_context import TransportContext
from starlette.applications import Starlette

VERSION = "2026-07-28"
Serve = Callable[[bytes, dict[str, str]], bytes]


def sdk_server(tools: Sequence[dict[str, Any]]) -> Server[Any]:
    """A lowlevel server that lists these tools and answers any call with the same small value as ours."""
    listed = [types.Tool.model_validate(tool) for tool in tools]

    async def on_list(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed, ttl_ms=0, cache_scope="private")

    async def on_call(_context: Any, _params: Any) -> types.CallToolResult:
        answer = {"notes": [1, 2, 3]}
        text = types.TextContent(type="text", text=json.dumps(answer))
        return types.CallToolResult(content=[text], structured_content=answer)

    return Server("peer", version="0", on_list_tools=on_list, on_call_tool=on_call)


def driven_directly(server: Server[Any], loop: asyncio.AbstractEventLoop) -> Serve:
    """The kernel alone: parse the message, one `serve_one`, write the answer. No HTTP, no header checks."""

    def serve(body: bytes, _headers: dict[str, str]) -> bytes:
        message = types.JSONRPCRequest.model_validate_json(body)
        meta = (message.params or {})["_meta"]
        connection = Connection.from_envelope(VERSION, None, meta["io.modelcontextprotocol/clientCapabilities"])
        context = _context(message.id)
        result = loop.run_until_complete(
            serve_one(server, context, message.method, message.params, connection=connection, lifespan_state={})
        )
        answer = types.JSONRPCResponse(jsonrpc="2.0", id=message.id, result=result)
        return answer.model_dump_json(by_alias=True, exclude_none=True).encode()

    return serve


def _context(request_id: Any) -> Any:
    """As much of a dispatch context as a handler that sends nothing of its own has use for."""
    transport = TransportContext(kind="direct", can_send_request=False)
    return SimpleNamespace(transport=transport, request_id=request_id, message_metadata=None, can_send_request=False)


def over_asgi(app: Starlette, loop: asyncio.AbstractEventLoop) -> Serve:
    """The SDK's HTTP application called in process: what Mangum calls, without Mangum's own work."""

    def serve(body: bytes, headers: dict[str, str]) -> bytes:
        return loop.run_until_complete(_asgi(app, body, headers))

    return serve


async def _asgi(app: Starlette, body: bytes, headers: dict[str, str]) -> bytes:
    parts: list[bytes] = []
    incoming = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> MutableMapping[str, Any]:
        return incoming.pop() if incoming else {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        parts.append(message.get("body", b""))

    await app(_scope(headers), receive, send)
    return b"".join(parts)


def _scope(headers: dict[str, str]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
    }


@contextmanager
def running(app: Starlette, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """The application between its start and its end, which one task has to see both."""
    started, ended = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.router.lifespan_context(app):
            started.set()
            await ended.wait()

    life = loop.create_task(live())
    loop.run_until_complete(started.wait())
    yield
    ended.set()
    loop.run_until_complete(life)
