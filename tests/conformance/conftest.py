"""The door's fixtures, here too."""

from __future__ import annotations

from tests.mcp.conftest import deps, harness, new_harness, sandbox

__all__ = ["deps", "harness", "new_harness", "sandbox"]
