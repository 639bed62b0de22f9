from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.errors import Conflict, Reason, Refusal
from chalicelib.model import Answer, Approval
from chalicelib.services import toolbox
from tests.services.world import ANSWERS, READS, WRITES, World


def refusal_of(world: World, name: str = "a", source: str = ANSWERS, **changes: Any) -> Refusal:
    with pytest.raises(Refusal) as refused:
        world.publish(name, source, **changes)
    return refused.value


def test_versions_count_up_and_every_one_stays_readable(world: World) -> None:
    world.publish("a", ANSWERS)
    world.publish("a", READS)
    current = toolbox.read_source(world.deps, world.caller(), "demo", "a", None)
    first = toolbox.read_source(world.deps, world.caller(), "demo", "a", 1)
    assert (current.version.version, current.version.source) == (2, READS)
    assert first.version.source == ANSWERS
    assert [number for number, _ in current.versions] == [1, 2]


def test_a_version_that_is_not_there_is_refused_with_those_that_are(world: World) -> None:
    world.publish("a")
    for number in (0, 2, 7, 10**12):
        with pytest.raises(Refusal) as refused:
            toolbox.read_source(world.deps, world.caller(), "demo", "a", number)
        assert "1 to 1" in refused.value.message


def test_republishing_keeps_promotion_time_and_last_use(world: World) -> None:
    world.publish("a")
    world.clock.forward(hours=1)
    world.call("a")
    before = world.caller().promotions
    world.clock.forward(hours=1)
    again = world.publish("a", READS)
    assert (again.tool.version, again.membership.changed, again.membership.promoted) == (2, False, True)
    assert world.caller().promotions == before
    assert len(world.history()) == 1


def test_republishing_raises_the_revision_a_sweep_has_read(world: World) -> None:
    world.publish("a")
    before = world.caller().agent.rev
    world.publish("a", READS)
    assert world.caller().agent.rev > before


@pytest.mark.parametrize("name", ["List", "a_b", "a.b", "n" * 47])
def test_a_bad_name_is_refused_and_nothing_is_published(world: World, name: str) -> None:
    assert refusal_of(world, name).reason is Reason.PUBLISH_REFUSED
    assert toolbox.find(world.deps, world.caller(), "", limit=10, offset=0).total == 0


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"type": "object", "anyOf": []}])
def test_a_bad_schema_is_refused_as_a_problem(world: World, schema: Any) -> None:
    """Report: dodopayments/dodopayments-typescript#189"""
    refusal = refusal_of(world, input_schema=schema)
    assert "demo__" in refusal.message
    assert [problem["rule"] for problem in refusal.details["problems"]] == ["input-schema"]


def test_a_module_that_fails_the_check_is_refused_with_lines(world: World) -> None:
    refusal = refusal_of(world, source="def run(input, http):\n    return htp.get('/x')\n")
    assert refusal.reason is Reason.PUBLISH_REFUSED
    assert refusal.details["problems"][0]["line"] == 2


def test_a_foreign_host_is_refused_and_a_declared_one_is_not(world: World) -> None:
    world.connect()
    assert refusal_of(world, source='def run(input, http):\n    return http.get("/x", host="evil.example").text()\n')
    world.publish("b", f'def run(input, http):\n    return http.get("/notes", host="{world.vendor_host}").text()\n')


def test_a_connection_that_is_not_there_is_refused_naming_the_live_ones(world: World) -> None:
    mine = world.connect()
    refusal = refusal_of(world, connection_id="nope")
    assert refusal.reason is Reason.CONNECTION_NOT_FOUND
    assert mine.id in refusal.message


def test_the_default_connection_is_the_single_live_one(world: World) -> None:
    mine = world.connect()
    assert world.publish("a").tool.connection_id == mine.id
    world.connect()
    assert world.publish("b").tool.connection_id is None


def test_a_test_input_dry_runs_the_new_version(world: World) -> None:
    world.connect()
    published = world.publish("create-note", WRITES, test_input={"text": "x"})
    assert isinstance(published.dry_run, dict)
    assert published.dry_run["previews"][0]["method"] == "POST"


