"""SECURITY.md names tests; a promise whose test is gone is a promise that nobody keeps."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", (ROOT / "SECURITY.md").read_text())))


def names_in(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)}


@pytest.mark.parametrize("named", NAMED)
def test_every_test_that_the_page_names_is_there(named: str) -> None:
    file, _, name = named.partition("::")
    path = ROOT / file
    assert path.is_file()
    found = names_in(path)
    assert any(one.startswith(("test", "Test")) for one in found)
    assert not name or name in found


def test_the_page_names_the_table_of_addresses_and_the_planted_secrets() -> None:
    assert "tests/proxy/test_ssrf.py::test_the_ssrf_table" in NAMED
    assert "tests/logs/test_secrets.py::test_no_secret_is_written_to_standard_output_or_error" in NAMED
