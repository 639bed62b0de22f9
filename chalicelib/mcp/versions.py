"""Who serves, and which revisions of the protocol it speaks."""

from __future__ import annotations

from typing import Any, Final

from .words import INSTRUCTIONS

SERVER_NAME: Final = "graft"
SERVER_VERSION: Final = "0.1.0"
"""The one place; a test holds it equal to pyproject.toml."""

STATELESS: Final = "2026-07-28"
HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26")
"""Newest first: the first is what an unknown request to negotiate gets."""
ASSUMED: Final = "2025-03-26"
"""What a request without a version header and without a session speaks."""
BATCHING: Final = "2025-03-26"
"""The one revision that has batches."""
PRIMED: Final = "2025-11-25"
"""Since then an event with an id and empty data is known to every client."""
SUPPORTED: Final = (STATELESS, *HANDSHAKE)

CAPABILITIES: Final[dict[str, Any]] = {"tools": {"listChanged": True}}
SERVER_INFO: Final = {"name": SERVER_NAME, "title": "Graft", "version": SERVER_VERSION}


def initialize_result(version: str) -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER_INFO,
        "instructions": INSTRUCTIONS,
    }


def negotiate(requested: object) -> str:
    """The handshake revision to speak with a client that asked for `requested`."""
    return requested if isinstance(requested, str) and requested in HANDSHAKE else HANDSHAKE[0]
