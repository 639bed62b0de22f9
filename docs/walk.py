"""The main job, as a harness does it. Start `make run`, then: .venv/bin/python docs/walk.py

Speaks to the MCP endpoint with the official Python SDK; what it prints stands in the README.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

HOME = Path(os.environ.get("GRAFT_HOME") or Path(__file__).resolve().parents[1] / ".graft")
SOURCE = """\
def run(input, http):
    notes = http.get("/notes").json()
    words = [len(note["text"].split()) for note in notes]
    return {"notes": len(notes), "words": sum(words), "longest": max(words, default=0)}
"""


async def main() -> None:
    local = read_local()
    headers = {"Authorization": f"Bearer {local['agent_token']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(local["mcp_url"], http_client=http)) as client,
    ):
        await walk(client)


def read_local() -> dict[str, str]:
    """How to connect, if something answers there."""
    try:
        local: dict[str, str] = json.loads((HOME / "local.json").read_text())
        address = urlsplit(local["mcp_url"])
        socket.create_connection((address.hostname or "", address.port or 80), timeout=5).close()
    except OSError:
        sys.exit("Graft is not running. Start it with: make run")
    return local


async def walk(client: Client) -> None:
    await show_list(client)
    found = await call(client, "find_tool", query="notes")
    say(f"find_tool 'notes' → {[(t['tool'], 'promoted' if t['promoted'] else 'not promoted') for t in found['tools']]}")
    listed = await call(client, "demo__list-notes")
    say(f"demo__list-notes → {len(listed['result'])} notes, the first: {listed['result'][0]['text']!r}")
    published = await call(
        client,
        "publish_tool",
        vendor="demo",
        name="count-words",
        description="Count the notes at the demo service and the words in them.",
        inputSchema={"type": "object", "properties": {}},
        source=SOURCE,
        testInput={},
    )
    say(f"publish_tool → version {published['version']}, {published['annotations']}")
    say(f"its test run → {published['dryRun']['result']}")
    say(f"run_tool in the same breath → {await call(client, 'run_tool', vendor='demo', name='count-words')}")
    await show_list(client)
    waiting = await call(client, "run_tool", vendor="demo", name="create-note", input={"text": "Buy bread"})
    say(f"run_tool create-note → {waiting.get('status', waiting)}")
    demoted = await call(client, "demote", vendor="demo", name="count-words")
    say(f"demote → {demoted}")
    await show_list(client)


async def show_list(client: Client) -> None:
    names = [tool.name for tool in (await client.list_tools()).tools]
    say(f"tools/list → {len(names)} tools, promoted: {[name for name in names if '__' in name]}")


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    answer: dict[str, Any] = result.structured_content or {}
    return answer


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    asyncio.run(main())
