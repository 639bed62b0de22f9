"""HTTP as the door sees it: plain values, so that any server can stand in front of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

JSON: Final = {"Content-Type": "application/json", "Cache-Control": "no-store"}
EVENT_STREAM: Final = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request to `/mcp`. Header names are lower case; the body is at most what the platform lets through."""

    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    """Ignored by the door: a client that adds `?v=2` gets what it would get without."""
    body: bytes = b""
    id: str = ""
    """The gateway's id of this request; empty: the door makes one."""

    def header(self, name: str) -> str | None:
        """The header's value without surrounding white space (RFC 9110 §5.5); None: not sent."""
        value = self.headers.get(name)
        return value.strip() if value is not None else None

    def accepts_event_stream(self) -> bool:
        """Whether the client says that it reads `text/event-stream`; `*/*` does not say so."""
        return "text/event-stream" in self.headers.get("accept", "").lower()


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A finished answer. The body is ASCII: JSON with escapes, or events that carry it."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


def json_response(body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    return HttpResponse(status, {**JSON, **(headers or {})}, body)


def event_stream(body: bytes) -> HttpResponse:
    return HttpResponse(200, EVENT_STREAM, body)
