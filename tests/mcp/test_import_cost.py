"""What the first `tools/list` of a process has to import: a harness allows it 1.5 s, cold start included."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("pydantic", "mcp_types", "mcp", "jsonschema_rs", "jinja2", "pydantic_monty", "urllib3", "cryptography")
PROBE = f"""
import sys
import chalicelib.mcp.door
from chalicelib.mcp import listing
assert listing.meta_tool_entries()
print(" ".join(name for name in {HEAVY!r} if name in sys.modules))
"""


def test_the_door_lists_without_a_heavy_import() -> None:
    """Report: openclaw/openclaw#137379"""
    ran = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


OF_OURS = ("rules.search", "rules.module_check", "sandbox.runner", "sandbox.type_check", "proxy.proxy", "console")
PROBE_OF_OURS = f"""
import sys, tempfile
import chalicelib.mcp.door
from chalicelib import wiring
with tempfile.TemporaryDirectory() as home:
    wiring.make_deps({{"GRAFT_TABLE": "t", "GRAFT_HOME": home, "GRAFT_AWS_ENDPOINT": "http://127.0.0.1:9"}})
print(" ".join(name for name in {OF_OURS!r} if f"chalicelib.{{name}}" in sys.modules))
"""


def test_nor_does_it_load_what_only_other_requests_use() -> None:
    ran = subprocess.run([sys.executable, "-c", PROBE_OF_OURS], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
