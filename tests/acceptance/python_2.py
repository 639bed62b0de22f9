"""The Python SDK 2.x as `driver.py` drives it. `MCP_MODE`: auto, legacy or a stateless revision."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import httpx2
import mcp_types
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

LISTEN_SECONDS = 5.0


class Ears:
    """Counts the list changes that are heard."""

    def __init__(self) -> None:
        self.count = 0
        self._moved = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
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


async def obey(client: Client, ears: Ears, request: dict[str, Any]) -> Any:
    match request["do"]:
        case "list":
            return [_plain(tool) for tool in (await client.list_tools()).tools]
        case "call":
            try:
                return _plain(await client.call_tool(request["name"], request["arguments"]))
            except MCPError as error:
                return {"rpcError": {"code": error.code, "message": error.message}}
        case "heard":
            return await ears.wait(request["beyond"], request["seconds"])
        case "listen":
            return await asyncio.wait_for(listen(client), LISTEN_SECONDS)
    raise ValueError(request)


async def listen(client: Client) -> int:
    """The list changes of one subscription, from its acknowledgement to its end."""
    async with client.listen(tools_list_changed=True) as subscription:
        return len([event async for event in subscription])


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(read_line: Callable[[], str]) -> None:
    ears = Ears()
    headers = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=httpx2.Timeout(60)) as http,
        Client(
            streamable_http_client(os.environ["MCP_URL"], http_client=http),
            mode=os.environ.get("MCP_MODE", "auto"),
            message_handler=None if "MCP_DEAF" in os.environ else ears,
        ) as client,
    ):
        say({"protocol": client.protocol_version, "hasSession": client.protocol_version < "2026"})
        while line := await asyncio.to_thread(read_line):
            say(await obey(client, ears, json.loads(line)))


def say(value: Any) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.stdin.readline))
