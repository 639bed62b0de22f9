from __future__ import annotations

from dataclasses import replace

from chalicelib.model import Listed
from chalicelib.storage.store import Store
from tests.storage.examples import AGENT, NOW, PERSON, SECOND, an_agent, promote, read, settle


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
