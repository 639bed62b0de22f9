"""The MCP session token: what one client negotiated, in words that any process can verify.

It is signed with a key derived from the bearer token the client presents, so it dies with that token and a stolen
table forges none, and the key names the agent. It carries no authority: whoever shows it shows the bearer token too.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .versions import HANDSHAKE

PURPOSE: Final = b"graft mcp session 1"
MAC_BYTES: Final = 16
TOKEN_CHARACTERS_MAX: Final = 512
CAPABILITIES: Final = (("elicitation",), ("elicitation", "form"), ("elicitation", "url"), ("sampling",), ("roots",))
"""A client capability's bit is its place here."""


@dataclass(frozen=True, slots=True)
class Session:
    """One `initialize`, and the list's revisions at that time."""

    id: str
    version: str
    capabilities: int
    list_revision: int
    toolbox_revision: int


def capability_bits(declared: object) -> int:
    """The client capabilities that a later request may need, as bits. Anything malformed declares nothing."""
    return sum(1 << place for place, path in enumerate(CAPABILITIES) if _declares(declared, path))


def _declares(declared: object, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(declared, Mapping) or not isinstance(declared.get(key), Mapping):
            return False
        declared = declared[key]
    return True


def seal(session: Session, bearer: str) -> str:
    """The `Mcp-Session-Id` of this session: visible ASCII, about 100 characters."""
    fields = [
        session.id,
        session.version,
        session.capabilities,
        session.list_revision,
        session.toolbox_revision,
    ]
    payload = _text(json.dumps(fields, separators=(",", ":")).encode())
    return f"{payload}.{_mac(payload, bearer)}"


def find_session(token: str | None, bearer: str) -> Session | None:
    """The session that this token names; None: unknown, forged, or made under another bearer token."""
    if not token or len(token) > TOKEN_CHARACTERS_MAX or not token.isascii():
        return None
    payload, _, mac = token.partition(".")
    if not hmac.compare_digest(mac, _mac(payload, bearer)):
        return None
    return _session(json.loads(_bytes(payload)))


def _session(fields: list[Any]) -> Session | None:
    session = Session(*fields)
    return session if session.version in HANDSHAKE else None


def _mac(payload: str, bearer: str) -> str:
    """Over the text as it travels, so that one token has one spelling and nothing unsigned is ever decoded."""
    key = hmac.digest(bearer.encode("utf-8", "backslashreplace"), PURPOSE, hashlib.sha256)
    return _text(hmac.digest(key, payload.encode("ascii"), hashlib.sha256)[:MAC_BYTES])


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
