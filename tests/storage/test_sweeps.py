from __future__ import annotations

from datetime import timedelta

from chalicelib.model import AgentFacts, Cause, Due, LedgerLine, Person
from chalicelib.rules.membership import Move, decide_entry, decide_swept, facts_after
from chalicelib.rules.sweep import Leaver
from chalicelib.storage import items
from chalicelib.storage.store import Store
from chalicelib.storage.table import put
from tests.storage.examples import AGENT, NOW, PACE, PERSON, SECOND, a_run, a_tool, promote, read, settle


def test_the_rule_demotes_many_with_one_record_and_keeps_last_uses(store: Store) -> None:
    settle(store)
    for name in ("demo__a", "demo__b", "demo__list-notes"):
        promote(store, name)
    facts = read(store)
    store.runs.claim(facts, a_run(), facts.find("demo__list-notes"), PACE)
    store.runs.release(facts.agent, LedgerLine(a_run(), "ok", NOW))
    person, facts = _for_sweep(store)
    move = decide_swept(facts, [Leaver(p, Cause.IDLE) for p in facts.promotions[:2]], NOW)
    assert store.sweeps.demote_by_rule(facts, person, move.record, move.remaining, NOW + SECOND)
    after = read(store)
    assert [(p.tool, p.last_used_at) for p in after.promotions] == [("demo__list-notes", NOW)]
    record = store.sets.history(after.agent)[0]
    assert [c.active_at for c in record.changes] == [p.promoted_at for p in facts.promotions[:2]]
    assert (record.idle_window_days, record.cap, record.set_size) == (21, 20, 3)


def test_the_rule_demotes_nobody_when_a_run_started_since_it_read(store: Store) -> None:
    settle(store)
    promote(store, "demo__a")
    person, facts = _for_sweep(store)
    assert store.runs.claim(facts, a_run(), None, PACE)
    move = decide_swept(facts, [Leaver(facts.promotions[0], Cause.IDLE)], NOW)
    assert not store.sweeps.demote_by_rule(facts, person, move.record, move.remaining, None)
    assert len(read(store).promotions) == 1


def test_the_rule_demotes_nobody_when_a_tool_was_republished_since_it_read(store: Store) -> None:
    settle(store)
    promote(store, "demo__list-notes")
    person, facts = _for_sweep(store)
    assert store.toolbox.publish(PERSON, a_tool())
    move = decide_swept(facts, [Leaver(facts.promotions[0], Cause.IDLE)], NOW)
    assert not store.sweeps.demote_by_rule(facts, person, move.record, move.remaining, None)


def test_an_agent_is_due_from_its_first_promotion_until_its_set_is_empty(store: Store) -> None:
    settle(store)
    assert list(store.sweeps.due(NOW, range(4))) == []
    promote(store, "demo__a")
    assert list(store.sweeps.due(NOW, range(4))) == [Due(PERSON, AGENT, NOW)]
    assert store.sweeps.postpone(read(store), NOW + timedelta(days=21))
    assert list(store.sweeps.due(NOW, range(4))) == []
    assert store.sweeps.postpone(read(store), None)
    assert list(store.sweeps.due(NOW + timedelta(days=400), range(4))) == []


def test_a_due_time_is_not_moved_by_a_visit_that_read_an_older_revision(store: Store) -> None:
    settle(store)
    promote(store, "demo__a")
    stale = read(store)
    promote(store, "demo__b")
    assert not store.sweeps.postpone(stale, NOW + timedelta(days=21))
    assert list(store.sweeps.due(NOW + SECOND, range(4))) == [Due(PERSON, AGENT, NOW)]


def test_a_thousand_promoted_tools_fit_and_five_hundred_leave_in_one_write(store: Store) -> None:
    facts = settle(store)
    moves = []
    for at in range(1000):
        moves.append(decide_entry(facts, f"vendor-{at:04d}__{'n' * 38}", Cause.AGENT, NOW))
        facts = facts_after(facts, moves[-1])
    _write_set(store, moves[-2])
    promote(store, f"vendor-0999__{'n' * 38}")
    assert [p.tool for p in read(store).promotions] == [f"vendor-{at:04d}__{'n' * 38}" for at in range(1000)]
    person, facts = _for_sweep(store)
    move = decide_swept(facts, [Leaver(p, Cause.IDLE) for p in facts.promotions[::2]], NOW)
    assert store.sweeps.demote_by_rule(facts, person, move.record, move.remaining, NOW)
    assert read(store).promotions == facts.promotions[1::2]
    assert len(store.sets.history(facts.agent, limit=1)[0].changes) == 500


def _write_set(store: Store, move: Move) -> None:
    """The set as many promotions would have left it, in two writes."""
    agent = read(store).agent
    row = items.new_agent_item(agent) | {
        "list_revision": items.number(move.record.list_revision),
        "set_size": items.number(len(move.remaining)),
        "used": {"M": {p.slot: items.used_value(None) for p in move.remaining}},
    }
    store.table.write(put(row))
    store.table.write(put(items.set_item(PERSON, AGENT, move.record.list_revision, move.remaining)))


def _for_sweep(store: Store) -> tuple[Person, AgentFacts]:
    found = store.sweeps.find_facts(PERSON, AGENT)
    assert found is not None
    return found
