"""Which pages may talk to the door, and what browsers are told about it.

Any well-formed origin may, because the door knows no cookie: a page holds nothing until somebody gives it the
bearer token. The wildcard goes out without credentials, and no origin is ever reflected. On a loopback address
a page may have rebound its name to it, so there both Host and Origin must be loopback.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from .http import HttpRequest, HttpResponse

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/\\@?#\x00-\x1f]+", re.IGNORECASE)
"""RFC 6454 §6.2 as browsers and editors send it; `null` is no origin."""

EXPOSED: Final = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
ALLOWED_HEADERS: Final = (
    "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"
)
CORS: Final = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": EXPOSED}
PREFLIGHT: Final = HttpResponse(
    204,
    {
        "Access-Control-Allow-Methods": "GET, POST, DELETE, HEAD, OPTIONS",
        "Access-Control-Allow-Headers": ALLOWED_HEADERS,
        "Access-Control-Max-Age": "86400",
    },
)


def with_cors(response: HttpResponse) -> HttpResponse:
    return HttpResponse(response.status, {**response.headers, **CORS}, response.body)


def is_bad_origin(request: HttpRequest, *, is_loopback: bool) -> bool:
    """Whether to refuse this request before anything else is looked at.

    `is_loopback`: this door serves one machine, on a loopback address.
    """
    origin, host = request.header("origin"), request.header("host")
    if origin is not None and not ORIGIN.fullmatch(origin):
        return True
    if is_loopback and host is not None and not is_loopback_url(f"http://{host}"):
        return True
    return is_loopback and origin is not None and not is_loopback_url(origin)


def is_loopback_url(url: str) -> bool:
    """Whether this http(s) address names the machine itself."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and parts.hostname in LOOPBACK
    except ValueError:
        return False
