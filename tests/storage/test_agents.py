from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from chalicelib.model import AgentFacts, Cause, Direction, Due, LedgerLine, Listed, Person, RunKind
from chalicelib.rules.membership import Move, decide_entry, decide_exit, decide_swept, facts_after
from chalicelib.rules.sweep import Leaver
from chalicelib.storage import items
from chalicelib.storage.store import Store
from chalicelib.storage.table import put
from tests.storage.examples import AGENT, NOW, PACE, PERSON, SECOND, a_run, a_tool, an_agent, promote, read, settle


def test_a_new_agent_reads_back_as_it_was_written(store: Store) -> None:
    agent = replace(an_agent(), connection_ids=frozenset({"c1", "c2"}))
    assert settle(store, agent).agent == agent


def test_two_agents_of_a_person_cannot_share_a_name_in_any_case(store: Store) -> None:
    settle(store)
    assert not store.agents.add(an_agent("a2", name="Laptop"))
    assert store.agents.find(PERSON, "a2") is None
    assert store.agents.find_by_name(PERSON, "LAPTOP ") == read(store)


def test_the_door_reads_agent_set_person_and_session_at_once(store: Store) -> None:
    facts = settle(store)
    promote(store, "demo__a")
    store.agents.remember_listed(facts.agent, "s1", Listed("d", 1, 0), NOW + SECOND)
    found = store.agents.find_door_facts(PERSON, AGENT, "s1")
    assert found is not None
    assert [p.tool for p in found.facts.promotions] == ["demo__a"]
    assert (found.person.toolbox_revision, found.listed) == (0, Listed("d", 1, 0))
    assert store.agents.find_door_facts(PERSON, "nobody", None) is None


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


def test_a_claim_is_in_flight_and_a_use_at_once(store: Store) -> None:
    settle(store)
    promote(store, "demo__list-notes")
    facts = read(store)
    assert store.runs.claim(facts, a_run(), facts.promotions[0], PACE)
    after = read(store)
    assert after.promotions[0].last_used_at == NOW
    assert after.agent.runs == {"r1": a_run()}
    assert after.agent.rev == facts.agent.rev + 1
    assert after.agent.list_revision == facts.agent.list_revision


def test_a_late_stamp_never_touches_a_promotion_that_came_after_it(store: Store) -> None:
    settle(store)
    promote(store, "demo__list-notes")
    stale = read(store)
    move = decide_exit(stale, {"demo__list-notes"}, Cause.AGENT, NOW)
    assert store.sets.change_set(stale, move.record, move.remaining)
    promote(store, "demo__list-notes")
    assert not store.runs.claim(stale, a_run(), stale.promotions[0], PACE)
    assert read(store).promotions[0].last_used_at is None


def test_a_call_of_an_unpromoted_tool_reads_again_when_the_set_moved(store: Store) -> None:
    stale = settle(store)
    promote(store, "demo__list-notes")
    assert not store.runs.claim(stale, a_run(), None, PACE)
    assert store.runs.claim(stale, a_run(kind=RunKind.DRY_RUN), None, PACE)


def test_a_claim_with_a_rotated_token_fails(store: Store) -> None:
    stale = settle(store)
    assert store.agents.replace_token(stale.agent, "another")
    assert not store.runs.claim(stale, a_run(), None, PACE)


def test_the_hundred_and_first_run_in_flight_is_not_claimed(store: Store) -> None:
    settle(store)
    for at in range(100):
        assert store.runs.claim(read(store), a_run(f"r{at}"), None, PACE)
    assert not store.runs.claim(read(store), a_run("r100"), None, PACE)


def test_a_release_writes_the_line_and_ends_the_claim(store: Store) -> None:
    facts = settle(store)
    store.runs.claim(facts, a_run(), None, PACE)
    line = LedgerLine(a_run(), "ok", NOW + SECOND, vendor_calls=2)
    store.runs.release(facts.agent, line)
    assert read(store).agent.runs == {}
    assert store.runs.ledger(facts.agent) == [line]


def test_a_run_buried_after_it_ended_keeps_its_own_line(store: Store) -> None:
    facts = settle(store)
    store.runs.claim(facts, a_run(), None, PACE)
    line = LedgerLine(a_run(), "ok", NOW + SECOND)
    store.runs.release(facts.agent, line)
    store.runs.bury(facts.agent, LedgerLine(a_run(), "died", NOW + 40 * SECOND))
    assert store.runs.ledger(facts.agent) == [line]


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


def test_history_pages_backwards(store: Store) -> None:
    settle(store)
    for at in range(5):
        promote(store, f"demo__t{at}")
    agent = read(store).agent
    assert [r.list_revision for r in store.sets.history(agent, limit=2)] == [5, 4]
    assert [r.list_revision for r in store.sets.history(agent, before=4, limit=9)] == [3, 2, 1]


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
    found = store.sweeps.find_for_sweep(PERSON, AGENT)
    assert found is not None
    return found
