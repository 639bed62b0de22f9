"""How a harness of the handshake era hears that its list changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from chalicelib.mcp.http import HttpResponse
from chalicelib.services.deps import Deps

from .harness import Harness, is_events, methods_of

CHANGED = "notifications/tools/list_changed"
IDLE_CALL = {"name": "find_tool", "arguments": {"query": ""}}


def ask_something(harness: Harness) -> HttpResponse:
    return harness.ask("tools/call", IDLE_CALL)


def event_id(response: HttpResponse) -> str:
    return next(line[4:] for line in response.body.decode().splitlines() if line.startswith("id: "))


class TestInACallsAnswer:
    def test_what_the_call_itself_moved_is_told_before_its_result(self, opened: Harness) -> None:
        opened.publish("one")
        opened.tools()
        for name in ("demote", "promote"):
            response = opened.ask("tools/call", {"name": name, "arguments": {"vendor": "demo", "name": "one"}})
            assert methods_of(response) == [CHANGED, "result"]
            opened.tools()

    def test_no_event_of_it_carries_an_id(self, opened: Harness) -> None:
        opened.publish("one")
        response = opened.ask("tools/call", {"name": "demote", "arguments": {"vendor": "demo", "name": "one"}})
        assert is_events(response)
        assert b"id: " not in response.body

    def test_nothing_is_told_of_a_promotion_that_changed_nothing(self, opened: Harness) -> None:
        opened.publish("one")
        opened.tools()
        response = opened.ask("tools/call", {"name": "promote", "arguments": {"vendor": "demo", "name": "one"}})
        assert methods_of(response) == ["result"]
        assert not is_events(response)

    def test_what_moved_elsewhere_is_told_at_the_next_call_until_the_list_is_read(
        self, harness: Harness, opened: Harness
    ) -> None:
        opened.tools()
        harness.publish("one")
        assert methods_of(ask_something(opened)) == [CHANGED, "result"]
        assert methods_of(ask_something(opened)) == [CHANGED, "result"]
        opened.tools()
        assert methods_of(ask_something(opened)) == ["result"]

    def test_it_is_told_with_an_error_too(self, harness: Harness, opened: Harness) -> None:
        opened.tools()
        harness.publish("one")
        harness.call("demote", {"vendor": "demo", "name": "one"})
        harness.publish("two")
        response = opened.ask("tools/call", {"name": "demo__one"})
        assert methods_of(response) == [CHANGED, "error"]

    def test_a_session_that_never_listed_hears_what_moved_since_it_opened(self, harness: Harness) -> None:
        opened = harness.opened()
        assert methods_of(ask_something(opened)) == ["result"]
        harness.publish("one")
        assert methods_of(ask_something(opened)) == [CHANGED, "result"]

    def test_a_second_session_does_not_hear_what_it_listed_itself(self, harness: Harness) -> None:
        first, second = harness.opened(), harness.opened()
        first.tools()
        harness.publish("one")
        second.tools()
        assert methods_of(ask_something(second)) == ["result"]
        assert methods_of(ask_something(first)) == [CHANGED, "result"]

    @pytest.mark.parametrize("accept", ["application/json", "", "*/*"])
    def test_a_client_that_reads_no_events_gets_json(self, opened: Harness, accept: str) -> None:
        opened.publish("one")
        demote = {"name": "demote", "arguments": {"vendor": "demo", "name": "one"}}
        response = replace(opened, accept=accept).ask("tools/call", demote)
        assert not is_events(response)
        assert methods_of(response) == ["result"]


class TestOfAnotherAgentsPublish:
    def test_an_agent_that_promoted_the_tool_hears_of_its_new_version(
        self, new_harness: Callable[[str], Harness]
    ) -> None:
        author, user = new_harness("author"), new_harness("user").opened()
        author.publish("one")
        user.call("promote", {"vendor": "demo", "name": "one"})
        user.tools()
        author.publish("one", description="One, better.")
        assert methods_of(ask_something(user)) == [CHANGED, "result"]
        assert user.tools()[-1]["description"] == "One, better."
        assert methods_of(ask_something(user)) == ["result"]

    def test_one_that_did_not_hears_nothing(self, new_harness: Callable[[str], Harness]) -> None:
        author, other = new_harness("author"), new_harness("other").opened()
        other.tools()
        author.publish("one")
        assert methods_of(ask_something(other)) == ["result"]


class TestByPolling:
    def test_the_first_get_of_a_session_hears_a_change_in_any_case(self, opened: Harness) -> None:
        response = opened.send("GET")
        assert methods_of(response) == [CHANGED]
        assert b"retry: 30000\n" in response.body

    def test_nothing_is_told_while_nothing_moves(self, opened: Harness) -> None:
        seen = event_id(opened.send("GET"))
        again = opened.send("GET", last_event_id=seen)
        assert is_events(again)
        assert methods_of(again) == []
        assert event_id(again) == seen

    def test_a_quiet_answer_has_empty_data_so_that_every_sdk_keeps_its_place(self, opened: Harness) -> None:
        seen = event_id(opened.send("GET"))
        assert b"data: \n" in opened.send("GET", last_event_id=seen).body

    def test_an_older_client_gets_no_empty_data_that_it_would_parse(self, harness: Harness) -> None:
        older = harness.opened("2025-03-26")
        seen = event_id(older.send("GET"))
        assert b"data" not in older.send("GET", last_event_id=seen).body

    def test_a_list_that_moved_past_the_last_event_is_told_once(self, harness: Harness, opened: Harness) -> None:
        seen = event_id(opened.send("GET"))
        harness.publish("one")
        moved = opened.send("GET", last_event_id=seen)
        assert methods_of(moved) == [CHANGED]
        assert methods_of(opened.send("GET", last_event_id=event_id(moved))) == []

    def test_another_agents_publish_of_another_tool_is_no_change(self, new_harness: Callable[[str], Harness]) -> None:
        author, polling = new_harness("author"), new_harness("polling").opened()
        seen = event_id(polling.send("GET"))
        author.publish("one")
        quiet = polling.send("GET", last_event_id=seen)
        assert methods_of(quiet) == []

    @pytest.mark.parametrize("last", ["", "7", "a-b-c", "1-2-3-4", "9" * 500, "ü"])
    def test_an_event_id_that_is_not_ours_counts_as_none(self, opened: Harness, last: str) -> None:
        assert methods_of(opened.send("GET", last_event_id=last)) == [CHANGED]

    def test_a_table_that_fails_costs_the_client_nothing_but_time(
        self, deps: Deps, opened: Harness, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise OSError("throttled")

        monkeypatch.setattr(deps.store.agents, "find_door_facts", fail)
        response = opened.send("GET")
        assert (response.status, response.body) == (200, b"retry: 30000\n\n")

    def test_the_retry_can_be_set(self, deps: Deps, opened: Harness) -> None:
        sooner = replace(deps, settings=replace(deps.settings, sse_retry_ms=1500))
        assert b"retry: 1500\n" in replace(opened, deps=sooner).send("GET").body


def test_a_client_that_ignores_every_notification_sees_the_new_list_when_it_asks(harness: Harness) -> None:
    """Report: openclaw/openclaw#91556"""
    deaf = replace(harness, accept="application/json")
    assert "demo__one" not in deaf.tool_names()
    deaf.publish("one")
    assert deaf.tool_names()[-1] == "demo__one"
