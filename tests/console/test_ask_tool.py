"""The page that asks whether an agent may run a tool, in every state."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from chalicelib.console.paging import PAGE_BYTES
from chalicelib.model import Answer, Ask
from chalicelib.services import agents, requests
from chalicelib.services import connections as connection_service
from tests.console.browser import Browser, heading, text_of
from tests.services.world import DELETES, PERSON, WRITES, World

HOSTILE = "<script>alert(1)</script>\u202e{{ 7 * 7 }}"


@pytest.fixture
def writing(world: World) -> World:
    world.connect(display_name="Demo notes")
    world.publish("create-note", WRITES)
    return world


def ask_for(world: World, **arguments: Any) -> Ask:
    return world.asked(world.call("create-note", **(arguments or {"text": "bread"})))


def approval_of(world: World) -> Answer | None:
    bound = world.connection().id
    found = world.deps.store.find_approval(PERSON, world.caller().agent.id, "demo__create-note", bound)
    return found.answer if found else None


def test_signed_out_the_link_leads_to_a_sign_in_that_returns_to_the_ask(writing: World, browser: Browser) -> None:
    ask = ask_for(writing)
    page = browser.get(f"/a/{ask.code}")
    assert browser.path == f"/sign-in?to=/a/{ask.code}"
    assert "You come back to it once you are in" in page.body
    assert "Opened from a chat app?" in page.body
    assert "create-note" not in page.body


def test_the_page_says_everything_in_the_contracts_order(writing: World, mine: Browser) -> None:
    ask = ask_for(writing, text="two loaves")
    page = text_of(mine.get(f"/a/{ask.code}").body.partition("<body>")[2])
    in_order = [
        "Not you?",
        "Let demo run demo__create-note?",
        "write",
        "It can write at the vendor.",
        "POST; the proxy stops every other",
        writing.vendor_host,
        "Demo notes",
        "What this call sends",
        "text, 10 characters",
        "two loaves",
        "Version 1",
        "Published by demo itself",
        "What its author says",
        "create-note of the demo vendor",
        "Try it dry first",
        "Allow",
        "Allow, and ask every time",
        "Deny",
    ]
    at = 0
    for words in in_order:
        at = page.index(words, at) + len(words)


def test_beside_each_button_stands_what_it_covers(writing: World, mine: Browser) -> None:
    page = mine.get(f"/a/{ask_for(writing).code}").body
    covers = re.findall(r"<button[^>]*aria-describedby=\"([\w-]+)\"[^>]*>(.*?)</button><p id=\"\1\">(.*?)</p>", page)
    assert [(text_of(button), text_of(sentence)) for _, button, sentence in covers] == [
        (
            "Allow",
            "demo may run this tool, with any input, without asking, until its code changes or you withdraw it.",
        ),
        ("Allow, and ask every time", "This call, exactly as shown, once. Every later call asks again."),
        ("Deny", "This and later calls, until you withdraw."),
    ]


def test_enter_in_the_reason_can_only_deny(writing: World, mine: Browser) -> None:
    """A browser presses a form's first button for the Enter key; the reason's form has no other than Deny."""
    page = mine.get(f"/a/{ask_for(writing).code}").body
    (form,) = [form for form in re.findall(r"<form.*?</form>", page, re.DOTALL) if 'name="reason"' in form]
    assert 'name="answer" value="deny"' in form
    assert form.count("<button") == 1


def test_reading_it_however_often_changes_nothing(writing: World, mine: Browser, browser: Browser) -> None:
    ask = ask_for(writing)
    for visitor in (mine, browser):
        for method in ("GET", "HEAD") * 5:
            visitor.get(f"/a/{ask.code}", method=method)
    assert writing.deps.store.asks.find(PERSON, ask.id) == ask
    assert mine.post(f"/a/{ask.code}", answer="allow").status == 200
    assert approval_of(writing) is Answer.ALLOWED


def test_allow_leads_back_to_the_page_which_says_what_to_say_and_then_what_came_of_it(
    writing: World, mine: Browser
) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    answered = mine.post_only(f"/a/{ask.code}", answer="allow")
    assert (answered.status, answered.headers["Location"]) == (303, f"/a/{ask.code}")
    page = mine.get(f"/a/{ask.code}")
    assert heading(page) == "Allowed"
    assert "I have answered. Please repeat the same call." in page.body
    assert "Not repeated yet" in page.body
    assert 'data-live="2"' in page.body
    assert writing.call("create-note", text="bread")["text"] == "bread"
    page = mine.get(f"/a/{ask.code}")
    assert "Done in" in page.body
    assert "data-live" not in page.body


def test_a_repeated_call_that_failed_says_how(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="allow")
    with pytest.raises(Exception, match="tool_failed"):
        writing.call("create-note", nothing="here")
    assert "tool failed" in mine.get(f"/a/{ask.code}").body


def test_allow_every_time_covers_this_call_once(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    assert heading(mine.post(f"/a/{ask.code}", answer="allow-every-time")) == "Allowed, this once"
    assert writing.call("create-note", text="bread")["text"] == "bread"
    again = mine.get(f"/a/{ask_for(writing).code}")
    assert "You chose to be asked every time." in again.body
    assert "You allowed this version before" in again.body


def test_deny_keeps_the_reason_word_for_word(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="deny", reason=f"use the other account {HOSTILE}")
    assert heading(page) == "Denied"
    assert "use the other account" in page.body
    assert "<script>alert" not in page.body
    assert approval_of(writing) is Answer.DENIED


def test_a_double_tap_and_the_back_button_show_what_holds(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    first = mine.post(f"/a/{ask.code}", answer="allow")
    second = mine.post(f"/a/{ask.code}", answer="allow")
    assert heading(first) == heading(second) == "Allowed"
    assert "Already answered" not in first.body
    assert "It was allowed already, just now." in text_of(second.body)


def test_of_two_browsers_one_answer_holds_and_the_other_is_told(writing: World, mine: Browser) -> None:
    ask, other = ask_for(writing), Browser(writing.deps).sign_in(PERSON)
    for browser in (mine, other):
        browser.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="deny")
    late = other.post(f"/a/{ask.code}", answer="allow")
    assert heading(late) == "Denied"
    assert "It was denied already, just now. That answer holds, and the one after it changed nothing." in text_of(
        late.body
    )
    assert approval_of(writing) is Answer.DENIED


def test_after_a_day_it_is_no_longer_open(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    writing.clock.forward(hours=25)
    assert heading(mine.get(f"/a/{ask.code}")) == "No longer open"
    assert heading(mine.post(f"/a/{ask.code}", answer="allow")) == "No longer open"
    assert approval_of(writing) is None


def test_republished_between_opening_and_allow_nothing_is_granted(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    writing.publish("create-note", WRITES + "# other\n")
    page = mine.post(f"/a/{ask.code}", answer="allow")
    assert heading(page) == "Nothing was granted"
    assert "has version 2 now" in page.body
    assert approval_of(writing) is None
    newer = ask_for(writing)
    assert f"/a/{newer.code}" in mine.get(f"/a/{ask.code}").body


def test_what_changed_can_still_be_denied(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    writing.publish("create-note", WRITES + "# other\n")
    mine.get(f"/a/{ask.code}")
    assert heading(mine.post(f"/a/{ask.code}", answer="deny")) == "Denied"


def test_a_revoke_of_the_connection_or_the_agent_closes_it(writing: World, mine: Browser) -> None:
    first = ask_for(writing)
    agents.revoke_agent(writing.deps, PERSON, writing.caller().agent.id)
    assert heading(mine.get(f"/a/{first.code}")) == "Closed"
    writing.agent("laptop")
    second = writing.asked(writing.call("create-note", by="laptop", text="x"))
    connection_service.revoke(writing.deps, PERSON, writing.connection().id)
    page = mine.get(f"/a/{second.code}")
    assert heading(page) == "Closed"
    assert "The connection was revoked." in page.body


def test_a_new_version_shows_what_changed_since_the_version_that_was_allowed(writing: World, mine: Browser) -> None:
    first = ask_for(writing)
    mine.get(f"/a/{first.code}")
    mine.post(f"/a/{first.code}", answer="allow")
    writing.agent("laptop")
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    writing.publish("create-note", DELETES, by="laptop", input_schema=schema)
    page = text_of(mine.get(f"/a/{ask_for(writing).code}").body)
    assert "You last allowed version 1" in page
    assert "Published by laptop, another of your agents" in page
    assert "1 line in, 1 out." in page
    assert "It asks for text too." in page
    assert "It uses DELETE now, which it did not." in page
    assert "put in: return http.delete" in page.replace("  ", " ")
    assert "destructive" in page


def test_every_value_is_readable_whole_and_what_cannot_be_seen_is_spelled_out(writing: World, mine: Browser) -> None:
    long = "x" * 958
    ask = ask_for(writing, text=f"mail.exam\u200bple {HOSTILE}", long=long, many=[1, None], flag=True, none="")
    page = mine.get(f"/a/{ask.code}").body
    assert "<script>alert" not in page
    assert "{{ 7 * 7 }}" in page
    assert '<span class="unseen">U+200B zero width space</span>' in page
    assert "U+202E right-to-left override" in page
    assert "\u200b" not in page
    assert "\u202e" not in page
    assert "Show all 958 characters" in page
    assert long in page
    assert "list, 2 items" in page
    assert "yes or no" in page
    assert ">empty</span>" in page


def test_a_dry_run_shows_what_would_leave_and_answers_nothing(writing: World, mine: Browser) -> None:
    ask = ask_for(writing, text="bread")
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="dry-run")
    assert page.status == 200
    report = text_of(page.body)
    assert "It went through. Nothing was written." in report
    assert f"POST {writing.vendor_host}/notes" in report
    assert '"text": "bread"' in report or '{"text":"bread"}' in report.replace(" ", "")
    assert writing.deps.store.asks.find(PERSON, ask.id) == ask


def test_what_is_long_beside_the_values_stands_behind_its_length_too(writing: World, mine: Browser) -> None:
    """So that the buttons are near; nothing of it is left out."""
    writing.publish("create-note", WRITES, description="d" * 601)
    ask = ask_for(writing, text="b" * 700)
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="dry-run").body
    assert re.search(rf"Show all 601 characters</summary><div class=\"whole\">{'d' * 601}</div>", page)
    stopped = page.partition("Stopped at the proxy")[2].partition("</ol>")[0]
    assert re.search(r"Show 7\d\d characters</summary>", stopped)
    assert "b" * 700 in stopped


def test_a_dry_run_that_fails_says_why(writing: World, mine: Browser) -> None:
    ask = ask_for(writing, nothing="here")
    mine.get(f"/a/{ask.code}")
    assert "It did not go through." in text_of(mine.post(f"/a/{ask.code}", answer="dry-run").body)


def test_whoever_is_not_this_person_switches_and_keeps_the_link(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    page = mine.post("/sign-out", to=f"/a/{ask.code}")
    assert mine.path == f"/sign-in?to=/a/{ask.code}"
    assert heading(page) == "Sign in"
    assert mine.get(f"/a/{ask.code}", follow=False).status == 303


def test_anothers_ask_is_the_same_nothing_as_none(writing: World, theirs: Browser) -> None:
    ask = ask_for(writing)
    code = "x" * len(ask.code)
    found, missing = theirs.get(f"/a/{ask.code}"), theirs.get(f"/a/{code}")
    assert found.status == missing.status == 404
    assert found.body.replace(ask.code, code) == missing.body


def test_an_address_that_only_this_machine_reaches_is_flagged(writing: World, mine: Browser) -> None:
    assert "Graft runs on this machine only" in mine.get(f"/a/{ask_for(writing).code}").body


def test_a_form_that_says_something_else_is_no_answer(writing: World, mine: Browser) -> None:
    ask = ask_for(writing)
    mine.get(f"/a/{ask.code}")
    assert mine.post(f"/a/{ask.code}", answer="approve-all").status == 400
    assert writing.deps.store.asks.find(PERSON, ask.id) == ask


def large(word: str) -> str:
    """As long as a source may be: 500 lines of comment, and one that writes far below."""
    lines = "".join(f"    # {word} {number} <&>\n" for number in range(500))
    return f"def run(input, http):\n{lines}    http.post('/notes', json={{}})\n    return 1\n"


def walked(mine: Browser, address: str, what: str) -> list[str]:
    """The lines of the change or of the source, from the first page of them to the last."""
    lines: list[str] = []
    next_address = address
    while next_address:
        page = mine.get(next_address.partition("#")[0]).body
        assert len(page.encode()) <= PAGE_BYTES
        part = page.partition(f'id="{what}"')[2].partition("</ol>")[0]
        lines += [text_of(line) for line in re.findall(r"<li.*?</li>", part, re.DOTALL)]
        after = re.search(rf'href="([^"]+{what}=[1-9]\d*#{what})">Next lines', page)
        next_address = unescape(after[1]) if after else ""
    return lines


def test_a_large_change_is_read_a_page_at_a_time_and_no_line_of_it_is_lost(writing: World, mine: Browser) -> None:
    writing.publish("create-note", large("before"), description="\u200b<" * 900)
    first = ask_for(writing)
    mine.get(f"/a/{first.code}")
    mine.post(f"/a/{first.code}", answer="allow")
    writing.publish("create-note", large("after"), description="\u200b<" * 900)
    ask = ask_for(writing, text="\u200b<" * 20)
    change = walked(mine, f"/a/{ask.code}", "change")
    assert sum(line.startswith("+ put in:") for line in change) == 500
    assert sum(line.startswith("− taken out:") for line in change) == 500
    source = walked(mine, f"/a/{ask.code}", "source")
    assert len(source) == 503
    page = mine.get(f"/a/{ask.code}").body
    assert "Of its 503 lines 1 writes: 502" in text_of(page)
    assert "/notes" in mine.get(f"/a/{ask.code}?source=501").body
    for wrong in ("source=x", "source=99999", "change=-1", "change=99999"):
        assert mine.get(f"/a/{ask.code}?{wrong}").status == 200


def test_no_line_of_what_is_to_be_allowed_is_cut_and_no_value(writing: World, mine: Browser) -> None:
    long = "y" * 9_000
    writing.publish("create-note", WRITES + f"# {long}end\n")
    ask = ask_for(writing, text="z" * 40_000)
    page = mine.get(f"/a/{ask.code}").body
    assert "z" * 40_000 in page
    assert f"{long}end" in "".join(walked_lines(mine, f"/a/{ask.code}?source=2"))


def walked_lines(mine: Browser, address: str) -> list[str]:
    return [text_of(line) for line in re.findall(r"<li.*?</li>", mine.get(address).body, re.DOTALL)]


def test_a_dry_run_of_very_many_calls_is_told_in_short(writing: World, mine: Browser) -> None:
    source = (
        "def run(input, http):\n"
        "    for number in range(20):\n"
        "        http.get('/notes')\n"
        "    for number in range(20):\n"
        "        http.post('/notes', json={'text': input['text'] * 3000})\n"
        "    return 'r' * 9000\n"
    )
    writing.publish("create-note", source)
    ask = ask_for(writing, text="<&>")
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="dry-run").body
    assert len(page.encode()) <= PAGE_BYTES
    report = text_of(page)
    assert report.count("and 12 more") == 2
    assert "more characters" in report


def test_a_connections_name_cannot_turn_what_is_read(world: World, mine: Browser) -> None:
    """An agent proposed it."""
    bound = world.connect(display_name="Notes \u202etxt\u200b <b>")
    world.publish("create-note", WRITES)
    ask = ask_for(world)
    credential = world.asked(requests.request_credential(world.deps, world.caller(), bound.id, ""))
    agent = f"/agents/{world.caller().agent.id}"
    pages = ["/asks", f"/a/{ask.code}", f"/a/{credential.code}", f"{agent}/scope", "/agents/new"]
    for page in [*pages, f"/connections/{bound.id}/secret"]:
        body = mine.get(page).body
        assert not set("\u202e\u200b") & set(body), page
        assert "<b>" not in body.partition("Notes")[2][:200], page
        assert ("U+202E" in body) == ("Notes" in body), page
    mine.post(f"/a/{credential.code}", answer="decline")
    assert not set("\u202e\u200b") & set(mine.get(f"/a/{credential.code}").body + mine.get("/asks").body)
