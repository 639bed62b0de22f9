"""The words a model reads, and what they cost."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from chalicelib.mcp import listing, versions, words
from chalicelib.mcp.catalogue import META_TOOLS
from chalicelib.proxy.schemes import SCHEMES

from .harness import Harness

ROOT = Path(__file__).resolve().parents[2]
SHORTEST_CUT = 1_200
"""After so many characters OpenClaw 2026.9.6 cuts a tool's description."""
DESCRIPTIONS = {tool.name: tool.description for tool in META_TOOLS}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (words.INSTRUCTIONS, "call find_tool first, always before acquire"),
        (words.FIND_TOOL, "Call find_tool first whenever no listed tool fits the job, always before acquire"),
        (words.ACQUIRE, "Call find_tool before acquire"),
        (words.PUBLISH_TOOL, "Call find_tool first"),
        (words.REQUEST_CONNECTION, "find_tool's connections do not list"),
    ],
)
def test_each_alone_puts_find_tool_first(text: str, told: str) -> None:
    assert told in text


def test_the_descriptions_alone_tell_the_whole_way() -> None:
    assert "promote the tool if it will be used again" in DESCRIPTIONS["find_tool"]
    assert "run_tool it for once" in DESCRIPTIONS["find_tool"]
    assert "done with" in DESCRIPTIONS["demote"]
    for name in ("run_tool", "request_connection", "request_credential", "acquire"):
        assert "url to the person exactly as it is" in DESCRIPTIONS[name]
        assert "repeat the same call" in DESCRIPTIONS[name]
    for name in ("publish_tool", "request_connection", "request_credential", "acquire"):
        assert "in chat" in DESCRIPTIONS[name]


def test_a_model_learns_to_write_a_module_from_publish_tool_alone() -> None:
    fields = next(tool.input_schema["properties"] for tool in META_TOOLS if tool.name == "publish_tool")
    told = DESCRIPTIONS["publish_tool"] + "".join(field.get("description", "") for field in fields.values())
    for needed in ("def run(input, http):", "raise_for_status()", "relative", "25 s", "previewed", "root type object"):
        assert needed in told
    for method in ("get", "head", "post", "put", "patch", "delete"):
        assert method in told


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_no_harness_cuts_a_description(name: str) -> None:
    assert len(DESCRIPTIONS[name]) <= SHORTEST_CUT


def test_names_are_unlike_each_other_and_fit_every_harness() -> None:
    names = list(DESCRIPTIONS)
    assert len({name[:5] for name in names} | {"acquire_status"}) >= len(names) - 1
    assert all(len("mcp__graft__" + name) <= 64 for name in names)


def test_the_fixed_part_of_every_list_is_small() -> None:
    assert len(listing.meta_tool_entries()) < 10_500


def test_a_connection_can_be_asked_for_in_every_scheme_the_proxy_knows_and_no_secret_with_it() -> None:
    taken = next(tool.input_schema["properties"] for tool in META_TOOLS if tool.name == "request_connection")
    assert taken["scheme"]["enum"] == list(SCHEMES)
    fields = [field.name for scheme in SCHEMES.values() for field in scheme.config]
    assert list(taken["schemeConfig"]["properties"]) == fields
    secrets = {field.name for scheme in SCHEMES.values() for field in scheme.secret}
    assert not secrets & {*taken, *taken["schemeConfig"]["properties"]}
    for name in fields:
        assert name in taken["schemeConfig"]["description"]


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == versions.SERVER_VERSION


def test_the_example_and_the_imports_it_names_pass_the_check(harness: Harness) -> None:
    told = DESCRIPTIONS["publish_tool"]
    example = told[told.index("def run(") : told.index("\n\nhttp.get")]
    assert harness.call("check_tool", {"source": example + "\n"})["problems"] == []
    imports = told[told.index("Imports: ") + len("Imports: ") : told.index(" and the like")]
    module = f"import {imports}\n\n\ndef run(input, http):\n    return None\n"
    assert harness.call("check_tool", {"source": module})["problems"] == []
