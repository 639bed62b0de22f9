from __future__ import annotations

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Cause, ConnectionState
from chalicelib.services import connections
from chalicelib.services.asks import Waiting
from chalicelib.services.sweep import run_sweep
from chalicelib.storage import items
from chalicelib.storage.table import update
from tests.services.world import PERSON, READS, WRITES, World, break_row


def test_a_credential_is_sealed_in_the_table_and_shown_by_no_repr(world: World) -> None:
    connection = world.connect()
    stored = world.deps.store.grants.find_connection(PERSON, connection.id)
    assert stored is not None
    assert stored.sealed_secret is not None
    assert world.vendor_token.encode() not in stored.sealed_secret
    assert "sealed_secret" not in repr(stored)
    opened = world.deps.vault.open(stored.sealed_secret, person_id=PERSON, connection_id=connection.id)
    assert opened == {"token": world.vendor_token}


def test_a_sealed_credential_copied_to_another_connection_does_not_open(world: World) -> None:
    first, second = world.connect(), world.connect()
    assert first.sealed_secret is not None
    with pytest.raises(Refusal) as refused:
        world.deps.vault.open(first.sealed_secret, person_id=PERSON, connection_id=second.id)
    assert refused.value.reason is Reason.CREDENTIAL_MISSING


def test_everything_wrong_with_a_connection_is_said_at_once_without_the_secret(world: World) -> None:
    with pytest.raises(Refusal) as refused:
        world.connect("Bad Vendor", primary_host="10.0.0.1", secret={"token": "se cret\n"})
    assert len(refused.value.details["problems"]) == 3
    assert "se cret" not in str(refused.value)


def test_a_revoke_takes_the_tools_from_every_agent_and_keeps_them_in_the_toolbox(world: World) -> None:
    mine = world.connect()
    world.agent("laptop")
    world.publish("list-notes", READS)
    world.publish("other", vendor="elsewhere")
    world.promote("list-notes", by="laptop")
    connections.revoke(world.deps, PERSON, mine.id)
    assert [p.tool for p in world.caller().promotions] == ["elsewhere__other"]
    assert world.set_of("laptop") == []
    assert world.history("laptop")[0].changes[0].cause is Cause.REVOKE
    assert world.promote("list-notes").changed


def test_a_revoke_wipes_the_credential_and_withdraws_approvals_and_asks(world: World) -> None:
    mine = world.connect()
    world.publish("create-note", WRITES)
    world.allow("create-note")
    connections.revoke(world.deps, PERSON, mine.id)
    row = world.deps.store.grants.find_connection(PERSON, mine.id)
    assert row is not None
    assert (row.state, row.sealed_secret) == (ConnectionState.REVOKED, None)
    again = world.connect()
    world.publish("create-note", WRITES, connection_id=again.id)
    assert isinstance(world.call("create-note", text="x"), Waiting)


def test_nothing_leaves_after_a_revoke(world: World) -> None:
    mine = world.connect()
    world.publish("list-notes", READS)
    connections.revoke(world.deps, PERSON, mine.id)
    with pytest.raises(Refusal) as refused:
        world.call("list-notes")
    assert refused.value.reason is Reason.CONNECTION_REVOKED


def test_a_revoke_that_was_cut_short_is_finished_by_the_next_sweep(world: World) -> None:
    mine = world.connect()
    world.publish("list-notes", READS)
    assert world.deps.store.grants.begin_revoke(mine, world.clock())
    run_sweep(world.deps)
    row = world.deps.store.grants.find_connection(PERSON, mine.id)
    assert row is not None
    assert row.state is ConnectionState.REVOKED
    assert world.set_of() == []
    assert run_sweep(world.deps).visits == ()


def test_publishing_against_a_revoked_connection_is_refused(world: World) -> None:
    mine = world.connect()
    connections.revoke(world.deps, PERSON, mine.id)
    with pytest.raises(Refusal) as refused:
        world.publish("list-notes", READS, connection_id=mine.id)
    assert refused.value.reason is Reason.CONNECTION_REVOKED


def test_an_agent_that_cannot_be_read_stops_no_other_agents_revoke_and_is_freed_once_it_can(world: World) -> None:
    mine = world.connect()
    callers = [world.agent(name) for name in ("one", "two", "three")]
    world.publish("list-notes", READS)
    for name in ("one", "two", "three"):
        world.promote("list-notes", by=name)
    broken = min((caller.agent for caller in callers), key=lambda agent: agent.id)
    break_row(world, broken)
    assert connections.revoke(world.deps, PERSON, mine.id).state is ConnectionState.REVOKING
    names = [name for name in world.tokens if name != broken.name]
    assert [world.set_of(name) for name in names] == [[]] * 3
    mended = update(items.agent_key(PERSON, broken.id), "SET #cap = :cap", values={":cap": items.number(broken.cap)})
    assert world.deps.store.table.write(mended)
    run_sweep(world.deps)
    assert world.set_of(broken.name) == []
    stored = world.deps.store.grants.find_connection(PERSON, mine.id)
    assert stored is not None
    assert stored.state is ConnectionState.REVOKED
