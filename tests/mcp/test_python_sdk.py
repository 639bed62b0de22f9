"""The official Python SDK's client, in both eras, against the door on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from chalicelib.services.deps import Deps

from .harness import Harness
from .loopback import serving

Mode = Literal["auto", "legacy", "2026-07-28"]
MODES: list[Mode] = ["auto", "legacy", "2026-07-28"]
PATIENCE_SECONDS = 20
SOURCE = "def run(input, http):\n    return [input['n'], 'ñ']\n"
DRAFT = {
    "vendor": "demo",
    "name": "one",
    "description": "One.",
    "source": SOURCE,
    "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def url(deps: Deps) -> Iterator[str]:
    sooner = replace(deps, settings=replace(deps.settings, sse_retry_ms=50))
    with serving(sooner) as address:
        yield address


@asynccontextmanager
async def connected(url: str, harness: Harness, mode: Mode, heard: list[Any]) -> AsyncIterator[Client]:
    async def on_message(message: Any) -> None:
        heard.append(message)

    headers = {"Authorization": f"Bearer {harness.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, message_handler=on_message) as client,
    ):
        yield client


def list_changes(heard: list[Any]) -> int:
    return sum(isinstance(message, types.ToolListChangedNotification) for message in heard)


async def names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_tool_is_published_run_in_the_same_breath_listed_called_and_demoted(
    url: str, harness: Harness, mode: Mode
) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        async with connected(url, harness, mode, []) as client:
            assert "demo__one" not in await names(client)
            published = await client.call_tool("publish_tool", DRAFT)
            assert published.structured_content["promoted"] is True
            ran = await client.call_tool("run_tool", {"vendor": "demo", "name": "one", "input": {"n": 1}})
            assert ran.structured_content == {"result": [1, "ñ"]}
            assert (await names(client))[-1] == "demo__one"
            first_class = await client.call_tool("demo__one", {"n": 2})
            assert first_class.structured_content == {"result": [2, "ñ"]}
            await client.call_tool("demote", {"vendor": "demo", "name": "one"})
            assert "demo__one" not in await names(client)


@pytest.mark.anyio
@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_the_newest_revision_of_the_mode_is_agreed_on(
    url: str, harness: Harness, mode: Mode, version: str
) -> None:
    async with connected(url, harness, mode, []) as client:
        assert client.protocol_version == version


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_call_of_an_unknown_tool_is_an_error_that_says_what_to_do(
    url: str, harness: Harness, mode: Mode
) -> None:
    async with connected(url, harness, mode, []) as client:
        with pytest.raises(MCPError, match="find_tool"):
            await client.call_tool("demo__nope", {})


@pytest.mark.anyio
async def test_in_the_handshake_era_a_change_is_heard_with_the_answer(url: str, harness: Harness) -> None:
    heard: list[Any] = []
    async with connected(url, harness, "legacy", heard) as client:
        await client.list_tools()
        heard.clear()
        await client.call_tool("publish_tool", DRAFT)
        assert list_changes(heard) >= 1


@pytest.mark.anyio
async def test_in_the_handshake_era_a_change_made_elsewhere_is_heard_by_polling(url: str, harness: Harness) -> None:
    heard: list[Any] = []
    with anyio.fail_after(PATIENCE_SECONDS):
        async with (
            connected(url, harness, "legacy", heard) as client,
            connected(url, harness, "2026-07-28", []) as elsewhere,
        ):
            await client.list_tools()
            while not list_changes(heard):
                await anyio.sleep(0.01)
            heard.clear()
            await elsewhere.call_tool("publish_tool", DRAFT)
            while not list_changes(heard):
                await anyio.sleep(0.01)


@pytest.mark.anyio
async def test_in_the_stateless_era_a_subscription_is_acknowledged_and_ends_gracefully(
    url: str, harness: Harness
) -> None:
    with anyio.fail_after(PATIENCE_SECONDS):
        async with (
            connected(url, harness, "2026-07-28", []) as client,
            client.listen(tools_list_changed=True) as subscription,
        ):
            assert subscription.honored.tools_list_changed is True
            assert [event async for event in subscription] == []
