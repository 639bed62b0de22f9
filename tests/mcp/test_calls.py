"""`tools/call`: what each meta-tool answers, and what a tool called by its own name does."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.errors import Conflict
from chalicelib.mcp.catalogue import META_TOOLS
from chalicelib.services import approvals, toolbox, working_set
from chalicelib.services.deps import Deps

from .conftest import PERSON
from .harness import Harness, error_of, messages_of, result_of

WRITES = 'def run(input, http):\n    return http.post("/notes", json=input).status\n'
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
NOTHING = "def run(input, http):\n    return None\n"


def called(harness: Harness, name: Any, arguments: Any = None) -> dict[str, Any]:
    return result_of(harness.ask("tools/call", {"name": name, "arguments": arguments}))


class TestAnAnswer:
    def test_is_one_text_block_with_the_bare_json_and_the_same_as_an_object(self, harness: Harness) -> None:
        result = called(harness, "find_tool", {"query": ""})
        assert [block["type"] for block in result["content"]] == ["text"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        assert result["isError"] is False

    @pytest.mark.parametrize("value", ["None", "7", "'text'", "[1, 'two']", "True"])
    def test_that_is_no_object_travels_in_one(self, harness: Harness, value: str) -> None:
        harness.publish("one", f"def run(input, http):\n    return {value}\n")
        result = called(harness, "demo__one")
        assert result["structuredContent"] == {"result": json.loads(result["content"][0]["text"])}

    def test_keeps_letters_of_every_script_while_the_body_is_ascii(self, harness: Harness) -> None:
        """Report: OpenLiberty/open-liberty#33653"""
        title = "日本語 😀 \u202egnp.exe \0"
        harness.publish("one", description=title)
        response = harness.ask("tools/call", {"name": "demo__one", "arguments": {"title": title}})
        assert response.body.isascii()
        assert result_of(response)["structuredContent"] == {"title": title}
        text = result_of(response)["content"][0]["text"]
        assert title.rstrip("\0") in text
        assert json.loads(text) == {"title": title}
        assert harness.tools()[-1]["description"] == title


class TestFindTool:
    def test_answers_what_a_model_needs_to_run_what_it_found(self, harness: Harness) -> None:
        harness.publish("list-orders", inputSchema=SCHEMA)
        found = harness.call("find_tool", {"query": "list orders"})
        assert found["tools"] == [
            {
                "vendor": "demo",
                "name": "list-orders",
                "tool": "demo__list-orders",
                "description": "list-orders of demo",
                "promoted": True,
                "readOnlyHint": True,
                "destructiveHint": False,
                "inputSchema": SCHEMA,
                "version": 1,
            }
        ]
        assert (found["total"], found["connections"]) == (1, [])

    def test_finds_a_demoted_tool_that_run_tool_runs_and_promote_brings_back(self, harness: Harness) -> None:
        harness.publish("list-orders", "def run(input, http):\n    return {'orders': input['n']}\n", inputSchema=SCHEMA)
        name = {"vendor": "demo", "name": "list-orders"}
        assert harness.call("demote", name)["changed"] is True
        assert harness.call("find_tool", {"query": "orders"})["tools"][0]["promoted"] is False
        assert harness.call("run_tool", name | {"input": {"n": 3}}) == {"orders": 3}
        assert harness.call("promote", name) == {
            "tool": "demo__list-orders",
            "promoted": True,
            "changed": True,
            "workingSetSize": 1,
            "cap": 20,
        }

    def test_pages(self, harness: Harness) -> None:
        for name in ("one", "two", "three"):
            harness.publish(name)
        pages = [harness.call("find_tool", {"query": "", "limit": 2, "offset": at}) for at in (0, 2, 9)]
        assert [len(page["tools"]) for page in pages] == [2, 1, 0]
        assert {page["total"] for page in pages} == {3}

    def test_points_at_acquire_when_nothing_fits(self, harness: Harness) -> None:
        """Report: NousResearch/hermes-agent#98943"""
        first, second, third = (harness.call("find_tool", {"query": "quarterly tax return"}) for _ in range(3))
        assert first == second == third
        assert first["tools"] == []
        assert "acquire" in first["note"]


