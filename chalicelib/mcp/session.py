"""The MCP session token: what one client negotiated, in words that any process can verify.

It carries no authority: whoever shows it shows the bearer token that it was made under, too (`sealed`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from . import sealed
from .versions import HANDSHAKE

PURPOSE: Final = b"graft mcp session 1"
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
    return sealed.seal(fields, bearer, PURPOSE)


def find_session(token: str | None, bearer: str) -> Session | None:
    """The session that this token names; None: unknown, forged, or made under another bearer token."""
    fields: list[Any] | None = sealed.find_sealed(token, bearer, PURPOSE)
    if fields is None:
        return None
    session = Session(*fields)
    return session if session.version in HANDSHAKE else None