def test_a_failed_test_run_does_not_undo_the_publish(world: World) -> None:
    published = world.publish("a", 'def run(input, http):\n    return input["missing"]\n', test_input={})
    assert isinstance(published.dry_run, dict)
    assert published.dry_run["passed"] is False
    assert world.set_of() == ["a"]


def test_everything_published_is_found_page_by_page(world: World) -> None:
    for at in range(7):
        world.publish(f"note-{at}")
    found = [
        tool.card.name
        for offset in (0, 3, 6)
        for tool in toolbox.find(world.deps, world.caller(), "note", limit=3, offset=offset).tools
    ]
    assert sorted(found) == [f"note-{at}" for at in range(7)]


def test_when_nothing_fits_the_note_says_so_and_points_at_acquire(world: World) -> None:
    world.publish("list-notes")
    found = toolbox.find(world.deps, world.caller(), "mine bitcoin", limit=10, offset=0)
    assert (found.tools, found.total) == ((), 0)
    assert "acquire" in found.note


def test_find_sees_what_another_agent_just_published(world: World) -> None:
    world.agent("laptop")
    assert toolbox.find(world.deps, world.caller("laptop"), "notes", limit=10, offset=0).total == 0
    world.publish("list-notes")
    assert toolbox.find(world.deps, world.caller("laptop"), "notes", limit=10, offset=0).total == 1


def test_a_table_too_busy_for_the_test_run_says_published_and_never_repeat(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.deps.store.runs, "claim", _too_busy)
    published = world.publish("a", test_input={})
    assert published.tool.version == 1
    assert isinstance(published.dry_run, dict)
    assert (published.dry_run["passed"], published.dry_run["error"]["reason"]) == (False, "rate_limited")
    assert "is published" in published.dry_run["error"]["message"]


NEEDS_N = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def deny(world: World) -> str:
    mine = world.connect()
    denied = Approval("demo__a", mine.id, Answer.DENIED, 1, world.clock(), "no")
    assert world.deps.store.grants.keep_approval(world.caller().agent, None, denied)
    return "once the person allows it"


@pytest.mark.parametrize(
    ("reason", "source", "changes", "scene"),
    [
        ("input_invalid", ANSWERS, {"input_schema": NEEDS_N}, lambda _: "with an input that fits its inputSchema"),
        ("connection_not_bound", READS, {}, lambda _: "once its vendor is connected"),
        ("approval_denied", WRITES, {}, deny),
    ],
)
def test_a_test_run_that_failed_for_no_fault_of_the_source_never_says_to_publish_or_repeat(
    world: World, reason: str, source: str, changes: dict[str, Any], scene: Callable[[World], str]
) -> None:
    when = scene(world)
    published = world.publish("a", source, test_input={}, **changes)
    assert isinstance(published.dry_run, dict)
    error = published.dry_run["error"]
    assert error["reason"] == reason
    assert error["message"].endswith(f"The tool is published. Run it with run_tool and dryRun {when}.")
    assert "epeat the call." not in error["message"]
    assert when in published.test_run_advice
    assert "publish again" not in published.test_run_advice


def test_a_test_run_that_the_source_spoiled_says_to_mend_it(world: World) -> None:
    published = world.publish("a", 'def run(input, http):\n    return input["missing"]\n', test_input={})
    assert "mend the source and publish again" in published.test_run_advice
    assert world.publish("b", test_input={}).test_run_advice == ""
    assert world.publish("b").test_run_advice == ""


def _too_busy(*_: object, **__: object) -> bool:
    raise Conflict("other writes kept meeting this one")


def test_the_test_run_of_a_denied_tool_is_refused_and_the_version_stays(world: World) -> None:
    mine = world.connect()
    world.publish("create-note", WRITES)
    denied = Approval("demo__create-note", mine.id, Answer.DENIED, 1, world.clock(), "not this one")
    assert world.deps.store.grants.keep_approval(world.caller().agent, None, denied)
    published = world.publish("create-note", WRITES + "# again\n", test_input={"text": "x"})
    assert published.tool.version == 2
    assert isinstance(published.dry_run, dict)
    assert published.dry_run["error"]["reason"] == "approval_denied"
    assert "They said: not this one. Do not" in published.dry_run["error"]["message"]
    assert world.ledger() == []
