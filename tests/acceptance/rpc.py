"""An agent over plain HTTP: for what no MCP client sends, and for calls whose every byte counts."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

Headers: TypeAlias = Mapping[str, str | None]
NO_HEADERS: Final[Headers] = {}
CALL_SECONDS: Final = 40.0
"""Longer than a gateway's: a run that is cut off must be seen to be answered."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def event_id(self) -> str:
        """Where the stream stands, as `Last-Event-ID` brings it back."""
        return next(line.removeprefix("id: ") for line in self.body.decode().splitlines() if line.startswith("id: "))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The JSON-RPC messages in order, whether they came as JSON or as events."""
        if not self.headers.get("content-type", "").startswith("text/event-stream"):
            return [json.loads(self.body)]
        lines = self.body.decode().splitlines()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ") and line[6:]]

    @property
    def notifications(self) -> list[str]:
        return [message["method"] for message in self.messages if "method" in message]

    @property
    def result(self) -> dict[str, Any]:
        last = self.messages[-1]
        assert "result" in last, last
        result: dict[str, Any] = last["result"]
        return result

    @property
    def error(self) -> dict[str, Any]:
        last = self.messages[-1]
        assert "error" in last, last
        error: dict[str, Any] = last["error"]
        return error


@dataclass(frozen=True)
class Agent:
    """One agent of the running Graft, with its token."""

    name: str
    id: str
    url: str
    token: str = field(repr=False)

    def send(self, method: str, body: bytes | None = None, *, path: str = "", headers: Headers = NO_HEADERS) -> Answer:
        """One HTTP request on a connection of its own. A header that is None is left out."""
        wanted: Headers = {
            "authorization": f"Bearer {self.token}",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            **headers,
        }
        address = urlsplit(self.url)
        assert address.hostname is not None
        with closing(http.client.HTTPConnection(address.hostname, address.port, timeout=CALL_SECONDS)) as connection:
            sent = {name: value for name, value in wanted.items() if value is not None}
            connection.request(method, path or address.path, body=body, headers=sent)
            response = connection.getresponse()
            answered = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, answered, response.read())

    def ask(self, method: str, params: Mapping[str, Any] | None = None, *, headers: Headers = NO_HEADERS) -> Answer:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.send("POST", json.dumps(message).encode(), headers=headers)

    def call_raw(self, tool: str, /, **arguments: Any) -> Answer:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """The structured answer of a tool that answered without an error."""
        result = self.call_raw(tool, **arguments).result
        assert result["isError"] is False, result
        return result["structuredContent"]

    def refused(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The refusal of a tool that refused."""
        result = self.call_raw(tool, **arguments).result
        assert result["isError"] is True, result
        refusal: dict[str, Any] = result["structuredContent"]
        assert refusal["error"] == "refused", refusal
        assert refusal["message"], refusal
        return refusal

    def tools(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = self.ask("tools/list").result["tools"]
        return tools

    def authored(self) -> list[str]:
        """The wire names of the authored tools in the list, in list order."""
        return [tool["name"] for tool in self.tools() if "__" in tool["name"]]

    def promote(self, wire_name: str) -> dict[str, Any]:
        vendor, _, name = wire_name.partition("__")
        promoted: dict[str, Any] = self.call("promote", vendor=vendor, name=name)
        return promoted

    def run(self, wire_name: str, /, **arguments: Any) -> Any:
        vendor, _, name = wire_name.partition("__")
        return self.call("run_tool", vendor=vendor, name=name, input=arguments)

    def publish(self, wire_name: str, source: str, /, **more: Any) -> dict[str, Any]:
        vendor, _, name = wire_name.partition("__")
        draft = {"vendor": vendor, "name": name, "description": f"{name} of {vendor}", "source": source}
        published: dict[str, Any] = self.call("publish_tool", **{**draft, "inputSchema": {"type": "object"}, **more})
        return published

    def initialize(self, version: str = "2025-11-25") -> Answer:
        client = {"name": "acceptance", "version": "0"}
        return self.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})

    def open_session(self) -> str:
        """The `Mcp-Session-Id` of a new session."""
        return self.initialize().headers["mcp-session-id"]
