"""What the console reads of a person at once, without asking agent by agent or tool by tool."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from chalicelib.model import Connection, ConnectionState, Presence
from chalicelib.storage import items
from chalicelib.storage.store import Store
from chalicelib.storage.table import update
from tests.storage.examples import AGENT, NOW, PERSON, a_tool, an_agent, promote, read, settle

A_CONNECTION = Connection(
    PERSON, "c1", "demo", "Demo notes", "none", {}, "demo.example", ("demo.example",), ConnectionState.LIVE, NOW
)


def test_every_agent_is_read_with_its_set_oldest_first(store: Store) -> None:
    settle(store)
    store.agents.add(replace(an_agent("a0", name="older"), created_at=NOW - timedelta(days=1)))
    promote(store, "demo__a")
    found = store.agents.facts_of(PERSON, store.agents.ids(PERSON))
    assert [(facts.agent.name, [p.tool for p in facts.promotions]) for facts in found] == [
        ("older", []),
        ("laptop", ["demo__a"]),
    ]
    assert store.agents.facts_of(PERSON, []) == []


def test_an_agent_that_cannot_be_read_hides_no_other(store: Store) -> None:
    settle(store)
    store.agents.add(an_agent("a2", name="broken"))
    store.table.write(update(items.agent_key(PERSON, "a2"), "SET #cap = :text", values={":text": {"S": "twenty"}}))
    assert [facts.agent.id for facts in store.agents.facts_of(PERSON, [AGENT, "a2", "nobody"])] == [AGENT]
    assert [agent.id for agent in store.agents.some(PERSON, [AGENT, "a2"])] == [AGENT]


def test_harnesses_are_found_by_their_agents_ids(store: Store) -> None:
    facts = settle(store)
    store.traces.note_presence(facts.agent, Presence("Hermes", "1", NOW))
    assert store.traces.presences(PERSON, [AGENT, "nobody"]) == {AGENT: Presence("Hermes", "1", NOW)}


def test_a_head_tells_the_tools_default_connection(store: Store) -> None:
    settle(store)
    tool = replace(a_tool(), connection_id="c1")
    assert store.toolbox.publish(PERSON, tool)
    assert store.toolbox.heads(PERSON) == [tool.head]
    assert store.toolbox.published(PERSON, [tool.wire_name, "demo__nosuch"]) == {
        tool.wire_name: (tool.card, tool.published_by, tool.published_at)
    }


def test_a_connection_tells_when_it_got_its_secret_and_when_it_was_revoked(store: Store) -> None:
    settle(store)
    store.grants.add_connection(A_CONNECTION)
    saved = replace(A_CONNECTION, secret_revision=1, secret_saved_at=NOW + timedelta(minutes=1))
    assert store.grants.replace_connection(A_CONNECTION, saved)
    assert store.grants.connections(PERSON) == [saved]
    store.grants.begin_revoke(saved, NOW + timedelta(hours=1))
    store.grants.end_revoke(saved)
    found = store.grants.find_connection(PERSON, "c1")
    assert found is not None
    assert (found.revoked_at, found.secret_saved_at) == (NOW + timedelta(hours=1), saved.secret_saved_at)


def test_history_ledger_and_answers_are_found_by_ids_alone(store: Store) -> None:
    settle(store)
    promote(store, "demo__a")
    agent = read(store).agent
    assert store.sets.history_of(PERSON, AGENT) == store.sets.history(agent) != []
    assert store.runs.ledger_of(PERSON, AGENT) == store.runs.ledger(agent)
    assert store.grants.approvals_of(PERSON, AGENT) == store.grants.all_approvals(agent)
