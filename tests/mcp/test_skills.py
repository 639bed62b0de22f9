"""The skills say what the meta-tools take and answer, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chalicelib.errors import Reason
from chalicelib.mcp.catalogue import META_TOOLS
from chalicelib.rules.schema import find_misfits

from .harness import Harness

SKILLS = sorted((Path(__file__).resolve().parents[2] / "skills").glob("*/graft/SKILL.md"))
OFFERED_AS = {"hermes": "mcp__graft__", "openclaw": "graft__"}
SCHEMAS = {tool.name: tool.input_schema for tool in META_TOOLS}
CODE = re.compile(r"`([^`\n]+)`")
CALL = re.compile(r"`(\w+) (\{[^`]*\})`", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]+")
WRITES = "def run(input, http):\n    return http.post('/notes').status\n"
A_DRAFT = {"vendor": "demo", "name": "write", "description": "Writes.", "inputSchema": {"type": "object"}}

by_harness = pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.parts[-3])


def test_each_harness_has_a_skill() -> None:
    assert [path.parts[-3] for path in SKILLS] == sorted(OFFERED_AS)


@by_harness
def test_it_begins_with_what_a_harness_reads(skill: Path) -> None:
    _, head, body = skill.read_text().split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    assert fields["name"] == skill.parent.name
    assert 0 < len(fields["description"]) <= (160 if "openclaw" in skill.parts else 1024)
    assert ": " not in fields["description"], "YAML would read a mapping"
    assert len(body) < 5_000, "a model reads all of it"


@by_harness
@pytest.mark.parametrize("name", SCHEMAS)
def test_it_mentions_every_meta_tool_that_is_listed(skill: Path, name: str) -> None:
    assert re.search(rf"`{name}\b", skill.read_text())


@by_harness
def test_every_call_it_shows_fits_the_meta_tool(skill: Path) -> None:
    shown = [(name, json.loads(arguments)) for name, arguments in CALL.findall(skill.read_text())]
    shown = [inner_call(name, arguments) for name, arguments in shown]
    assert len(shown) >= 5
    for name, arguments in shown:
        assert find_misfits(SCHEMAS[name], arguments) == [], (name, arguments)


def inner_call(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What OpenClaw's own tool_call reaches."""
    if name != "tool_call":
        return name, arguments
    return arguments["id"].removeprefix(OFFERED_AS["openclaw"]), arguments["args"]


@by_harness
def test_every_word_that_it_quotes_is_a_tool_a_field_or_a_reason(skill: Path, answered: set[str]) -> None:
    text = skill.read_text()
    known = set(SCHEMAS) | {str(reason) for reason in Reason} | answered
    known |= {field for schema in SCHEMAS.values() for field in schema["properties"]}
    quoted = {word for word in CODE.findall(text) if WORD.fullmatch(word)}
    assert (
        quoted - known - {"awaiting_", OFFERED_AS["hermes"], OFFERED_AS["openclaw"]} - prefixed(skill, known) == set()
    )


def prefixed(skill: Path, known: set[str]) -> set[str]:
    """The names as this harness offers them."""
    return {OFFERED_AS[skill.parts[-3]] + name for name in known | {"demo__list_notes"}}


@pytest.fixture
def answered(new_harness: Callable[[str], Harness]) -> set[str]:
    """Every field of the answers that the skills speak of, as Graft gives them."""
    harness = new_harness("reader")
    answers = [
        harness.call("publish_tool", {**A_DRAFT, "source": WRITES}),
        harness.call("find_tool", {"query": "write"}),
        harness.call("promote", {"vendor": "demo", "name": "write"}),
        harness.call("read_tool_source", {"vendor": "demo", "name": "write"}),
        harness.call("run_tool", {"vendor": "demo", "name": "write"}),
        harness.call("promote", {"vendor": "demo", "name": "nothing-like-it"}),
    ]
    waiting = answers[-2]
    assert waiting["status"].startswith("awaiting_")
    return {name for answer in answers for name in answer} | {"retryAfterSeconds"}
