"""The first run, step by step, and where the front page leads."""

from __future__ import annotations

import re
from html import unescape

import pytest

from chalicelib.errors import Refusal
from chalicelib.mcp.door import handle
from chalicelib.mcp.http import HttpRequest
from chalicelib.model import Presence
from chalicelib.services import agents
from tests.console.browser import Browser, heading
from tests.console.reading import words_of
from tests.services.world import PERSON, READS, World

RAISES = "def run(input, http):\n    raise ValueError('no')\n"


def page_of(mine: Browser) -> str:
    return words_of(mine.get("/start").body)


def ticked(mine: Browser) -> list[str]:
    """`done`, `now` or `later`, for each step."""
    return re.findall(r'<li class="(done|now|later)"', mine.get("/start").body)


def seen(world: World, harness: str = "Hermes") -> None:
    at = world.clock()
    world.deps.store.traces.note_presence(world.caller().agent, Presence(harness, "0.19.0", at))


def test_nothing_is_ticked_that_the_table_does_not_hold(world: World, mine: Browser) -> None:
    agents.revoke_agent(world.deps, PERSON, world.caller().agent.id)
    assert ticked(mine) == ["now", "later", "later", "later"]
    assert "New agent" in page_of(mine)


def test_an_agent_waits_for_its_first_call_and_after_two_minutes_the_likely_causes_are_told(
    world: World, mine: Browser
) -> None:
    assert ticked(mine) == ["done", "now", "later", "later"]
    assert "Waiting since 14:18 UTC. Start demo, or give it any message." in page_of(mine)
    assert "The likely causes" not in page_of(mine)
    world.clock.forward(minutes=2)
    page = page_of(mine)
    assert "Nothing after two minutes. The likely causes:" in page
    assert f"it starts with grft_ and has {len(world.tokens['demo'])} characters" in page
    assert "http://127.0.0.1:8765/mcp is not reached from another one" in page


def test_the_steps_are_read_again_by_themselves_until_all_are_done(world: World, mine: Browser) -> None:
    assert 'id="start" data-live="3"' in mine.get("/start").body
    finish(world)
    assert "data-live" not in mine.get("/start").body


def test_a_first_call_is_told_with_the_harness_that_made_it(world: World, mine: Browser) -> None:
    seen(world, "<Hermes>\u202e")
    assert ticked(mine) == ["done", "done", "now", "later"]
    body = mine.get("/start").body
    assert "demo, &lt;Hermes&gt;" in body
    assert "U+202E" in body


def test_a_connection_and_a_run_are_the_last_two(world: World, mine: Browser) -> None:
    seen(world)
    world.connect(display_name="Demo notes")
    assert "Demo notes, connected just now." in page_of(mine)
    assert ticked(mine) == ["done", "done", "done", "now"]
    finish(world)
    assert ticked(mine) == ["done"] * 4
    assert heading(mine.get("/start")) == "Your first tool has run"
    assert "demo ran demo__reads just now." in page_of(mine)


def test_the_line_that_the_page_offers_ticks_the_first_call(world: World, mine: Browser) -> None:
    token = world.tokens["demo"]
    page = mine.get("/start").body
    assert unescape(page).count('"method":"ping"') == 1
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json", "accept": "application/json"}
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    assert handle(world.deps, HttpRequest("POST", "/mcp", headers, body=body)).status == 200
    assert ticked(mine) == ["done", "done", "now", "later"]
    assert "demo, Unnamed harness, last seen just now." in page_of(mine)


def test_steps_are_ticked_in_whatever_order_they_come(world: World, mine: Browser) -> None:
    world.connect()
    assert ticked(mine) == ["done", "now", "done", "later"]


def test_a_run_that_failed_is_told_and_ticks_nothing(world: World, mine: Browser) -> None:
    world.publish("fails", RAISES)
    with pytest.raises(Refusal):
        world.call("fails")
    page = page_of(mine)
    assert "demo ran demo__fails just now, and it did not go through: its module raised an error." in page
    assert ticked(mine)[3] != "done"


def finish(world: World) -> None:
    made = world.connect()
    world.publish("reads", READS, connection_id=made.id)
    world.call("reads")


def test_the_front_page_leads_to_the_first_run_until_an_agent_was_seen_and_then_to_the_agents(
    world: World, mine: Browser
) -> None:
    assert mine.get("/", follow=False).headers["Location"] == "/start"
    seen(world)
    assert mine.get("/", follow=False).headers["Location"] == "/agents"


def test_the_agents_page_leads_there_until_a_tool_has_run(world: World, mine: Browser) -> None:
    assert "Four steps lead to the first one" in mine.get("/agents").body
    finish(world)
    assert "/start" not in mine.get("/agents").body


def test_nobody_elses_agent_counts(world: World, theirs: Browser) -> None:
    finish(world)
    assert ticked(theirs) == ["now", "later", "later", "later"]
    assert theirs.get("/", follow=False).headers["Location"] == "/start"