class TestPublishTool:
    def test_answers_the_version_the_derived_hints_and_how_to_call_it_now(self, harness: Harness) -> None:
        published = harness.publish("add-note", WRITES)
        note = published.pop("note")
        assert published == {
            "tool": "demo__add-note",
            "version": 1,
            "annotations": {"readOnlyHint": False, "destructiveHint": False},
            "promoted": True,
            "changed": True,
            "workingSetSize": 1,
            "cap": 20,
        }
        assert "run_tool" in note

    def test_of_a_second_version_keeps_the_first_readable(self, harness: Harness) -> None:
        harness.publish("one", "def run(input, http):\n    return 1\n")
        assert harness.publish("one", "def run(input, http):\n    return 2\n")["changed"] is False
        first = harness.call("read_tool_source", {"vendor": "demo", "name": "one", "version": 1})
        assert first["source"].endswith("return 1\n")
        assert [v["version"] for v in first["versions"]] == [1, 2]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["versions"][0]["publishedAt"])
        assert harness.call("demo__one") == {"result": 2}

    def test_is_refused_with_the_problems(self, harness: Harness) -> None:
        refused = harness.publish("one", "x = 1\n")
        assert refused["reason"] == "publish_refused"
        assert {"line", "column", "rule", "message", "hint"} == set(refused["problems"][0])

    def test_reports_a_test_run_that_failed_without_undoing_the_publish(self, harness: Harness) -> None:
        published = harness.publish("one", "def run(input, http):\n    return 1 // 0\n", testInput={})
        assert published["dryRun"]["passed"] is False
        assert "test run failed" in published["note"]
        assert published["promoted"] is True

    def test_of_a_test_run_without_a_connection_never_says_to_publish_again(self, harness: Harness) -> None:
        published = harness.publish("one", "def run(input, http):\n    return http.get('/x').status\n", testInput={})
        assert published["dryRun"]["error"]["reason"] == "connection_not_bound"
        assert "request_connection" in published["dryRun"]["error"]["message"]
        assert "publish again" not in published["note"]
        assert "Run it with run_tool and dryRun once its vendor is connected" in published["note"]

    def test_check_tool_says_the_same_without_saving(self, harness: Harness) -> None:
        bad = harness.call("check_tool", {"source": "x = 1\n"})
        assert (bad["ok"], bool(bad["problems"])) == (False, True)
        good = harness.call("check_tool", {"source": WRITES})
        assert good["ok"] is True
        assert good["annotations"] == {"readOnlyHint": False, "destructiveHint": False}
        assert harness.call("find_tool", {"query": ""})["total"] == 0


def test_waiting_for_the_person_is_no_error(harness: Harness) -> None:
    harness.publish("add-note", WRITES)
    result = called(harness, "demo__add-note", {"text": "x"})
    assert result["isError"] is False
    waiting = result["structuredContent"]
    assert set(waiting) == {"status", "askId", "url", "expiresAt", "message"}
    assert waiting["status"] == "awaiting_approval"
    assert waiting["expiresAt"].endswith("Z")
    assert called(harness, "run_tool", {"vendor": "demo", "name": "add-note"})["structuredContent"] == waiting


def test_an_agents_sessions_share_one_ask_and_one_answer_and_another_agent_has_its_own(
    harness: Harness, new_harness: Callable[[str], Harness]
) -> None:
    """Report: librefang/librefang#5600"""

    def waiting(asking: Harness) -> Any:
        return asking.call("run_tool", {"vendor": "demo", "name": "add-note", "input": {"text": "x"}})

    harness.publish("add-note", WRITES)
    first, second, another = harness.opened(), harness.opened(), new_harness("server")
    assert first.session != second.session
    asked = waiting(first)
    assert asked["status"] == "awaiting_approval"
    assert waiting(second) == asked
    assert waiting(another)["askId"] != asked["askId"]
    approvals.allow(harness.deps, PERSON, "laptop", "demo__add-note")
    assert waiting(second)["reason"] == "connection_not_bound"  # it ran, as far as its http.post
    assert waiting(another)["status"] == "awaiting_approval"


@pytest.mark.parametrize("name", ["  find_tool ", "FIND_TOOL", "Find_Tool\n"])
def test_a_meta_tool_is_known_in_any_case_and_padding(harness: Harness, name: str) -> None:
    """Report: openclaw/openclaw#27045"""
    assert called(harness, name, {"query": ""})["isError"] is False


@pytest.mark.parametrize("name", [" demo__one ", "DEMO__ONE"])
def test_so_is_a_promoted_tool(harness: Harness, name: str) -> None:
    """Report: openclaw/openclaw#27045"""
    harness.publish("one", NOTHING)
    assert called(harness, name)["structuredContent"] == {"result": None}


@pytest.mark.parametrize("message", [{"name": "acquire_status"}, {"name": "demo__one", "arguments": None}])
def test_arguments_may_be_absent_or_null(harness: Harness, message: dict[str, Any]) -> None:
    harness.publish("one", NOTHING)
    assert "structuredContent" in result_of(harness.ask("tools/call", message))


