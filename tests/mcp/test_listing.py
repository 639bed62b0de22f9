"""`tools/list`: its order, its bytes, and what may not spoil it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chalicelib.mcp.listing import without_header_marks
from chalicelib.model import ToolCard
from chalicelib.services import working_set
from chalicelib.services.deps import Deps
from chalicelib.services.working_set import Listing

from .harness import Harness, error_of

META_TOOL_ORDER = [
    "find_tool",
    "promote",
    "demote",
    "run_tool",
    "check_tool",
    "publish_tool",
    "read_tool_source",
    "request_connection",
    "request_credential",
    "acquire",
    "acquire_status",
]
HINTS = {
    "find_tool": (True, False),
    "promote": (False, False),
    "demote": (False, False),
    "run_tool": (False, True),
    "check_tool": (True, False),
    "publish_tool": (False, False),
    "read_tool_source": (True, False),
    "request_connection": (False, False),
    "request_credential": (False, False),
    "acquire": (False, False),
    "acquire_status": (True, False),
}


def test_meta_tools_come_in_their_fixed_order_then_tools_by_promotion(harness: Harness) -> None:
    for name in ("b", "c", "a"):
        harness.publish(name)
    harness.call("demote", {"vendor": "demo", "name": "b"})
    harness.call("promote", {"vendor": "demo", "name": "b"})
    assert harness.tool_names() == [*META_TOOL_ORDER, "demo__c", "demo__a", "demo__b"]


def test_every_tool_has_both_hints_an_object_schema_with_properties_and_no_output_schema(harness: Harness) -> None:
    """Report: xpzouying/xiaohongshu-mcp#677"""
    harness.publish("bare", inputSchema={"type": "object"})
    for tool in harness.tools():
        assert set(tool) == {"name", "description", "inputSchema", "annotations"}
        assert set(tool["annotations"]) == {"readOnlyHint", "destructiveHint"}
        assert tool["inputSchema"]["type"] == "object"
        assert isinstance(tool["inputSchema"]["properties"], dict)


def test_meta_tools_have_the_hints_of_the_contract(harness: Harness) -> None:
    listed = {
        t["name"]: (t["annotations"]["readOnlyHint"], t["annotations"]["destructiveHint"]) for t in harness.tools()
    }
    assert listed == HINTS


def test_meta_tools_forbid_unknown_properties(harness: Harness) -> None:
    assert all(tool["inputSchema"]["additionalProperties"] is False for tool in harness.tools())


def test_the_same_facts_are_the_same_bytes_in_every_process(deps: Deps, harness: Harness) -> None:
    """Report: langchain-ai/deepagents#2497"""
    for name in ("b", "a"):
        harness.publish(name)
    elsewhere = replace(harness, deps=replace(deps, caches=type(deps.caches)()))
    assert harness.ask("tools/list").body == elsewhere.ask("tools/list").body == harness.ask("tools/list").body


def test_a_new_tool_goes_last_so_that_the_prefix_survives(harness: Harness) -> None:
    """Report: anthropics/claude-code#92033"""
    harness.publish("m")
    before = harness.ask("tools/list").body
    harness.publish("a")
    assert harness.ask("tools/list").body.startswith(before.removesuffix(b"]}}"))


def test_a_new_version_is_listed_at_once_in_its_old_place(harness: Harness) -> None:
    harness.publish("one")
    harness.publish("two")
    harness.publish("one", description="One, better.")
    assert [tool["description"] for tool in harness.tools()[-2:]] == ["One, better.", "two of demo"]


@pytest.mark.parametrize("cursor", ["x", 7, ["x"], True])
def test_there_is_one_page(harness: Harness, cursor: object) -> None:
    assert error_of(harness.ask("tools/list", {"cursor": cursor}))["code"] == -32602


@pytest.mark.parametrize("params", [None, {}, {"cursor": None}, {"cursor": ""}, {"_meta": {"progressToken": 1}}])
def test_and_it_is_the_first(harness: Harness, params: dict[str, object] | None) -> None:
    assert "tools" in str(harness.ask("tools/list", params).body)


def test_a_tool_that_is_no_json_is_left_out_and_logged(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sound = ToolCard("demo", "sound", 1, "Sound.", {"type": "object"}, frozenset())
    broken = replace(sound, name="broken", input_schema={"type": "object", "default": float("nan")})
    monkeypatch.setattr(working_set, "listing", lambda *_: Listing((broken, sound), ()))
    assert harness.tool_names()[-1:] == ["demo__sound"]
    assert "demo__broken" not in harness.tool_names()
    assert "demo__broken" in caplog.text


def test_an_argument_is_never_marked_to_travel_in_a_header() -> None:
    marked = {
        "properties": {
            "token": {"type": "string", "x-mcp-header": "Token"},
            "x-mcp-header": {"type": "string"},
            "deep": {"anyOf": [{"type": "string", "x-mcp-header": "Deep"}]},
        }
    }
    assert without_header_marks(marked) == {
        "properties": {
            "token": {"type": "string"},
            "x-mcp-header": {"type": "string"},
            "deep": {"anyOf": [{"type": "string"}]},
        }
    }
