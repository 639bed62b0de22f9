"""What a model can do with Graft through each real harness: what it was offered, what it was shown, what came of it."""

from __future__ import annotations

import json
import re
from typing import Any, Final
from urllib.parse import urlsplit

from chalicelib.mcp.catalogue import META_TOOLS
from chalicelib.model import Cause
from chalicelib.services.deps import Deps
from tests.acceptance.console import Person
from tests.acceptance.graft import Graft, facts_of
from tests.acceptance.main_job import COUNT_NOTES, LIST_NOTES, a_draft

from .harness import Harness
from .model import Seen

LINK: Final = re.compile(r"http://127\.0\.0\.1:\d+/a/[A-Za-z0-9]{1,12}\b")
DELETE_NOTE: Final = {"vendor": "demo", "name": "delete-note"}
AWAITED_IN_A_ROW: Final = 3
"""After so many errors in a row a harness leaves a server alone for a while."""


def test_the_model_is_offered_each_meta_tool_as_graft_describes_it(harness: Harness) -> None:
    turn = harness.turn("Hello.")
    [seen] = turn.seen
    for meta_tool in META_TOOLS:
        offered = seen.offered[harness.shown_as(meta_tool.name)]
        assert meta_tool.description in offered["description"]
        assert described(offered["parameters"]) == described(meta_tool.input_schema)
    assert harness.offers(turn) == []


def test_a_tool_found_and_promoted_is_offered_in_the_next_turn_and_answers(harness: Harness, deps: Deps) -> None:
    told = harness.wire.heard()
    first = harness.turn(
        harness.call("find_tool", query="notes"),
        harness.call("promote", vendor="demo", name="list-notes"),
        "I have what I need.",
    )
    assert LIST_NOTES in first.shown[0]
    assert harness.offers(first) == []

    harness.await_list_change(told)
    second = harness.turn(harness.call(LIST_NOTES), "You have notes.")
    assert harness.offers(second) == [LIST_NOTES]
    assert "Renew the passport before March" in second.shown[0]
    [promotion] = facts_of(deps, harness.agent).promotions
    assert (promotion.tool, promotion.promoted_by) == (LIST_NOTES, Cause.AGENT)
    assert promotion.last_used_at is not None


def test_a_tool_is_published_and_run_in_one_turn_and_offered_in_the_next(harness: Harness, deps: Deps) -> None:
    tool = f"demo__count-for-{harness.name}"
    told = harness.wire.heard()
    first = harness.turn(
        harness.call("publish_tool", **a_draft(tool, COUNT_NOTES, testInput={})),
        harness.call("run_tool", vendor="demo", name=tool.removeprefix("demo__")),
        "Counted.",
    )
    published, ran = (answer_in(shown) for shown in first.shown)
    assert {"tool": tool, "version": 1, "promoted": True}.items() <= published.items()
    assert ran == {"notes": len(harness.agent.run(LIST_NOTES)["result"])}

    harness.await_list_change(told)
    second = harness.turn(harness.call(tool), "Counted again.")
    assert harness.offers(second) == [tool]
    assert answer_in(second.shown[0]) == ran
    [promotion] = facts_of(deps, harness.agent).promotions
    assert (promotion.tool, promotion.promoted_by) == (tool, Cause.PUBLISH)


def test_what_a_sweep_demotes_between_two_turns_is_gone_from_the_next_and_still_runs(
    graft: Graft, harness: Harness, deps: Deps
) -> None:
    told = harness.wire.heard()
    harness.turn(harness.call("promote", vendor="demo", name="list-notes"), "Promoted.")
    harness.await_list_change(told)
    assert harness.offers(harness.turn("Nothing to do.")) == [LIST_NOTES]

    told = harness.wire.heard()
    graft.command("sweep", "--at", "+30d")
    [change] = deps.store.sets.history(facts_of(deps, harness.agent).agent)[0].changes
    assert (change.tool, change.cause) == (LIST_NOTES, Cause.IDLE)
    harness.await_list_change(told)
    turn = harness.turn(harness.call("run_tool", vendor="demo", name="list-notes"), "They are still there.")
    assert harness.offers(turn) == []
    assert "Renew the passport before March" in turn.shown[0]


def test_a_handoff_link_reaches_the_person_as_it_is_and_the_same_call_succeeds_once_answered(
    graft: Graft, harness: Harness
) -> None:
    text = f"Buy bread for {harness.name}"
    create = harness.call("run_tool", vendor="demo", name="create-note", input={"text": text})
    asked = harness.turn(create, lambda seen: f"Please open {link_in(seen)} and tell me when you have answered.")
    waiting = answer_in(asked.shown[0])
    assert waiting["status"] == "awaiting_approval"
    assert waiting["url"] in asked.said
    assert text not in notes_of(harness)

    relayed = LINK.search(asked.said)
    assert relayed is not None, asked.said
    person = Person(graft.local["console_url"]).open(graft.command("sign-in").split()[0])
    person.open(relayed[0]).send(urlsplit(relayed[0]).path, answer="allow")
    assert person.heading == "Allowed"
    done = harness.turn(create, "The note is there.")
    assert answer_in(done.shown[0])["text"] == text
    assert notes_of(harness).count(text) == 1


def test_three_answers_in_a_row_that_wait_for_the_person_do_not_make_it_leave_the_server_alone(
    harness: Harness,
) -> None:
    deletions = [
        harness.call("run_tool", **DELETE_NOTE, input={"id": f"note-{number}"}) for number in range(AWAITED_IN_A_ROW)
    ]
    turn = harness.turn(*deletions, harness.call("run_tool", vendor="demo", name="list-notes"), "They wait for you.")
    *waiting, listed = turn.shown
    asks = [answer_in(shown) for shown in waiting]
    assert [ask["status"] for ask in asks] == ["awaiting_approval"] * AWAITED_IN_A_ROW
    assert len({ask["url"] for ask in asks}) == 1, "repeating an open question opens no second one"
    assert "Renew the passport before March" in listed


def described(schema: dict[str, Any]) -> dict[str, str]:
    """What each field's description says."""
    return {name: field.get("description", "") for name, field in schema["properties"].items()}


def answer_in(shown: str) -> dict[str, Any]:
    """Graft's own answer in what the model was shown: each harness puts its own words around it."""
    decoder = json.JSONDecoder()
    for start in (match.start() for match in re.finditer(r"\{", shown)):
        try:
            found = decoder.raw_decode(shown, start)[0]
        except ValueError:
            continue
        return unwrapped(found)
    raise ValueError(f"no JSON in {shown!r}")


def unwrapped(found: dict[str, Any]) -> dict[str, Any]:
    """Hermes puts a result into another one."""
    inner = found.get("structuredContent", found.get("result"))
    if isinstance(inner, str):
        inner = json.loads(inner)
    return inner if isinstance(inner, dict) else found


def link_in(seen: Seen) -> str:
    found = LINK.search(seen.results[-1])
    assert found is not None, seen.results
    return found[0]


def notes_of(harness: Harness) -> list[str]:
    return [note["text"] for note in harness.agent.run(LIST_NOTES)["result"]]