class TestANameThatIsNotListed:
    def test_of_a_tool_that_exists_names_run_tool_and_promote(self, harness: Harness) -> None:
        """Report: NousResearch/hermes-agent#50170"""
        harness.publish("one")
        harness.call("demote", {"vendor": "demo", "name": "one"})
        response = harness.ask("tools/call", {"name": "demo__one"})
        assert response.status == 200
        assert error_of(response)["code"] == -32602
        assert all(word in error_of(response)["message"] for word in ("demo__one", "exists", "run_tool", "promote"))

    def test_of_no_tool_names_the_nearest(self, harness: Harness) -> None:
        """Report: NousResearch/hermes-agent#50170"""
        harness.publish("list-orders")
        message = error_of(harness.ask("tools/call", {"name": "demo__list-order"}))["message"]
        assert "demo__list-orders" in message
        assert "find_tool" in message

    @pytest.mark.parametrize("name", [None, 7, ["find_tool"], {}, True, "", "x" * 100_000, "\x00", "__", "🙂"])
    def test_of_any_shape_is_an_error_and_never_4xx(self, harness: Harness, name: Any) -> None:
        response = harness.ask("tools/call", {"name": name})
        assert response.status == 200
        assert error_of(response)["code"] == -32602
        assert len(response.body) < 2000

    @pytest.mark.parametrize("arguments", [[], "text", 7, True])
    def test_arguments_of_another_shape_are_an_error(self, harness: Harness, arguments: Any) -> None:
        assert error_of(harness.ask("tools/call", {"name": "find_tool", "arguments": arguments}))["code"] == -32602


class TestArguments:
    @pytest.mark.parametrize(
        ("tool", "arguments", "field"),
        [
            ("find_tool", {}, "query"),
            ("find_tool", {"query": "", "limit": 0}, "limit"),
            ("find_tool", {"query": "", "limit": 51}, "limit"),
            ("find_tool", {"query": "", "offset": -1}, "offset"),
            ("find_tool", {"query": "", "limit": True}, "limit"),
            ("find_tool", {"query": None}, "query"),
            ("promote", {"vendor": "demo"}, "name"),
            ("promote", {"vendor": "demo", "name": 7}, "name"),
            ("run_tool", {"vendor": "demo", "name": "one", "input": "{}"}, "input"),
            ("run_tool", {"vendor": "demo", "name": "one", "dry_run": True}, "dry_run"),
            ("publish_tool", {"vendor": "demo", "name": "one"}, "description"),
            ("acquire", {"connectionId": "c", "goal": ""}, "goal"),
            ("acquire", {"connectionId": "c", "goal": "x" * 4001}, "goal"),
            ("acquire_status", {"jobId": "j", "after": -1}, "after"),
        ],
    )
    def test_that_do_not_fit_are_refused_by_field_with_the_schema(
        self, harness: Harness, tool: str, arguments: Any, field: str
    ) -> None:
        result = called(harness, tool, arguments)
        refusal = result["structuredContent"]
        assert result["isError"] is True
        assert (refusal["error"], refusal["reason"], refusal["field"]) == ("refused", "input_invalid", field)
        assert refusal["schema"] == next(t.input_schema for t in META_TOOLS if t.name == tool)
        assert field in refusal["message"]

    def test_of_an_authored_tool_are_refused_in_the_same_form(self, harness: Harness) -> None:
        harness.publish("one", inputSchema=SCHEMA)
        by_name = harness.call("demo__one", {"n": "many"})
        by_run_tool = harness.call("run_tool", {"vendor": "demo", "name": "one", "input": {"n": "many"}})
        assert by_name == by_run_tool
        assert set(by_name) == {"error", "reason", "message", "field", "schema"}
        assert (by_name["reason"], by_name["field"], by_name["schema"]) == ("input_invalid", "n", SCHEMA)
        assert 'n: "many" is not of type "integer". Correct it by schema' in by_name["message"]

    def test_that_are_too_long_keep_what_is_wrong_with_them(self, harness: Harness) -> None:
        schema = {"type": "object", "properties": {"t": {"type": "string", "maxLength": 10}}}
        harness.publish("one", inputSchema=schema)
        assert "is longer than 10 characters" in harness.call("demo__one", {"t": "y" * 500})["message"]
        refused = harness.publish("two", description="d" * 2001)
        assert (refused["field"], len(refused["message"]) < 400) == ("description", True)
        assert "is longer than 2000 characters" in refused["message"]

    def test_name_a_version_that_is_not_there(self, harness: Harness) -> None:
        harness.publish("one")
        refusal = harness.call("read_tool_source", {"vendor": "demo", "name": "one", "version": 7})
        assert (refusal["reason"], refusal["field"]) == ("input_invalid", "version")
        assert "its newest is 1" in refusal["message"]
        assert "version" in refusal["schema"]["properties"]

    def test_an_unknown_property_is_named_with_the_one_that_was_meant(self, harness: Harness) -> None:
        refusal = harness.call("run_tool", {"vendor": "demo", "name": "one", "dry_run": True})
        assert "'dry_run'" in refusal["message"]
        assert "dryRun" in refusal["message"]

    def test_a_huge_property_name_is_not_sent_back_whole(self, harness: Harness) -> None:
        response = harness.ask("tools/call", {"name": "promote", "arguments": {"x" * 1_000_000: 1}})
        assert result_of(response)["isError"] is True
        assert len(response.body) < 5000

    def test_a_whole_number_may_be_written_with_a_point(self, harness: Harness) -> None:
        harness.publish("one")
        assert len(harness.call("find_tool", {"query": "", "limit": 1.0, "offset": 0.0})["tools"]) == 1


