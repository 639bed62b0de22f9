"""The Python SDK 1.x as tests/acceptance/driver.py drives it. Run by .lab/python-1; it imports nothing of ours.

The SDK is imported by name: where types are checked, the 2.x is installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from importlib import import_module
from typing import Any

mcp: Any = import_module("mcp")
types: Any = import_module("mcp.types")
httpx: Any = import_module("httpx")
streamable_http_client: Any = import_module("mcp.client.streamable_http").streamable_http_client
McpError: Any = import_module("mcp.shared.exceptions").McpError


class Ears:
    """Counts the list changes that are heard."""

    def __init__(self) -> None:
        self.count = 0
        self._moved = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(getattr(message, "root", None), types.ToolListChangedNotification):
            self.count += 1
            self._moved.set()

    async def wait(self, beyond: int, seconds: float) -> int:
        async def hear() -> None:
            while self.count <= beyond:
                self._moved.clear()
                await self._moved.wait()

        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(hear(), seconds)
        return self.count


async def obey(session: Any, ears: Ears, request: dict[str, Any]) -> Any:
    match request["do"]:
        case "list":
            return [_plain(tool) for tool in (await session.list_tools()).tools]
        case "call":
            try:
                return _plain(await session.call_tool(request["name"], request["arguments"]))
            except McpError as error:
                return {"rpcError": {"code": error.error.code, "message": error.error.message}}
        case "heard":
            return await ears.wait(request["beyond"], request["seconds"])
    raise ValueError(request)


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main() -> None:
    ears = Ears()
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=httpx.Timeout(60), follow_redirects=True) as http,
        streamable_http_client(os.environ["MCP_URL"], http_client=http) as (reads, writes, session_id),
        mcp.ClientSession(reads, writes, message_handler=None if "MCP_DEAF" in os.environ else ears) as session,
    ):
        initialized = await session.initialize()
        say({"protocol": initialized.protocolVersion, "hasSession": session_id() is not None})
        while line := await asyncio.to_thread(sys.stdin.readline):
            say(await obey(session, ears, json.loads(line)))


def say(value: Any) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
