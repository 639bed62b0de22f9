from __future__ import annotations

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Cause
from chalicelib.services import list_changes, working_set
from tests.services.world import World


def test_publishing_promotes_for_the_publisher_and_nobody_else(world: World) -> None:
    world.agent("laptop")
    published = world.publish("a")
    assert (published.membership.promoted, published.membership.changed) == (True, True)
    assert world.set_of("demo") == ["a"]
    assert world.set_of("laptop") == []
    assert world.history()[0].changes[0].cause is Cause.PUBLISH


def test_two_agents_of_a_person_have_one_toolbox_and_two_lists(world: World) -> None:
    world.agent("laptop")
    world.publish("a", by="laptop")
    world.publish("b")
    world.promote("a")
    assert world.set_of("demo") == ["b", "a"]
    assert world.set_of("laptop") == ["a"]


def test_promoting_what_is_promoted_changes_nothing(world: World) -> None:
    world.publish("a")
    before = world.caller().agent
    assert not world.promote("a").changed
    assert world.caller().agent == before
    assert len(world.history()) == 1


def test_demoting_what_is_not_promoted_changes_nothing(world: World) -> None:
    world.publish("a")
    assert world.demote("a").changed
    again = world.demote("a")
    assert (again.changed, again.promoted, again.working_set_size) == (False, False, 0)
    assert len(world.history()) == 2


def test_a_new_tool_goes_last_and_a_tool_that_comes_back_does_too(world: World) -> None:
    """Report: langchain-ai/deepagents#2497"""
    for name in ("b", "a", "c"):
        world.publish(name)
    world.demote("b")
    world.promote("b")
    assert world.set_of() == ["a", "c", "b"]


def test_promotion_starts_with_no_use_whatever_the_past(world: World) -> None:
    world.publish("a")
    world.call("a")
    assert world.caller().promotions[0].last_used_at == world.clock()
    world.demote("a")
    world.promote("a")
    assert world.caller().promotions[0].last_used_at is None


def test_names_are_read_padded_and_in_any_case(world: World) -> None:
    """Report: openclaw/openclaw#27045"""
    world.publish("list-notes")
    world.demote("list-notes")
    assert working_set.promote(world.deps, world.caller(), " Demo ", "LIST-notes").tool == "demo__list-notes"


def test_an_unknown_name_is_refused_with_the_nearest(world: World) -> None:
    for name in ("list-notes", "list-nodes", "create-note", "x"):
        world.publish(name)
    with pytest.raises(Refusal) as refused:
        world.promote("list-note")
    assert refused.value.reason is Reason.TOOL_NOT_FOUND
    assert refused.value.details["nearest"][0] in ("demo__list-notes", "demo__list-nodes")
    assert len(refused.value.details["nearest"]) == 3


def test_over_the_cap_the_note_says_how_many_and_which_is_next(world: World) -> None:
    world.agent("small", cap=2)
    for name in ("a", "b", "c"):
        world.publish(name)
        note = world.promote(name, by="small").note
    assert note is not None
    assert "1 over its cap of 2" in note
    assert "demo__a" in note


def test_over_the_cap_with_everything_in_use_the_note_says_that_none_leaves(world: World) -> None:
    world.agent("small", cap=1)
    for name in ("a", "b"):
        world.publish(name, by="small")
        world.call(name, by="small")
    note = world.promote("b", by="small").note
    assert note is not None
    assert "takes none" in note


def test_what_was_listed_and_what_is_now_tell_whether_the_list_moved(world: World) -> None:
    world.publish("a")
    listed = list_changes.current(world.deps, world.caller())
    assert not list_changes.has_moved(world.deps, world.caller(), listed)
    world.publish("b")
    assert list_changes.has_moved(world.deps, world.caller(), listed)


def test_there_and_back_again_is_no_list_change_but_another_version_is(world: World) -> None:
    world.publish("a")
    listed = list_changes.current(world.deps, world.caller())
    world.publish("b")
    world.demote("b")
    assert not list_changes.has_moved(world.deps, world.caller(), listed)
    world.publish("a")
    assert list_changes.has_moved(world.deps, world.caller(), listed)


def test_a_version_published_by_another_agent_moves_the_list_of_those_who_hold_the_tool(world: World) -> None:
    world.agent("laptop")
    world.agent("bystander")
    world.publish("a")
    world.promote("a", by="laptop")
    seen = {name: list_changes.current(world.deps, world.caller(name)) for name in ("laptop", "bystander")}
    world.publish("a")
    assert list_changes.has_moved(world.deps, world.caller("laptop"), seen["laptop"])
    assert not list_changes.has_moved(world.deps, world.caller("bystander"), seen["bystander"])


def test_a_session_remembers_what_it_listed_and_writes_only_changes(world: World) -> None:
    world.publish("a")
    caller = world.caller(session_id="s1")
    listed = list_changes.current(world.deps, caller)
    list_changes.remember(world.deps, caller, listed)
    assert world.caller(session_id="s1").listed == listed
    assert world.caller(session_id="s2").listed is None
