"""One agent's page: every card in every state."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from chalicelib.console.paging import PAGE_BYTES
from chalicelib.services import agents, connections, presence
from chalicelib.services.sweep import run_sweep
from tests.console.browser import Browser
from tests.console.flights import in_flight
from tests.console.reading import words_of
from tests.services.world import DELETES, PERSON, READS, WRITES, World, lose

HOSTILE = "<script>alert(1)</script>&\u202e\u200b"
LABELS = (
    "the agent asked",
    "published by the agent",
    "unused past the idle window",
    "over the working-set cap",
    "its connection was revoked",
)


def path_of(world: World, name: str = "demo") -> str:
    return f"/agents/{world.caller(name).agent.id}"


def card(page: str, name: str) -> str:
    """What a reader reads in one card."""
    found = re.search(rf'<section class="card[^"]*" id="{name}".*?</section>', page, re.DOTALL)
    assert found is not None, page
    return words_of(found[0])


def with_every_cause(world: World) -> None:
    """One tool for each way out, the last of them today."""
    mine = world.connect("notes")
    world.publish("bound", READS, vendor="notes")
    world.publish("idle")
    world.clock.forward(days=20)
    for name in ("capped", "asked", "used"):
        world.publish(name)
        world.clock.forward(seconds=1)
    world.call("used")
    world.promote("asked")
    world.demote("asked")
    connections.revoke(world.deps, PERSON, mine.id)
    world.clock.forward(days=1, minutes=1)
    agents.edit_limits(world.deps, PERSON, world.caller().agent.id, name="demo", cap=1, idle_window_days=21)
    run_sweep(world.deps)


def test_the_history_names_all_five_causes_and_the_facts_of_the_rule(world: World, mine: Browser) -> None:
    with_every_cause(world)
    page = mine.get(path_of(world)).body
    shown = card(page, "history")
    assert all(label in shown.partition("When")[2] for label in LABELS)
    assert "Active at 30 Nov 2026, 14:18 UTC Window 21 days Cap 1 Set size 3" in shown


def test_the_history_is_filtered_by_cause_and_tool_and_nothing_matching_is_not_nothing_yet(
    world: World, mine: Browser
) -> None:
    path = path_of(world)
    assert "Nothing yet." in card(mine.get(path).body, "history")
    with_every_cause(world)
    for query in ("cause=cap", "cause=over+the+working-set+cap", "cause=cap&tool=CAPPED"):
        rows = card(mine.get(f"{path}?{query}").body, "history").partition("When")[2]
        assert "demo__capped" in rows
        assert "demo__idle" not in rows
    page = mine.get(f"{path}?cause=revoke&tool={HOSTILE}").body
    assert "Nothing matches." in card(page, "history")
    assert "<script>alert" not in page
    assert "demo__idle" in card(mine.get(f"{path}?cause=wrong&before=x&skip=-1").body, "history")


def test_the_pager_counts_moves_and_names_the_records_that_hold_them(world: World, mine: Browser) -> None:
    path = path_of(world)
    for number in range(8):
        world.publish(f"t{number}")
    assert "8 moves" not in card(mine.get(path).body, "history")  # one page
    world.clock.forward(days=22)
    run_sweep(world.deps)
    page = mine.get(path).body
    assert "8 moves, in record 9 of 9" in card(page, "history")
    older = re.search(r'href="([^"]+)">Older', page)
    assert older is not None
    page = mine.get(older[1].partition("#")[0].replace("&amp;", "&")).body
    assert "8 moves, in records 8 to 1 of 9" in card(page, "history")


def test_a_sweep_at_another_time_tells_its_time_and_what_would_have_kept_the_tool_then(
    world: World, mine: Browser
) -> None:
    world.publish("early")
    world.clock.forward(minutes=1)
    run_sweep(world.deps, rule_now=world.clock() + timedelta(days=30))
    page = mine.get(path_of(world)).body
    left = card(page, "left")
    assert "unused past the idle window, just now. Last active 30 Nov 2026, 14:18 UTC" in left
    assert "the idle window was 21 days. The sweep was made as of 30 Dec 2026, 14:19 UTC." in left
    assert "An idle window of 31 days would have kept it." in left
    assert "As of 30 Dec 2026, 14:19 UTC Active at 30 Nov 2026, 14:18 UTC" in card(page, "history")


def test_the_history_is_paged_to_its_end_and_names_each_record_once(world: World, mine: Browser) -> None:
    for number in range(11):
        world.publish(f"t{number}")
        world.demote(f"t{number}")
    at, seen = f"{path_of(world)}#history", []
    while at:
        page = mine.get(at.partition("#")[0]).body
        seen += re.findall(r"Record (\d+)<", page)
        older = re.search(r'href="([^"]+)">Older', page)
        at = older[1].replace("&amp;", "&") if older else ""
    assert seen == [str(number) for number in range(22, 0, -1)]


def test_what_left_stands_above_the_set_with_the_way_back_and_what_would_have_kept_it(
    world: World, mine: Browser
) -> None:
    path = path_of(world)
    assert card(mine.get(path).body, "left").endswith("Nothing left in the last 7 days.")
    with_every_cause(world)
    page = mine.get(path).body
    left = card(page, "left")
    assert left.startswith("4 left in the last 7 days")
    assert "An idle window of 22 days would have kept it." in left
    assert "A cap of 2 would have kept it." in left
    assert "Connect the account again first" in left
    assert "demo demoted it itself." in left
    assert "Promote demo__idle again, please." in left
    assert "demo__capped read-only over the working-set cap" in left
    assert page.index('id="left"') < page.index('id="set"')


def test_all_that_left_are_on_a_page_of_their_own_when_they_are_many(world: World, mine: Browser) -> None:
    for number in range(24):
        world.publish(f"t{number:02}")
    for number in range(24):
        world.demote(f"t{number:02}")
    path = path_of(world)
    assert "All 24 that left" in card(mine.get(path).body, "left")
    pages = [words_of(mine.get(f"{path}/left{query}").body) for query in ("", "?from=20")]
    named = [f"Promote demo__t{number:02} again, please." for number in range(24)]
    assert sum(sentence in page for sentence in named for page in pages) == 24
    assert "21 to 24 of 24" in pages[1]
    assert "Nothing left in the last 7 days." in words_of(mine.get(f"/agents/{world.agent('new').agent.id}/left").body)


def test_the_set_says_who_promoted_each_tool_when_it_was_used_and_when_it_leaves(world: World, mine: Browser) -> None:
    world.connect()
    for name, source in (("reads", READS), ("writes", WRITES), ("deletes", DELETES)):
        world.publish(name, source)
        world.clock.forward(minutes=1)
    world.demote("reads")
    world.promote("reads")
    world.clock.forward(days=2)
    world.call("reads")
    rows = card(mine.get(path_of(world)).body, "set")
    assert "demo__writes write" in rows
    assert "demo__deletes destructive" in rows
    assert "a publish 2 d ago never, counts from 2 d ago 21 December" in rows
    assert "demo__reads read-only" in rows
    assert "the agent 2 d ago just now 23 December" in rows
    assert rows.index("demo__writes") < rows.index("demo__deletes") < rows.index("demo__reads")


def test_while_nothing_left_the_next_in_line_is_named(world: World, mine: Browser) -> None:
    world.publish("a")
    world.clock.forward(days=1)
    world.publish("b")
    left = card(mine.get(path_of(world)).body, "left")
    assert "Next in line: demo__a, 21 December if it stays unused." in left


def test_an_empty_set_says_what_fills_it(world: World, mine: Browser) -> None:
    assert "Empty. It fills when demo publishes or promotes a tool." in card(mine.get(path_of(world)).body, "set")


def test_what_the_next_sweep_takes_says_so(world: World, mine: Browser) -> None:
    agents.edit_limits(world.deps, PERSON, world.caller().agent.id, name="demo", cap=1, idle_window_days=21)
    for name in ("a", "b"):
        world.publish(name)
        world.clock.forward(seconds=1)
    rows = card(mine.get(path_of(world)).body, "set")
    assert rows.count("at the next sweep, over the cap") == 2  # in its row, and in its line on a phone
    assert "The next sweep may take 1" in words_of(mine.get(path_of(world)).body)


def test_a_withheld_tool_stands_beside_the_set_with_its_reason(world: World, mine: Browser) -> None:
    world.publish("a")
    world.publish("b")
    lose(world, "demo__a")
    shown = card(mine.get(path_of(world)).body, "set")
    assert "1 tool, in list order" in shown
    assert "1 more is withheld from the list" in shown
    assert "demo__a: its current version is not in the toolbox" in shown


def test_a_preview_shows_what_would_leave_and_saves_nothing(world: World, mine: Browser) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
        world.clock.forward(seconds=1)
    path = path_of(world)
    mine.get(path)
    page = mine.post(f"{path}/limits", name="desk", cap="1", idle_window_days="21", preview="1").body
    shown = card(page, "limits")
    assert "Not saved. With a cap of 1 and 21 days, the next sweep would take 2 tools" in shown
    assert "demo__a, over the working-set cap" in shown
    assert 'value="desk"' in page
    assert world.caller().agent.cap == 20
    page = mine.post(f"{path}/limits", name="demo", cap="3", idle_window_days="1", preview="1").body
    assert "the next sweep would take nothing." in card(page, "limits")


def test_the_form_saves_and_the_next_sweep_obeys(world: World, mine: Browser) -> None:
    world.publish("a")
    world.clock.forward(days=2)
    path = path_of(world)
    assert "Takes effect at the next sweep." in card(mine.get(path).body, "limits")
    page = mine.post(f"{path}/limits", name="desk", cap="4", idle_window_days="1").body
    assert (mine.path, world.set_of()) == (f"{path}?saved=1", ["a"])
    assert "<b>1</b> / 4" in page
    assert "Saved. With a cap of 4 and 1 day, the next sweep takes 1 tool: demo__a, unused past" in card(page, "limits")
    run_sweep(world.deps)
    assert world.set_of() == []
    assert "1 tool left" in words_of(mine.get(path).body)


@pytest.mark.parametrize(
    ("typed", "field"), [({"cap": "0"}, "cap"), ({"name": ""}, "name"), ({"idle_window_days": "3651"}, "window")]
)
def test_limits_that_cannot_be_saved_are_kept_as_typed(
    world: World, mine: Browser, typed: dict[str, str], field: str
) -> None:
    path = path_of(world)
    mine.get(path)
    sent = {"name": "desk", "cap": "7", "idle_window_days": "8"} | typed
    page = mine.post(f"{path}/limits", **sent)
    assert page.status == 422
    assert f'id="{field}-wrong"' in page.body
    assert all(re.search(rf'name="{name}" type="\w+" value="{value}"', page.body) for name, value in sent.items())
    assert world.caller().agent.name == "demo"


def test_the_page_says_what_the_harness_has_seen_and_what_moved_since(world: World, mine: Browser) -> None:
    path = path_of(world)
    assert "no harness has read it yet" in words_of(mine.get(path).body)
    presence.beside(world.deps, world.caller(), lambda: None, harness=("Hermes", "0.19.0"), lists=True)
    assert "Hermes read it just now. Nothing moved since." in words_of(mine.get(path).body)
    for name in ("a", "b", "c", "d", "e"):
        world.publish(name)
    page = words_of(mine.get(path).body)
    assert (
        "Since then demo__e was promoted, demo__d was promoted, demo__c was promoted, and 2 more moved. Hermes sees it"
        in page
    )


def test_an_agent_that_the_sweep_skipped_says_why(world: World, mine: Browser) -> None:
    world.publish("a")
    world.clock.forward(days=22)
    in_flight(world)
    run_sweep(world.deps)
    page = words_of(mine.get(path_of(world)).body)
    assert "Last sweep just now, skipped, because a run was in flight" in page
    assert "because each sweep found a run in flight" in page
    assert "One or more in flight" in page


def test_runs_say_how_they_ended(world: World, mine: Browser) -> None:
    path = path_of(world)
    assert "No runs yet." in card(mine.get(path).body, "runs")
    world.connect()
    world.publish("fails", "def run(input, http):\n    raise ValueError('x')\n")
    world.publish("works")
    for _ in range(4):
        world.call("works")
    world.clock.forward(seconds=1)
    world.call("works", dry_run=True)
    world.clock.forward(seconds=1)
    with pytest.raises(Exception, match="ValueError"):
        world.call("fails")
    runs = card(mine.get(path).body, "runs")
    assert "demo__fails version 1 failed its module raised an error, tool_failed" in runs
    assert "dry run, done" in runs
    assert "The latest 5" in runs
    assert words_of(mine.get(f"{path}/runs").body).count("demo__works") == 5


def test_an_answer_for_an_older_version_says_what_the_next_call_does(world: World, mine: Browser) -> None:
    world.connect(display_name=HOSTILE)
    world.publish("note", WRITES)
    world.call("note", text="x")
    world.allow("note")
    world.publish("note", WRITES + "\n")
    page = mine.get(path_of(world)).body
    assert "demo__note write" in card(page, "approvals")
    assert "version 1; version 2 is current, so a call that writes asks once" in card(page, "approvals")
    world.demote("note")
    assert "version 2 is current" in card(mine.get(path_of(world)).body, "approvals")
    assert "<script>alert" not in page
    assert "demo__note" in words_of(mine.get(f"{path_of(world)}/approvals").body)


def test_a_revoked_agent_can_be_read_and_not_changed(world: World, mine: Browser) -> None:
    world.publish("a")
    world.publish("gone")
    world.demote("gone")
    path = path_of(world)
    agents.revoke_agent(world.deps, PERSON, world.caller().agent.id)
    page = mine.get(path).body
    assert "Its token opens nothing any more, and no sweep touches it." in words_of(page)
    assert "demo__a" in card(page, "set")
    assert 'name="cap"' not in page
    for shown in (page, mine.get(f"{path}/left").body):
        assert "the agent asked" in words_of(shown)
        assert "again, please" not in shown  # nobody is there to hear it
    assert "Saved." not in mine.get(f"{path}?saved=1").body
    mine.get("/settings")
    for form in ("edit", "limits", "scope", "rotate"):
        assert mine.post(f"{path}/{form}", name="x", cap="1", idle_window_days="1").status == 404


def test_a_revoked_agents_answers_stand_and_none_can_be_withdrawn(world: World, mine: Browser) -> None:
    """No call of it comes any more, so none would ask."""
    world.connect()
    world.publish("note", WRITES)
    world.call("note", text="x")
    world.allow("note")
    path = path_of(world)
    assert "the next call asks" in card(mine.get(path).body, "approvals")
    agents.revoke_agent(world.deps, PERSON, world.caller().agent.id)
    for page in (mine.get(path).body, mine.get(f"{path}/approvals").body):
        assert "demo__note" in page
        assert "Withdraw" not in page
        assert "next call asks" not in words_of(page)


def test_a_revoked_agent_that_had_nothing_is_promised_nothing(world: World, mine: Browser) -> None:
    world.agent("unused")
    path = path_of(world, "unused")
    agents.revoke_agent(world.deps, PERSON, world.caller("unused").agent.id)
    page = mine.get(path).body
    read = " ".join(card(page, name) for name in ("left", "set", "jobs", "history", "approvals", "runs"))
    assert "Empty. No tool comes in any more." in read
    assert not re.search(r"\byet\b|fills when|appear once|begins when|to have one back", read)


def test_the_console_moves_no_tool(world: World, mine: Browser) -> None:
    with_every_cause(world)
    page = mine.get(path_of(world)).body
    buttons = {words_of(found).split(" ")[0] for found in re.findall(r"<button.*?</button>", page, re.DOTALL)}
    assert buttons <= {"Sign", "Save", "Preview", "Copy", "Filter", "Withdraw"}


def test_a_large_and_hostile_set_stays_a_small_page_and_every_tool_is_reached(world: World, mine: Browser) -> None:
    world.connect(display_name=HOSTILE * 3)
    wire = "x" * 38
    for number in range(30):
        world.publish(f"{wire}-{number:02}", WRITES, description=HOSTILE * 60)
        world.clock.forward(minutes=1)
    for number in range(5):
        name = f"{wire}-{number:02}"
        world.call(name, text="x")
        world.allow(name)
        world.call(name, text="x")
    presence.beside(world.deps, world.caller(), lambda: None, harness=("<&>" * 20, "1"), lists=True)
    for number in range(20, 30):
        world.demote(f"{wire}-{number}")
    start, seen = 0, []
    while True:
        page = mine.get(f"{path_of(world)}?from={start}").body
        assert len(page.encode()) <= PAGE_BYTES
        assert "<script>alert" not in page
        assert not re.search(r"<[^>]+ style=|<style|<script(?! src=)", page)
        shown = re.findall(
            r'<div class="line"><a class="wire" href="/toolbox/([\w-]+)">',
            page.partition('id="set"')[2].partition("</table>")[0],
        )
        seen += shown
        start = len(seen)
        if ">Next<" not in page:
            break
    assert seen == [f"demo__{name}" for name in world.set_of()]
    for more in ("approvals", "runs"):
        assert len(mine.get(f"{path_of(world)}/{more}").body.encode()) <= PAGE_BYTES
    path = path_of(world)
    page = mine.post(f"{path}/limits", name="demo", cap="1", idle_window_days="1", preview="1").body
    assert len(page.encode()) <= PAGE_BYTES


def test_a_form_of_an_ended_sign_in_saves_nothing_and_asks_to_sign_in(world: World, mine: Browser) -> None:
    path = path_of(world)
    mine.get(path)
    world.clock.forward(days=40)
    answer = mine.post(f"{path}/limits", name="desk", cap="4", idle_window_days="1")
    assert "Sign in" in words_of(answer.body)
    assert (world.caller().agent.name, world.caller().agent.cap) == ("demo", 20)
