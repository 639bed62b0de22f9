"""The headers that every page goes out with."""

from __future__ import annotations

from typing import Final

from .http import PageRequest, PageResponse

CONTENT: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
POINTERS: Final = ("/a/", "/in/")
"""Paths that a link alone leads to: no address of theirs goes out as a referrer, to ourselves included."""


def guarded(request: PageRequest, response: PageResponse) -> PageResponse:
    is_pointer = request.path.startswith(POINTERS)
    headers = {
        "Content-Security-Policy": CONTENT,
        "Referrer-Policy": "no-referrer" if is_pointer else "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
    body = "" if request.method == "HEAD" else response.body
    return PageResponse(response.status, headers | dict(response.headers), body, response.cookies)
