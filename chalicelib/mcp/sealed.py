"""Small values that travel through a client and come back unchanged.

They are signed with a key derived from the bearer token the client presents, so they die with that token, a stolen
table forges none, and the key names the agent. They can be read by anyone who holds them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any, Final

MAC_BYTES: Final = 16
TOKEN_CHARACTERS_MAX: Final = 512


def seal(value: Any, bearer: str, purpose: bytes) -> str:
    """`value` (plain JSON) as visible ASCII, valid for this bearer token and this purpose alone."""
    payload = _text(json.dumps(value, separators=(",", ":")).encode())
    return f"{payload}.{_mac(payload, bearer, purpose)}"


def find_sealed(token: str | None, bearer: str, purpose: bytes) -> Any:
    """What was sealed; None: unknown, forged, or made under another bearer token or for another purpose."""
    if not token or len(token) > TOKEN_CHARACTERS_MAX or not token.isascii():
        return None
    payload, _, mac = token.partition(".")
    if not hmac.compare_digest(mac, _mac(payload, bearer, purpose)):
        return None
    return json.loads(_bytes(payload))


def _mac(payload: str, bearer: str, purpose: bytes) -> str:
    """Over the text as it travels, so that one token has one spelling and nothing unsigned is ever decoded."""
    key = hmac.digest(bearer.encode("utf-8", "backslashreplace"), purpose, hashlib.sha256)
    return _text(hmac.digest(key, payload.encode("ascii"), hashlib.sha256)[:MAC_BYTES])


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
