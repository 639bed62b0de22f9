"""The page that asks whether tools may be written for an agent on a connection, in every state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from chalicelib import wiring
from chalicelib.errors import Reason, Refusal
from chalicelib.model import Answer, Ask, acquire_approval
from chalicelib.services import acquire, agents, connections
from chalicelib.services.acquire import News, Wanted
from chalicelib.services.asks import Waiting
from chalicelib.services.connections import NewConnection
from tests.console.browser import Browser, heading, text_of
from tests.services.world import PERSON, READS, World
from tests.writer.endpoint import Endpoint, a_tool
from tests.writer.stage import GOAL, Stage

HOSTILE = "<script>alert(1)</script>\u202e{{ 7 * 7 }}"


@pytest.fixture
def stage(world: World) -> Iterator[Stage]:
    with Endpoint([a_tool(READS)]) as model:
        stage = Stage(world, model, display_name="Demo notes")
        yield stage


def ask_for(stage: Stage, goal: str = GOAL) -> Ask:
    return stage.world.asked(stage.acquire(goal))


def standing(stage: Stage) -> Answer | None:
    approval = acquire_approval(stage.provider)
    found = stage.world.deps.store.find_approval(PERSON, stage.world.caller().agent.id, approval, stage.connection.id)
    return found.answer if found else None


def test_signed_out_the_link_leads_to_a_sign_in_that_returns_to_the_ask(stage: Stage, browser: Browser) -> None:
    ask = ask_for(stage)
    page = browser.get(f"/a/{ask.code}")
    assert browser.path == f"/sign-in?to=/a/{ask.code}"
    assert GOAL not in page.body


def test_the_hosts_come_first_then_who_is_sent_what_they_answer_then_the_agents_words(
    stage: Stage, mine: Browser
) -> None:
    page = text_of(mine.get(f"/a/{ask_for(stage).code}").body.partition("<body>")[2])
    in_order = [
        "Not you?",
        f"What this host answers would go to {stage.provider}",
        stage.world.vendor_host,
        "primary host",
        "demo asks to have tools written for demo",
        "Demo notes",
        "GET, HEAD; every other stops at the proxy",
        "never the credential",
        GOAL,
        "demo’s words about the first tool, not checked by Graft",
        "Allow",
        "Deny",
    ]
    at = 0
    for words in in_order:
        at = page.index(words, at) + len(words)


def test_beside_each_button_stands_what_it_covers(stage: Stage, mine: Browser) -> None:
    page = mine.get(f"/a/{ask_for(stage).code}").body
    covers = re.findall(r"<button[^>]*aria-describedby=\"([\w-]+)\"[^>]*>(.*?)</button><p id=\"\1\">(.*?)</p>", page)
    allow = (
        "demo may have tools written for this connection, whatever their goal, until you withdraw it. Graft reads from "
        f"the hosts above, and what they answer goes to {stage.provider}. Nothing is written at the vendor: a tool "
        "that can write still asks you before its first call."
    )
    assert [(text_of(button), text_of(sentence)) for _, button, sentence in covers] == [
        ("Allow", allow),
        ("Deny", "No tool is written for demo on this connection, until you withdraw."),
    ]


def test_enter_in_the_reason_can_only_deny(stage: Stage, mine: Browser) -> None:
    page = mine.get(f"/a/{ask_for(stage).code}").body
    (form,) = [form for form in re.findall(r"<form.*?</form>", page, re.DOTALL) if 'name="reason"' in form]
    assert 'name="answer" value="deny"' in form
    assert form.count("<button") == 1


def test_reading_it_however_often_changes_nothing(stage: Stage, mine: Browser, browser: Browser) -> None:
    ask = ask_for(stage)
    for visitor in (mine, browser):
        for method in ("GET", "HEAD") * 3:
            visitor.get(f"/a/{ask.code}", method=method)
    assert stage.world.deps.store.asks.find(PERSON, ask.id) == ask
    assert (standing(stage), stage.called) == (None, [])


def test_allowed_it_says_what_to_say_and_then_shows_the_job_until_its_tool_is_there(
    stage: Stage, mine: Browser
) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="allow")
    assert heading(page) == "Allowed"
    assert standing(stage) is Answer.ALLOWED
    assert "I have answered. Please repeat the same call." in page.body
    assert "Not repeated yet" in page.body
    assert isinstance(stage.acquire(), News)
    page = mine.get(f"/a/{ask.code}")
    assert "Queued: no attempt yet" in page.body
    assert 'data-live="2"' in page.body
    stage.work()
    page = mine.get(f"/a/{ask.code}")
    assert "Done: 1 attempt, 1,200 tokens" in page.body
    assert 'href="/toolbox/demo__list-notes"' in page.body
    assert "data-live" not in page.body


def test_a_job_that_failed_says_why(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="allow")
    stage.model.will_say([f"GIVE UP: no notes {HOSTILE}"])
    stage.acquire()
    stage.work()
    page = mine.get(f"/a/{ask.code}").body
    assert "Failed: 1 attempt" in page
    assert "The model says that it cannot be done." in page
    assert "<script>alert" not in page


def test_one_answer_covers_every_goal_of_the_agent_on_the_connection(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="allow")
    assert isinstance(stage.acquire("Count the notes"), News)
    stage.world.agent("laptop")
    other = acquire.acquire(stage.world.deps, stage.world.caller("laptop"), Wanted(stage.connection.id, GOAL))
    assert isinstance(other, Waiting)


def test_a_denial_keeps_the_reason_word_for_word(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="deny", reason=f"Not this account {HOSTILE}")
    assert heading(page) == "Denied"
    assert "No tool is written for demo on this connection, until you withdraw." in page.body
    assert "Not this account" in page.body
    assert "<script>alert" not in page.body
    with pytest.raises(Refusal) as refused:
        stage.acquire()
    assert refused.value.reason is Reason.APPROVAL_DENIED
    assert refused.value.details["personReason"] == f"Not this account {HOSTILE}"


def test_an_answer_is_withdrawn_on_the_agents_page_and_the_next_call_asks(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="allow").body
    agent = f"/agents/{stage.world.caller().agent.id}"
    assert f'href="{agent}"' in page
    page = mine.get(agent).body
    assert "Having tools written" in page
    assert "/toolbox/acquire" not in page
    approval = acquire_approval(stage.provider)
    mine.post(f"{agent}/withdraw", tool=approval, connection=stage.connection.id)
    assert isinstance(stage.acquire(), Waiting)


def test_a_double_tap_and_the_back_button_show_what_holds(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    first = mine.post(f"/a/{ask.code}", answer="allow")
    second = mine.post(f"/a/{ask.code}", answer="allow")
    assert heading(first) == heading(second) == "Allowed"
    assert "Already answered" not in first.body
    assert "It was allowed already, just now." in text_of(second.body)


def test_of_two_browsers_one_answer_holds_and_the_other_is_told(stage: Stage, mine: Browser) -> None:
    ask, other = ask_for(stage), Browser(stage.world.deps).sign_in(PERSON)
    for browser in (mine, other):
        browser.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="deny")
    late = other.post(f"/a/{ask.code}", answer="allow")
    assert heading(late) == "Denied"
    assert "That answer holds, and the one after it changed nothing." in text_of(late.body)
    assert standing(stage) is Answer.DENIED


def test_after_a_day_it_is_no_longer_open(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    stage.world.clock.forward(hours=25)
    assert heading(mine.get(f"/a/{ask.code}")) == "No longer open"
    assert heading(mine.post(f"/a/{ask.code}", answer="allow")) == "No longer open"
    assert standing(stage) is None


def test_another_provider_between_opening_and_allow_is_granted_nothing(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    stage.world.deps = replace(stage.world.deps, model=wiring._model({"GRAFT_MODEL": "bedrock:m"}))
    mine.deps = stage.world.deps
    page = mine.post(f"/a/{ask.code}", answer="allow")
    assert heading(page) == "Nothing was granted"
    assert "Another provider runs the model now." in page.body
    assert standing(stage) is None


def test_other_hosts_between_opening_and_allow_are_granted_nothing(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    seen = stage.connection
    wanted = NewConnection(
        seen.vendor, seen.primary_host, seen.scheme, hosts=["files.example.com"], secret={"token": "another"}
    )
    connections.replace_connection(stage.world.deps, seen, wanted)
    page = mine.post(f"/a/{ask.code}", answer="allow")
    assert heading(page) == "Nothing was granted"
    assert "The hosts of the connection changed; they are now" in page.body
    assert standing(stage) is None
    denied = mine.post(f"/a/{ask.code}", answer="deny")
    assert heading(denied) == "Denied"


def test_without_a_model_nothing_is_granted(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    mine.deps = replace(stage.world.deps, model=None)
    assert "No model is configured any more." in mine.post(f"/a/{ask.code}", answer="allow").body


def test_a_revoke_of_the_connection_or_the_agent_closes_it(stage: Stage, mine: Browser) -> None:
    first = ask_for(stage)
    agents.revoke_agent(stage.world.deps, PERSON, stage.world.caller().agent.id)
    assert heading(mine.get(f"/a/{first.code}")) == "Closed"
    stage.world.agent("laptop")
    asked = acquire.acquire(stage.world.deps, stage.world.caller("laptop"), Wanted(stage.connection.id, GOAL))
    second = stage.world.asked(asked)
    mine.get(f"/a/{second.code}")
    connections.revoke(stage.world.deps, PERSON, stage.connection.id)
    page = mine.post(f"/a/{second.code}", answer="allow")
    assert heading(page) == "Closed"
    assert "The connection was revoked." in page.body


def test_anothers_ask_is_the_same_nothing_as_none(stage: Stage, theirs: Browser) -> None:
    ask = ask_for(stage)
    found, missing = theirs.get(f"/a/{ask.code}"), theirs.get("/a/abcdefghijkl")
    assert (found.status, found.body.replace(ask.code, "abcdefghijkl")) == (404, missing.body)
    theirs.get("/settings")
    assert theirs.post(f"/a/{ask.code}", answer="allow").status == 404
    assert standing(stage) is None


@pytest.mark.parametrize("said", ["connect", "allow-every-time", "dry-run", ""])
def test_a_form_that_says_something_else_is_no_answer(stage: Stage, mine: Browser, said: str) -> None:
    ask = ask_for(stage)
    mine.get(f"/a/{ask.code}")
    assert mine.post(f"/a/{ask.code}", answer=said).status == 400
    assert standing(stage) is None


def test_the_goal_is_readable_whole_and_what_cannot_be_seen_is_spelled_out(stage: Stage, mine: Browser) -> None:
    long = f"{HOSTILE} " + "every order of the year " * 160
    page = mine.get(f"/a/{ask_for(stage, long).code}").body
    assert page.count("every order of the year") == 160
    assert re.search(r"<details[^>]*><summary>Show all \d{4} characters</summary>", page)
    assert "U+202E" in page
    assert "<script>alert" not in page
    assert len(page.encode()) <= 30_000


def test_it_stands_in_the_list_of_asks(stage: Stage, mine: Browser) -> None:
    ask = ask_for(stage)
    page = mine.get("/asks").body
    assert "demo asks to have tools written for demo" in text_of(page)
    assert f"What it answers would go to {stage.provider}." in text_of(page)
    mine.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="deny")
    assert "demo to have tools written for demo" in text_of(mine.get("/asks").body)
