"""Fetches the conformance suite into .lab/conformance: `python -m tests.conformance.fetch`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.clients.fetch import LAB, NODE_BIN, ensure, ensure_node, manifests, npm_ci

HERE: Final = Path(__file__).resolve().parent
CONFORMANCE: Final = LAB / "conformance"
PACKAGE: Final = CONFORMANCE / "node_modules" / "@modelcontextprotocol" / "conformance"
SUITE: Final = PACKAGE / "dist" / "index.js"
REQUIREMENTS: Final = PACKAGE / "requirements"
NODE: Final = NODE_BIN / "node"
"""The suite needs a newer one than many machines have."""


def fetch() -> None:
    """Raises `CannotFetch`, which says what is missing."""
    ensure_node()
    ensure(CONFORMANCE, manifests(HERE), "npm", lambda: npm_ci(HERE, CONFORMANCE, path=NODE_BIN))


if __name__ == "__main__":
    fetch()
