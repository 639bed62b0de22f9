"""What a POST has to show before it is looked at: that it comes from a page of ours, in this browser."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from .http import PageRequest

if TYPE_CHECKING:
    from chalicelib.services.logins import SignedIn

FORM_TOKEN: Final = "form_token"  # noqa: S105  # the field's name
_BROWSER_KEY: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_PURPOSE: Final = b"graft console form before a sign-in 1"


class Forbidden(Exception):
    """This form was not sent by a page of ours in this browser."""


def require_own_origin(request: PageRequest, public_base_url: str) -> None:
    """Raise `Forbidden` unless a page of ours sent this.

    Under `Referrer-Policy: no-referrer` a browser says `Origin: null` of its own pages, too; then, as when it sends
    none, it must have said that the request is of the same origin (Fetch Metadata).
    """
    origin = request.header("origin")
    if origin in ("", "null"):
        if request.header("sec-fetch-site") != "same-origin":
            raise Forbidden
        return
    if origin.lower() not in (request.origin.lower(), origin_of(public_base_url).lower()):
        raise Forbidden


def require_form_token(sent: str, signed_in: SignedIn | None, browser_key: str) -> None:
    """Raise `Forbidden` unless the form carries the token of this browser, signed in or not."""
    if signed_in is not None and signed_in.owns(sent):
        return
    if is_browser_key(browser_key) and hmac.compare_digest(form_token_of(browser_key).encode(), sent.encode()):
        return
    raise Forbidden


def form_token_of(browser_key: str) -> str:
    """What a form carries while nobody is signed in."""
    return hmac.digest(browser_key.encode(), _PURPOSE, hashlib.sha256).hex()[:32]


def is_browser_key(value: str) -> bool:
    return _BROWSER_KEY.fullmatch(value) is not None


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
