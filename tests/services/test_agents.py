from __future__ import annotations

from typing import Any

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.services import agents
from chalicelib.services.sweep import run_sweep
from tests.services.world import PERSON, World


def edit(world: World, **changes: object) -> None:
    agent = world.caller().agent
    wanted = {"name": agent.name, "cap": agent.cap, "idle_window_days": agent.idle_window_days} | changes
    agents.edit_limits(world.deps, PERSON, agent.id, **wanted)  # type: ignore[arg-type]  # the test's own wrong types


def test_saved_limits_take_effect_at_the_next_sweep(world: World) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
    world.clock.forward(seconds=1)
    assert run_sweep(world.deps).demoted == []
    edit(world, cap=1)
    assert [leaver.tool for _, leaver in run_sweep(world.deps).demoted] == ["demo__a", "demo__b"]


def test_a_shorter_window_is_applied_though_the_agent_was_not_due_for_weeks(world: World) -> None:
    world.publish("a")
    run_sweep(world.deps)
    world.clock.forward(days=8)
    assert run_sweep(world.deps).visits == ()
    edit(world, idle_window_days=7)
    assert len(run_sweep(world.deps).demoted) == 1


def test_limits_edited_after_a_sweep_has_read_make_it_lose(world: World) -> None:
    before = world.caller().agent.rev
    edit(world, cap=5)
    assert world.caller().agent.rev > before


@pytest.mark.parametrize("changes", [{"cap": 0}, {"cap": 501}, {"idle_window_days": 0}, {"idle_window_days": 3651}])
def test_limits_out_of_bounds_are_refused_with_the_bounds(world: World, changes: dict[str, int]) -> None:
    before = world.caller().agent
    with pytest.raises(Refusal, match="whole number from 1 to"):
        edit(world, **changes)
    assert world.caller().agent == before


def test_a_renamed_agent_is_found_by_its_new_name_only(world: World) -> None:
    edit(world, name="desk")
    assert world.deps.store.agents.find_by_name(PERSON, "demo") is None
    assert world.deps.store.agents.find_by_name(PERSON, "desk") == world.caller().facts
    edit(world, name="Desk")
    assert world.caller().agent.name == "Desk"


def test_a_name_that_another_agent_has_is_refused(world: World) -> None:
    world.agent("laptop")
    with pytest.raises(Refusal, match="already"):
        edit(world, name="Laptop")
    assert world.caller().agent.name == "demo"


@pytest.mark.parametrize("limit", [2.0, True, "20", None])
def test_a_limit_that_is_no_whole_number_by_its_type_is_refused_and_the_agent_stays_readable(
    world: World, limit: Any
) -> None:
    mine = world.caller().agent
    for limits in ({"cap": limit, "idle_window_days": 21}, {"cap": 20, "idle_window_days": limit}):
        with pytest.raises(Refusal) as refused:
            agents.edit_limits(world.deps, PERSON, mine.id, name="demo", **limits)
        assert refused.value.reason is Reason.INPUT_INVALID
        with pytest.raises(Refusal):
            agents.create_agent(world.deps, PERSON, "other", **limits)
    assert world.caller().agent == mine


def test_an_agent_that_is_wished_for_twice_is_made_once(world: World) -> None:
    made, _ = agents.create_agent(world.deps, PERSON, "laptop", agent_id="chosenbefore1")
    assert made.id == "chosenbefore1"
    for name in ("laptop", "another"):
        with pytest.raises(Refusal):
            agents.create_agent(world.deps, PERSON, name, agent_id="chosenbefore1")
    assert {agent.name for agent in world.deps.store.agents.of_person(PERSON)} == {"demo", "laptop"}


def test_a_new_agents_scope_names_connections_of_its_person_only(world: World) -> None:
    mine = world.connect()
    made, _ = agents.create_agent(world.deps, PERSON, "laptop", connection_ids=frozenset({mine.id}))
    assert agents.find_agent(world.deps, PERSON, made.id).connection_ids == made.connection_ids == frozenset({mine.id})
    with pytest.raises(Refusal) as refused:
        agents.create_agent(world.deps, PERSON, "tablet", connection_ids=frozenset({"nosuch"}))
    assert refused.value.reason is Reason.CONNECTION_NOT_FOUND
