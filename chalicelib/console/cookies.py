"""The console's two cookies: who is signed in, and which browser a form without a sign-in came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie of this address: to the console only, to no script, and over TLS only unless it is this machine's."""

    name: str
    is_secure: bool

    def set(self, value: str, *, seconds: int | None = None) -> str:
        """A `Set-Cookie` value. `seconds` None: until the browser is closed."""
        ends = "" if seconds is None else f"; Max-Age={seconds}"
        secure = "; Secure" if self.is_secure else ""
        return f"{self.name}={value}; HttpOnly; SameSite=Lax; Path=/{ends}{secure}"

    def clear(self) -> str:
        return self.set("", seconds=0)


def login_cookie(origin: str) -> Cookie:
    return _cookie("graft", origin)


def form_cookie(origin: str) -> Cookie:
    """Before anybody is signed in: ties a form to the browser that it was sent to."""
    return _cookie("graft-form", origin)


def _cookie(name: str, origin: str) -> Cookie:
    """`__Host-` keeps other names of the domain from setting it (RFC 6265bis, 4.1.3). A loopback address shares its
    cookies among all ports, so there the port is in the name."""
    if not is_loopback_http(origin):
        return Cookie(f"__Host-{name}", is_secure=True)
    port = urlsplit(origin).port or 80
    return Cookie(f"{name}-{port}", is_secure=False)


def is_loopback(url: str) -> bool:
    """Whether this address is reached from its own machine only."""
    try:
        return urlsplit(url).hostname in LOOPBACK
    except ValueError:
        return False


def is_loopback_http(url: str) -> bool:
    return is_loopback(url) and url.startswith("http://")
