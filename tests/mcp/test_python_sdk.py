"""The official Python SDK's client, in both eras, against the door on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from chalicelib.model import AskAnswer
from chalicelib.services.deps import Deps

from .conftest import PERSON
from .harness import Harness
from .loopback import serving
from .persons import MAKES, answer_newest

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
async def connected(
    url: str, harness: Harness, mode: Mode, heard: list[Any], opens: ElicitationFnT | None = None
) -> AsyncIterator[Client]:
    """`opens`: what the client does when it is asked to open a page."""

    async def on_message(message: Any) -> None:
        heard.append(message)

    headers = {"Authorization": f"Bearer {harness.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE_SECONDS) as http,
        Client(
            streamable_http_client(url, http_client=http),
            mode=mode,
            message_handler=on_message,
            elicitation_callback=opens,
        ) as client,
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


Said = Literal["accept", "decline", "cancel"]


def opens_with(opened: list[str], *, said: Said, then: Callable[[], object] = lambda: None) -> ElicitationFnT:
    """A client that shows the page of an elicitation to its person: `then` is what they do there."""

    async def show(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        opened.append(params.url)
        then()
        return types.ElicitResult(action=said)

    return show


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
async def test_a_client_that_opens_the_page_gets_the_tools_answer_once_the_person_allowed(
    url: str, harness: Harness, mode: Mode
) -> None:
    harness.publish("make", MAKES)
    opened: list[str] = []
    allow = partial(answer_newest, harness.deps, PERSON, AskAnswer.ALLOWED)
    with anyio.fail_after(PATIENCE_SECONDS):
        async with connected(url, harness, mode, [], opens_with(opened, said="accept", then=allow)) as client:
            made = await client.call_tool("demo__make", {"text": "x"})
            assert made.structured_content == {"made": "x"}
            assert (await client.call_tool("demo__make", {"text": "y"})).structured_content == {"made": "y"}
    assert len(opened) == 1


@pytest.mark.anyio
@pytest.mark.parametrize(("said", "times"), [("accept", 3), ("decline", 1), ("cancel", 1)])
async def test_a_client_whose_person_does_not_answer_at_once_gets_the_link_and_no_error(
    url: str, harness: Harness, said: Said, times: int
) -> None:
    harness.publish("make", MAKES)
    opened: list[str] = []
    with anyio.fail_after(PATIENCE_SECONDS):
        async with connected(url, harness, "2026-07-28", [], opens_with(opened, said=said)) as client:
            waiting = await client.call_tool("demo__make", {"text": "x"})
    assert opened == [waiting.structured_content["url"]] * times
    assert (waiting.is_error, waiting.structured_content["status"]) == (False, "awaiting_approval")


@pytest.mark.anyio
async def test_in_the_handshake_era_no_page_is_opened_and_the_link_is_in_the_answer(url: str, harness: Harness) -> None:
    harness.publish("make", MAKES)
    opened: list[str] = []
    with anyio.fail_after(PATIENCE_SECONDS):
        async with connected(url, harness, "legacy", [], opens_with(opened, said="accept")) as client:
            waiting = await client.call_tool("demo__make", {"text": "x"})
    assert (opened, waiting.structured_content["status"]) == ([], "awaiting_approval")
