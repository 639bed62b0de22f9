"""One text for each harness: what the console shows is what the documentation says and what `make run` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chalicelib.console.snippets import TRY_ANSWER, Snippet, snippets, try_it
from infra.local.run import _welcome

URL = "http://127.0.0.1:8765/mcp"
HARNESSES = (Path(__file__).parents[2] / "docs" / "harnesses.md").read_text()
TOKENS = {"claude": "grft_…"}


@pytest.mark.parametrize("one", snippets(URL, "{token}"), ids=lambda one: str(one.id))
def test_the_documentation_has_each_text(one: Snippet) -> None:
    assert one.text.replace("{token}", TOKENS.get(one.id, "${GRAFT_TOKEN}")) in HARNESSES


def test_the_documentation_has_the_line_that_proves_address_and_token() -> None:
    assert try_it(URL, "$GRAFT_TOKEN") in HARNESSES
    assert TRY_ANSWER in HARNESSES


def test_make_run_prints_each_text() -> None:
    keys = ("mcp_url", "agent_token", "console_url", "sign_in_url", "vendor_url")
    printed = _welcome({key: f"the-{key}" for key in keys}, "none")
    for one in snippets("the-mcp_url", "the-agent_token"):
        assert one.text in "\n".join(line.removeprefix("  ") for line in printed.splitlines())


@pytest.mark.parametrize(
    "one", [one for one in snippets(URL, "t") if one.id in ("openclaw", "any")], ids=lambda one: one.id
)
def test_what_is_json_is_json(one: Snippet) -> None:
    servers = json.loads(one.text)
    text = json.dumps(servers)
    assert URL in text
    assert "Bearer t" in text
