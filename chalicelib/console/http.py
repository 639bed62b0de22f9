"""HTTP as the console sees it: plain values, so that any server can stand in front of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final

COOKIES_CHARACTERS_MAX: Final = 8192


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request for a page. Header names are lower case; `path` stands below `root`."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    root: str = ""
    """What stands before every path of ours, without a slash at its end: a gateway's stage, such as `/api`."""
    origin: str = ""
    """Where this was reached: scheme and host, such as `https://graft.example`."""
    client: str = ""
    """The caller's network address, as the gateway saw it."""
    id: str = ""
    """The gateway's id of this request."""

    def header(self, name: str) -> str:
        """The header's value without surrounding white space; empty: not sent."""
        return (self.headers.get(name) or "").strip()

    def cookie(self, name: str) -> str:
        """The cookie's value; empty: not sent, or not readable."""
        try:
            found = SimpleCookie(self.header("cookie")[:COOKIES_CHARACTERS_MAX]).get(name)
        except CookieError:
            return ""
        return found.value if found else ""


@dataclass(frozen=True, slots=True)
class PageResponse:
    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    cookies: tuple[str, ...] = ()
    """Values of `Set-Cookie`."""
