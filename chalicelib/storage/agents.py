"""The agents of a person: how they are found, and what is written about one beside its set and its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.errors import Conflict
from chalicelib.model import Agent, AgentFacts, Listed, Person
from chalicelib.storage import items
from chalicelib.storage.facts import SAME_AGENT, TORN_READS_MAX, readable, to_facts
from chalicelib.storage.table import Table, Write, delete, put, update


@dataclass(frozen=True, slots=True)
class DoorFacts:
    """What every request needs, from one round trip."""

    facts: AgentFacts
    person: Person
    listed: Listed | None


class AgentRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    # --- reads

    def find_door_facts(self, person_id: str, agent_id: str, session_id: str | None) -> DoorFacts | None:
        """A, S, the person and the session's row in one BatchGet; None when there is no such agent."""
        keys = [
            items.agent_key(person_id, agent_id),
            items.set_key(person_id, agent_id),
            items.person_key(person_id),
        ]
        if session_id is not None:
            keys.append(items.session_key(person_id, agent_id, session_id))
        for _ in range(TORN_READS_MAX):
            found = {item["sk"]["S"].partition("#")[0]: item for item in self._table.get_many(keys)}
            if "agent" not in found or "person" not in found:
                return None
            facts = to_facts(found["agent"], found.get("set"))
            if facts is not None:
                session = found.get("session")
                listed = items.to_listed(session) if session else None
                return DoorFacts(facts, items.to_person(found["person"]), listed)
        raise Conflict("the working set kept moving while it was read")

    def find(self, person_id: str, agent_id: str) -> AgentFacts | None:
        """A first, then S: whatever moves afterwards has raised A's revisions."""
        for _ in range(TORN_READS_MAX):
            agent = self._table.get(items.agent_key(person_id, agent_id))
            if agent is None:
                return None
            facts = to_facts(agent, self._table.get(items.set_key(person_id, agent_id)))
            if facts is not None:
                return facts
        raise Conflict("the working set kept moving while it was read")

    def of_person(self, person_id: str) -> list[Agent]:
        """Every agent of the person, revoked ones included, oldest first; one that cannot be read is left out."""
        return self.some(person_id, self.ids(person_id))

    def some(self, person_id: str, agent_ids: Sequence[str]) -> list[Agent]:
        """These agents, oldest first; one that cannot be read is left out."""
        rows = self._table.get_many([items.agent_key(person_id, agent_id) for agent_id in agent_ids])
        agents = [agent for agent in map(readable, rows) if agent is not None]
        return sorted(agents, key=lambda agent: (agent.created_at, agent.id))

    def facts_of(self, person_id: str, agent_ids: Sequence[str]) -> list[AgentFacts]:
        """These agents, each with its set, oldest first; one that cannot be read is left out."""
        found: list[AgentFacts] = []
        left = list(agent_ids)
        for _ in range(TORN_READS_MAX):
            rows = {(row["pk"]["S"], row["sk"]["S"]): row for row in self._table.get_many(_pairs(person_id, left))}
            torn = []
            for agent_id in left:
                pk = items.agent_pk(person_id, agent_id)
                row = rows.get((pk, "agent"))
                if row is None or readable(row) is None:
                    continue
                facts = to_facts(row, rows.get((pk, "set")))
                found += [facts] if facts else []
                torn += [] if facts else [agent_id]
            left = torn
            if not left:
                return sorted(found, key=lambda facts: (facts.agent.created_at, facts.agent.id))
        raise Conflict("a working set kept moving while it was read")

    def find_by_name(self, person_id: str, name: str) -> AgentFacts | None:
        item = self._table.get(items.agent_name_key(person_id, name))
        return self.find(person_id, item["agent"]["S"]) if item else None

    def ids(self, person_id: str) -> list[str]:
        rows = self._table.query(items.person_pk(person_id), "agent#")
        return [row["sk"]["S"].removeprefix("agent#") for row in rows]

    def names(self, person_id: str) -> dict[str, str]:
        """By id, of all the person's agents, revoked ones included."""
        rows = self._table.query(items.person_pk(person_id), "agent#")
        return {row["sk"]["S"].removeprefix("agent#"): row["name"]["S"] for row in rows}

    # --- writes

    def add(self, agent: Agent) -> bool:
        """False: the person has an agent of that name, or of that id."""
        new = "attribute_not_exists(#pk)"
        return self._table.transact(
            [
                put(items.new_agent_item(agent), condition=new),
                put(items.set_item(agent.person_id, agent.id, 0, ()), condition=new),
                put(items.agent_name_key(agent.person_id, agent.name) | {"agent": items.text(agent.id)}, condition=new),
                put(items.directory_key(agent.person_id, agent.id) | {"name": items.text(agent.name)}, condition=new),
            ]
        )

    def replace_token(self, seen: Agent, token_hash: str) -> bool:
        return self._table.write(
            update(
                items.agent_key(seen.person_id, seen.id),
                "SET #token_hash = :new",
                condition=SAME_AGENT,
                values={":new": items.text(token_hash), ":token_hash": items.text(seen.token_hash)},
            )
        )

    def edit_limits(self, seen: Agent, edited: Agent, now: datetime) -> bool:
        """Write name, cap and idle window. False: the name is taken, or the agent was renamed or revoked meanwhile."""
        key = items.agent_key(seen.person_id, seen.id)
        a = update(
            key,
            "SET #name = :name, #cap = :cap, #idle_window_days = :window, #rev = #rev + :one, "
            "#due_shard = :shard, #due_at = :now",
            condition=f"{SAME_AGENT} AND #name = :seen",
            values={
                ":name": items.text(edited.name),
                ":cap": items.number(edited.cap),
                ":window": items.number(edited.idle_window_days),
                ":one": items.number(1),
                ":shard": items.text(items.due_shard(seen.id)),
                ":now": items.moment(now),
                ":seen": items.text(seen.name),
                ":token_hash": items.text(seen.token_hash),
            },
        )
        return self._table.transact([a, *_renaming(seen, edited)])

    def edit_scope(self, seen: Agent, connection_ids: frozenset[str] | None) -> bool:
        """Which connections the agent may use; None: every one. False: it was revoked or changed meanwhile."""
        return self._table.write(self.scope_write(seen, connection_ids))

    def scope_write(self, seen: Agent, connection_ids: frozenset[str] | None) -> Write:
        values = {":one": items.number(1), ":token_hash": items.text(seen.token_hash)}
        condition = "attribute_not_exists(#connection_ids)"
        if seen.connection_ids is not None:
            condition = "#connection_ids = :seen"
            values[":seen"] = items.json_text(sorted(seen.connection_ids))
        expression = "SET #rev = #rev + :one"
        if connection_ids is None:
            expression += " REMOVE #connection_ids"
        else:
            expression += ", #connection_ids = :ids"
            values[":ids"] = items.json_text(sorted(connection_ids))
        key = items.agent_key(seen.person_id, seen.id)
        return update(key, expression, condition=f"{SAME_AGENT} AND {condition}", values=values)

    def revoke(self, seen: Agent, now: datetime) -> bool:
        """End the agent: its token, its place in the sweep, and its hold on its name. False: it moved meanwhile."""
        end = update(
            items.agent_key(seen.person_id, seen.id),
            "SET #revoked_at = :now, #rev = #rev + :one REMOVE #due_shard, #due_at",
            condition=f"{SAME_AGENT} AND #name = :seen",
            values={
                ":now": items.moment(now),
                ":one": items.number(1),
                ":token_hash": items.text(seen.token_hash),
                ":seen": items.text(seen.name),
            },
        )
        return self._table.transact([end, delete(items.agent_name_key(seen.person_id, seen.name))])

    def remember_listed(self, agent: Agent, session_id: str, listed: Listed, expires_at: datetime) -> None:
        self._table.write(put(items.session_item(agent.person_id, agent.id, session_id, listed, expires_at)))


def _renaming(seen: Agent, edited: Agent) -> list[Write]:
    """The rows by which a person's agents are found; a name belongs to one agent, whatever the case."""
    directory = items.directory_key(seen.person_id, seen.id) | {"name": items.text(edited.name)}
    old, new = (items.agent_name_key(seen.person_id, agent.name) for agent in (seen, edited))
    if old == new:
        return [put(directory)]
    taken = "attribute_not_exists(#pk)"
    return [put(directory), put(new | {"agent": items.text(seen.id)}, condition=taken), delete(old)]


def _pairs(person_id: str, agent_ids: Sequence[str]) -> list[items.Key]:
    """The keys of A and S of each."""
    return [key(person_id, agent_id) for agent_id in agent_ids for key in (items.agent_key, items.set_key)]