class TestAcquire:
    @pytest.mark.parametrize(
        ("tool", "arguments"), [("acquire", {"connectionId": "c", "goal": "g"}), ("acquire_status", {"jobId": "j"})]
    )
    def test_without_a_model_names_the_settings_and_publish_tool(
        self, harness: Harness, tool: str, arguments: Any
    ) -> None:
        refusal = harness.call(tool, arguments)
        assert refusal["reason"] == "acquire_unconfigured"
        assert "GRAFT_MODEL" in refusal["message"]
        assert "publish_tool" in refusal["message"]


class TestWhenSomethingBreaksInside:
    SECRET = "the table's endpoint is 10.1.2.3"

    @pytest.fixture
    def breaking(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[object, str, Exception], None]:
        def break_it(room: object, name: str, error: Exception) -> None:
            def fail(*_: object, **__: object) -> None:
                raise error

            monkeypatch.setattr(room, name, fail)

        return break_it

    def test_a_call_is_refused_internal_with_a_log_id_and_no_detail(
        self, harness: Harness, breaking: Callable[..., None], caplog: pytest.LogCaptureFixture
    ) -> None:
        breaking(toolbox, "find", RuntimeError(self.SECRET))
        response = harness.ask("tools/call", {"name": "find_tool", "arguments": {"query": ""}})
        refusal = result_of(response)["structuredContent"]
        assert (response.status, refusal["reason"]) == (200, "internal")
        assert self.SECRET.encode() not in response.body
        assert refusal["logId"] in caplog.text
        assert self.SECRET in caplog.text

    def test_a_table_that_is_too_busy_is_nothing_broken_and_says_to_repeat(
        self, harness: Harness, breaking: Callable[..., None], caplog: pytest.LogCaptureFixture
    ) -> None:
        breaking(toolbox, "find", Conflict("moved"))
        response = harness.ask("tools/call", {"name": "find_tool", "arguments": {"query": ""}})
        refusal = result_of(response)["structuredContent"]
        assert (refusal["reason"], refusal["retryAfterSeconds"]) == ("rate_limited", 1)
        assert "Repeat" in refusal["message"]
        assert "Traceback" not in caplog.text

    @pytest.mark.parametrize("error", [RuntimeError("x"), RecursionError(), MemoryError()])
    def test_whatever_it_is(self, harness: Harness, breaking: Callable[..., None], error: Exception) -> None:
        breaking(working_set, "promote", error)
        assert harness.call("promote", {"vendor": "demo", "name": "one"})["reason"] == "internal"

    def test_a_list_is_an_error_and_never_an_empty_list(
        self, harness: Harness, breaking: Callable[..., None], caplog: pytest.LogCaptureFixture
    ) -> None:
        """Report: openclaw/openclaw#111961"""
        breaking(working_set, "listing", RuntimeError(self.SECRET))
        response = harness.ask("tools/list")
        assert response.status == 200
        assert error_of(response)["code"] == -32603
        assert self.SECRET.encode() not in response.body
        assert self.SECRET in caplog.text

    @pytest.mark.parametrize("method", ["tools/list", "tools/call", "initialize", "ping"])
    def test_a_table_that_does_not_answer_is_an_error_in_the_words_of_each_method(
        self, deps: Deps, harness: Harness, breaking: Callable[..., None], method: str
    ) -> None:
        """Report: openclaw/openclaw#111961"""
        breaking(deps.store.agents, "find_door_facts", OSError("throttled"))
        answers = [harness.ask(method, {"name": "find_tool"}), harness.ask_stateless(method, {"name": "find_tool"})]
        for response in answers:
            assert response.status == 200
            last = messages_of(response)[-1]
            assert last["id"] == 1
            assert last["result"]["isError"] if method == "tools/call" else last["error"]["code"] == -32603

    def test_a_session_row_that_cannot_be_written_does_not_spoil_the_list(
        self, deps: Deps, opened: Harness, breaking: Callable[..., None], caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.ERROR)
        breaking(deps.store.agents, "remember_listed", OSError("throttled"))
        assert "find_tool" in opened.tool_names()
        assert "throttled" in caplog.text
