from __future__ import annotations

from chalicelib.model import Cause, LedgerLine, RunKind
from chalicelib.rules.membership import decide_exit
from chalicelib.storage.store import Store
from tests.storage.examples import NOW, PACE, SECOND, a_run, promote, read, settle


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
    assert store.sets.change(stale, move.record, move.remaining)
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
