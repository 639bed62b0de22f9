"""A harness as the door sees it: HTTP requests of either era, and what their answers hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from chalicelib.mcp.catalogue import GRAFT, Catalogue
from chalicelib.mcp.door import handle
from chalicelib.mcp.http import HttpRequest, HttpResponse
from chalicelib.services.deps import Deps

from .protocol import check_message

STATELESS: Final = "2026-07-28"
HANDSHAKE: Final = ("2025-03-26", "2025-06-18", "2025-11-25")
BOTH_KINDS: Final = "application/json, text/event-stream"
ENVELOPE: Final = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True)
class Harness:
    """One agent's harness. `session` is what it says in `Mcp-Session-Id`, if anything."""

    deps: Deps
    token: str
    version: str | None = None
    session: str | None = None
    accept: str = BOTH_KINDS
    pause: Callable[[float], None] = field(default=lambda _: None)
    catalogue: Catalogue = GRAFT

    def send(self, method: str, body: bytes = b"", **headers: str | None) -> HttpResponse:
        """One HTTP request. Header names are given with underscores; None leaves one out."""
        wanted: dict[str, str | None] = {
            "authorization": f"Bearer {self.token}",
            "accept": self.accept,
            "content-type": "application/json",
            "host": "127.0.0.1:8765",
            "mcp-protocol-version": self.version,
            "mcp-session-id": self.session,
        }
        wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in wanted.items() if value is not None}
        request = HttpRequest(method, "/mcp", sent, body=body)
        response = handle(self.deps, request, pause=self.pause, catalogue=self.catalogue)
        return _checked(response, method, body, sent.get("mcp-protocol-version"))

    def post(self, message: Any, **headers: str | None) -> HttpResponse:
        return self.send("POST", json.dumps(message).encode(), **headers)

    def ask(self, method: str, params: Mapping[str, Any] | None = None, **headers: str | None) -> HttpResponse:
        """A request of the handshake era."""
        return self.post(request(method, params), **headers)

    def ask_stateless(self, method: str, params: Mapping[str, Any] | None = None, **headers: str | None) -> Any:
        """A request of the stateless era, headers and envelope as they should be unless given otherwise."""
        params = {"_meta": ENVELOPE, **(params or {})}
        given: dict[str, str | None] = {"mcp_protocol_version": STATELESS, "mcp_method": method}
        if isinstance(params.get("name"), str):
            given["mcp_name"] = params["name"]
        return self.post(request(method, params), **(given | headers))

    def opened(self, version: str = "2025-11-25") -> Harness:
        """This harness with a session."""
        response = self.ask("initialize", initialize_params(version))
        return replace(self, version=version, session=response.headers["Mcp-Session-Id"])

    def call(self, name: str, arguments: Any = None) -> Any:
        """The structured answer of a tool, whether it came as JSON or as events."""
        return result_of(self.ask("tools/call", {"name": name, "arguments": arguments or {}}))["structuredContent"]

    def tools(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = result_of(self.ask("tools/list"))["tools"]
        return tools

    def tool_names(self) -> list[str]:
        return [tool["name"] for tool in self.tools()]

    def publish(self, name: str, source: str = "def run(input, http):\n    return input\n", **more: Any) -> Any:
        draft = {"vendor": "demo", "name": name, "description": f"{name} of demo", "source": source}
        return self.call("publish_tool", {"inputSchema": {"type": "object"}, **draft, **more})


def _checked(response: HttpResponse, method: str, body: bytes, version: str | None) -> HttpResponse:
    """The response, once everything in it is a message of the protocol and a clean HTTP answer."""
    assert 200 <= response.status < 500
    assert all(isinstance(value, str) and value.isascii() for value in response.headers.values())
    if not response.body:
        return response
    assert response.body.isascii()
    answered = _method_answered(body)
    known = STATELESS if version == STATELESS and answered != "initialize" else HANDSHAKE[-1]
    for message in messages_of(response):
        for one in message if isinstance(message, list) else [message]:
            check_message(one, method=answered, version=known)
    return response


def _method_answered(body: bytes) -> str:
    """The method of a well-formed request; of anything else, one whose results are not typed."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return "ping"
    return str(message["method"]) if isinstance(message, dict) and "method" in message else "ping"


def request(method: str, params: Mapping[str, Any] | None = None, *, id: int | str = 1) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    return message if params is None else message | {"params": params}


def initialize_params(version: str = "2025-11-25") -> dict[str, Any]:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}


def is_events(response: HttpResponse) -> bool:
    return response.headers.get("Content-Type") == "text/event-stream"


def messages_of(response: HttpResponse) -> list[Any]:
    """The JSON-RPC messages of an answer, in order."""
    if not is_events(response):
        return [json.loads(response.body)]
    lines = response.body.decode("ascii").splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ") and line[6:]]


def methods_of(response: HttpResponse) -> list[str]:
    """The notifications of an answer by method, and `result` or `error` for a response."""
    return [message.get("method") or ("error" if "error" in message else "result") for message in messages_of(response)]


def result_of(response: HttpResponse) -> dict[str, Any]:
    """The result with which an answer ends."""
    last = messages_of(response)[-1]
    assert "result" in last, last
    result: dict[str, Any] = last["result"]
    return result


def error_of(response: HttpResponse) -> dict[str, Any]:
    last = messages_of(response)[-1]
    assert "error" in last, last
    error: dict[str, Any] = last["error"]
    return error
