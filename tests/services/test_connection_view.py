"""What a person is told of their connections: what was recorded, what uses them, and what a revoke would take."""

from __future__ import annotations

from datetime import timedelta

from chalicelib.services import agents, connection_view, connections
from chalicelib.services.connection_view import ConnectionFacts, Leaving, RevokeEffects
from tests.services.world import READS, WRITES, World


def every(world: World) -> list[ConnectionFacts]:
    return connection_view.every(world.deps, world.caller().person)


def effects(world: World, connection_id: str) -> RevokeEffects:
    found = connection_view.find_effects(world.deps, world.caller().person, connection_id)
    assert found is not None
    return found


def test_a_connection_is_not_tried_until_a_vendor_has_answered(world: World) -> None:
    world.connect()
    (fresh,) = every(world)
    assert (fresh.answer, fresh.has_new_secret) == (None, False)
    world.publish("reads", READS)
    world.call("reads")
    (tried,) = every(world)
    assert tried.answer is not None
    assert (tried.answer.status, tried.answer.at, tried.tools) == (200, world.clock(), 1)


def test_what_the_old_secret_was_answered_says_nothing_of_the_new_one(world: World) -> None:
    mine = world.connect(secret={"token": "wrong"})
    world.publish("reads", READS)
    world.call("reads")
    (refused,) = every(world)
    assert refused.answer is not None
    assert refused.answer.status == 401
    world.clock.forward(minutes=1)
    connections.replace_secret(world.deps, mine, {"token": world.vendor_token})
    (renewed,) = every(world)
    assert (renewed.answer, renewed.has_new_secret) == (None, True)
    world.call("reads")
    (works,) = every(world)
    assert works.answer is not None
    assert works.answer.status == 200


def test_a_revoked_connection_comes_last_and_nothing_uses_it(world: World) -> None:
    gone = world.connect("notes")
    world.publish("bound", vendor="notes")
    world.clock.forward(seconds=1)
    kept = world.connect("other")
    assert [(one.connection.id, one.tools) for one in every(world)] == [(gone.id, 1), (kept.id, 0)]
    connections.revoke(world.deps, gone.person_id, gone.id)
    assert [(one.connection.id, one.tools) for one in every(world)] == [(kept.id, 0), (gone.id, 0)]
    assert every(world)[1].connection.revoked_at == world.clock()


def test_a_tool_without_a_default_counts_where_a_run_would_go(world: World) -> None:
    world.publish("a")
    first = world.connect()
    assert [one.tools for one in every(world)] == [1]
    world.clock.forward(seconds=1)
    world.connect()
    assert [one.tools for one in every(world)] == [0, 0]
    world.publish("a", connection_id=first.id)
    assert [one.tools for one in every(world)] == [1, 0]


def test_the_effects_are_those_that_the_revoke_then_has(world: World) -> None:
    mine = world.connect()
    for name in ("writes", "reads", "other"):
        world.publish(name, WRITES if name == "writes" else READS)
    world.clock.forward(seconds=1)
    world.agent("desk")
    world.promote("reads", by="desk")
    world.demote("other")
    world.call("writes", text="x")
    world.allow("writes")
    world.publish("asks", WRITES)
    world.call("asks", text="x")
    told = effects(world, mine.id)
    assert told.leaving == (
        Leaving("demo", ("demo__writes", "demo__reads", "demo__asks"), ("demo__writes",)),
        Leaving("desk", ("demo__reads",), ()),
    )
    assert (told.asks, told.tools) == (1, ("demo__asks", "demo__other", "demo__reads", "demo__writes"))
    before = {name: world.set_of(name) for name in ("demo", "desk")}
    connections.revoke(world.deps, mine.person_id, mine.id)
    went = {name: set(before[name]) - set(world.set_of(name)) for name in before}
    assert {one.agent: {f"demo__{name}" for name in went[one.agent]} for one in told.leaving} == {
        one.agent: set(one.tools) for one in told.leaving
    }


def test_an_agent_that_was_revoked_loses_no_tool_by_it(world: World) -> None:
    mine = world.connect()
    world.agent("gone")
    world.publish("reads", READS, by="gone")
    agents.revoke_agent(world.deps, mine.person_id, world.caller("gone").agent.id)
    assert effects(world, mine.id).leaving == ()


def test_another_persons_connection_has_no_effects(world: World) -> None:
    mine = world.connect()
    world.deps.store.people.add("p2")
    stranger = world.deps.store.people.find("p2")
    assert stranger is not None
    assert connection_view.find_effects(world.deps, stranger, mine.id) is None


def test_an_ask_that_has_expired_does_not_count(world: World) -> None:
    mine = world.connect()
    world.publish("writes", WRITES)
    world.call("writes", text="x")
    world.clock.forward(seconds=timedelta(hours=25).total_seconds())
    assert effects(world, mine.id).asks == 0
