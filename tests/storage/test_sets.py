from __future__ import annotations

from chalicelib.model import Cause, Direction
from chalicelib.rules.membership import decide_entry
from chalicelib.storage.store import Store
from tests.storage.examples import NOW, promote, read, settle


def test_a_promotion_and_its_record_are_one_write(store: Store) -> None:
    settle(store)
    promote(store, "demo__a")
    facts = read(store)
    (record,) = store.sets.history(facts.agent)
    assert (facts.agent.set_size, facts.agent.list_revision, record.list_revision) == (1, 1, 1)
    assert [(c.tool, c.direction, c.cause) for c in record.changes] == [("demo__a", Direction.PROMOTED, Cause.AGENT)]


def test_a_promotion_over_a_set_that_moved_changes_nothing(store: Store) -> None:
    stale = settle(store)
    promote(store, "demo__a")
    move = decide_entry(stale, "demo__b", Cause.AGENT, NOW)
    assert not store.promote(stale, move.record, move.remaining, connection_id=None)
    assert [p.tool for p in read(store).promotions] == ["demo__a"]
    assert len(store.sets.history(stale.agent)) == 1


def test_history_pages_backwards(store: Store) -> None:
    settle(store)
    for at in range(5):
        promote(store, f"demo__t{at}")
    agent = read(store).agent
    assert [r.list_revision for r in store.sets.history(agent, limit=2)] == [5, 4]
    assert [r.list_revision for r in store.sets.history(agent, before=4, limit=9)] == [3, 2, 1]
