"""Pages of documentation: public, over https, of one site, bounded, and turned into text.

What a page says is somebody else's: nothing here acts on it, and nothing of ours goes with the request.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urljoin, urlsplit

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Page
from chalicelib.proxy.call import Call
from chalicelib.proxy.domains import belong_together
from chalicelib.proxy.headers import ACCEPT_ENCODING, USER_AGENT
from chalicelib.proxy.hosts import HTTPS_PORT, Host, parse_host, parse_hosts, require_name
from chalicelib.proxy.paths import build_target

if TYPE_CHECKING:
    from chalicelib.proxy.transport import Transport, WireAnswer

SECONDS: Final = 10.0
REDIRECTS_MAX: Final = 3
LINKS_MAX: Final = 400
URL_MAX: Final = 2_000
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HEADERS: Final = (
    ("Accept", "text/html, text/plain, text/markdown, application/json;q=0.9"),
    ("Accept-Encoding", ACCEPT_ENCODING),
    ("User-Agent", USER_AGENT),
)
_NO_TEXT: Final = ("image/", "video/", "audio/", "font/", "application/pdf", "application/zip", "application/octet")


class PublicDocuments:
    """`local_hosts`: `host:port` on loopback that may be read, over http; empty on AWS."""

    def __init__(self, *, local_hosts: frozenset[str], transport: Callable[[], Transport] | None = None) -> None:
        self._local = frozenset(parse_hosts(local_hosts))
        self._make_transport = transport or _new_transport

    def read(self, url: str) -> Page:
        """Refuses `host_not_allowed`, `vendor_unreachable`, `response_too_large`, `run_timeout`, and `tool_failed`
        a page that is not there."""
        transport = self._make_transport()
        deadline = time.monotonic() + SECONDS
        try:
            call = self._call(url)
            first = call.host
            for _ in range(REDIRECTS_MAX + 1):
                answer = self._exchange(transport, call, deadline)
                location = answer.header("location") if answer.status in _REDIRECTS else None
                if not location:
                    return self._page(call, first, answer)
                call = self._call(urljoin(_address(call), location))
                if not belong_together(call.host, first):
                    raise Refusal(Reason.HOST_NOT_ALLOWED, "It redirects to another site.")
        finally:
            transport.close()
        raise Refusal(Reason.VENDOR_UNREACHABLE, f"It redirects more than {REDIRECTS_MAX} times.")

    def _exchange(self, transport: Transport, call: Call, deadline: float) -> WireAnswer:
        is_local = call.host in self._local
        return transport.exchange(call, call.headers, is_local=is_local, owner="documents", deadline=deadline)

    def _call(self, url: str) -> Call:
        parts = urlsplit(urldefrag(url[:URL_MAX]).url)
        host = parse_host(parts.netloc, 80 if parts.scheme == "http" else HTTPS_PORT)
        if parts.scheme != "https" and not (parts.scheme == "http" and host in self._local):
            raise Refusal(Reason.HOST_NOT_ALLOWED, "Documentation is read over https only.")
        if host not in self._local:
            require_name(host)
        target = build_target(f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/")
        return Call("GET", parts.scheme, host, target, _HEADERS)

    def _page(self, call: Call, first: Host, answer: WireAnswer) -> Page:
        if answer.status != 200:
            raise Refusal(Reason.TOOL_FAILED, f"It answered with status {answer.status}.")
        kind = (answer.header("content-type") or "").lower()
        if kind.startswith(_NO_TEXT):
            raise Refusal(Reason.TOOL_FAILED, "It is no text.")
        from chalicelib.proxy.body import to_text
        from chalicelib.proxy.html_text import read_html

        text = to_text(answer.body, kind)
        if "html" not in kind and not text.lstrip()[:200].lower().startswith(("<!doctype html", "<html")):
            return Page(_address(call), text)
        words, links = read_html(text)
        return Page(_address(call), words, tuple(self._own_links(call, first, links))[:LINKS_MAX])

    def _own_links(self, call: Call, first: Host, links: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those within the page's site, each once."""
        found: dict[str, str] = {}
        for href, words in links:
            try:
                url = urldefrag(urljoin(_address(call), href)).url
                other = self._call(url)
            except (Refusal, ValueError):
                continue
            if belong_together(other.host, first) and other.target != call.target:
                found.setdefault(url, words)
        return list(found.items())


def _address(call: Call) -> str:
    return f"{call.scheme}://{call.host}{call.target}"


def _new_transport() -> Transport:
    from chalicelib.proxy.transport import Transport

    return Transport()
