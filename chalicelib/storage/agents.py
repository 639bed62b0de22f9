"""Rows of one agent: A, S, H, the ledger and the sessions. Who may write what is in docs/adr/0001."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.errors import Conflict
from chalicelib.model import (
    RUNS_IN_FLIGHT_MAX,
    Agent,
    AgentFacts,
    ChangeSet,
    Due,
    DueJob,
    LedgerLine,
    Listed,
    Pace,
    Person,
    Promotion,
    Rate,
    Run,
    RunKind,
    UnfinishedRevoke,
)
from chalicelib.storage import items
from chalicelib.storage.table import RETRIES, Table, Write, check, delete, put, update

TORN_READS_MAX: Final = 2 * RETRIES
"""A batch read is not a snapshot: A and S may straddle a commit. They say so, and are read again."""

SAME_AGENT: Final = "#token_hash = :token_hash AND attribute_not_exists(#revoked_at)"


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
            facts = _facts(found["agent"], found.get("set"))
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
            facts = _facts(agent, self._table.get(items.set_key(person_id, agent_id)))
            if facts is not None:
                return facts
        raise Conflict("the working set kept moving while it was read")

    def find_for_sweep(self, person_id: str, agent_id: str) -> tuple[Person, AgentFacts] | None:
        """The person and A first, then S: two round trips, and nothing a sweep decides on is read before A."""
        for _ in range(TORN_READS_MAX):
            keys = [items.person_key(person_id), items.agent_key(person_id, agent_id)]
            found = {item["sk"]["S"]: item for item in self._table.get_many(keys)}
            if len(found) < len(keys):
                return None
            facts = _facts(found["agent"], self._table.get(items.set_key(person_id, agent_id)))
            if facts is not None:
                return items.to_person(found["person"]), facts
        raise Conflict("the working set kept moving while it was read")

    def of_person(self, person_id: str) -> list[Agent]:
        """Every agent of the person, revoked ones included, oldest first; one that cannot be read is left out."""
        return self.some(person_id, self.ids(person_id))

    def some(self, person_id: str, agent_ids: Sequence[str]) -> list[Agent]:
        """These agents, oldest first; one that cannot be read is left out."""
        rows = self._table.get_many([items.agent_key(person_id, agent_id) for agent_id in agent_ids])
        agents = [agent for agent in map(_readable, rows) if agent is not None]
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
                if row is None or _readable(row) is None:
                    continue
                facts = _facts(row, rows.get((pk, "set")))
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

    def due(self, before: datetime, shards: Sequence[int]) -> Iterator[Due | UnfinishedRevoke | DueJob]:
        """What waits for a sweep since `before` or longer, shard by shard, the longest due first in each."""
        for shard in shards:
            values = {":shard": items.text(str(shard)), ":now": items.moment(before)}
            condition = "due_shard = :shard AND due_at <= :now"
            yield from map(items.to_due, self._table.query_index(items.DUE_INDEX, condition, values))

    def all(self) -> Iterator[tuple[Agent, datetime | None] | str]:
        """Every agent of every person with its stored due time, or the id of one that cannot be read.

        Reads the whole table: for reconciling only.
        """
        for row in self._table.scan("sk = :agent", {":agent": items.text("agent")}):
            agent = _readable(row)
            due_at = row.get("due_at")
            yield row["pk"]["S"].rpartition("#")[2] if agent is None else (agent, _due_at(due_at))

    def history(self, agent: Agent, *, before: int | None = None, limit: int = 50) -> list[ChangeSet]:
        """Newest first; `before`: only change sets with a smaller `list_revision`."""
        return self.history_of(agent.person_id, agent.id, before=before, limit=limit)

    def history_of(
        self, person_id: str, agent_id: str, *, before: int | None = None, limit: int = 50
    ) -> list[ChangeSet]:
        below = None if before is None else items.history_key(person_id, agent_id, before - 1)["sk"]["S"]
        pk = items.agent_pk(person_id, agent_id)
        rows = self._table.query(pk, "history#", newest_first=True, below=below, limit=limit)
        return [items.to_change_set(row) for row in rows]

    def ledger(self, agent: Agent, *, limit: int | None = 50) -> list[LedgerLine]:
        """Newest first."""
        return self.ledger_of(agent.person_id, agent.id, limit=limit)

    def ledger_of(self, person_id: str, agent_id: str, *, limit: int | None = 50) -> list[LedgerLine]:
        pk = items.agent_pk(person_id, agent_id)
        return [items.to_ledger_line(row) for row in self._table.query(pk, "ledger#", newest_first=True, limit=limit)]

    # --- the agent itself

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

    def mark_due(self, agent: Agent, at: datetime) -> bool:
        """Have the next sweep visit this agent."""
        return self._table.write(
            update(
                items.agent_key(agent.person_id, agent.id),
                "SET #due_shard = :shard, #due_at = :at",
                condition="attribute_exists(#pk)",
                values={":shard": items.text(items.due_shard(agent.id)), ":at": items.moment(at)},
            )
        )

    def remember_listed(self, agent: Agent, session_id: str, listed: Listed, expires_at: datetime) -> None:
        self._table.write(put(items.session_item(agent.person_id, agent.id, session_id, listed, expires_at)))

    # --- runs

    def claim(
        self,
        seen: AgentFacts,
        run: Run,
        promotion: Promotion | None,
        pace: Pace,
        *,
        also: Sequence[Write] = (),
    ) -> bool:
        """Put the run in flight and stamp the promoted tool as used, in one plain write. False: read again.

        `promotion`: the tool's place in the set, for a run that is a use. Its slot must still be there, so a stamp
        never lands on a re-promotion. A call of a tool that is not promoted must find the set as it was read, so
        that a promotion which came in between is not robbed of its use.
        `also`: what the claim spends; then it is a transaction.
        """
        agent = seen.agent
        counted, condition, values = _counted(agent.rate, pace)
        expression = f"SET #runs.#run = :run, #rev = #rev + :one, {counted}"
        condition = f"{SAME_AGENT} AND size(#runs) < :most AND attribute_not_exists(#runs.#run) AND {condition}"
        names = {"#run": run.id}
        values |= {
            ":run": items.run_value(run),
            ":one": items.number(1),
            ":most": items.number(RUNS_IN_FLIGHT_MAX),
            ":token_hash": items.text(agent.token_hash),
        }
        if promotion is not None:
            expression += ", #used.#slot = :now"
            condition += " AND attribute_exists(#used.#slot)"
            values[":now"] = items.moment(run.started_at)
            names["#slot"] = promotion.slot
        elif run.kind is RunKind.CALL:
            condition += " AND #list_revision = :list_revision"
            values[":list_revision"] = items.number(agent.list_revision)
        key = items.agent_key(agent.person_id, agent.id)
        write = update(key, expression, condition=condition, values=values, names=names)
        return self._table.transact([write, *also]) if also else self._table.write(write)

    def beat(self, agent: Agent, run: Run) -> bool:
        """Keep a run that lasts in flight until its new deadline, and put it back if it was buried as dead.

        False: the agent is gone.
        """
        return self._table.write(
            update(
                items.agent_key(agent.person_id, agent.id),
                "SET #runs.#run = :run, #rev = #rev + :one",
                condition="attribute_exists(#pk) AND attribute_not_exists(#revoked_at)",
                values={":run": items.run_value(run), ":one": items.number(1)},
                names={"#run": run.id},
            )
        )

    def release(self, agent: Agent, line: LedgerLine) -> None:
        """End a run: its ledger line, then its claim. Side by side, a death between them could lose the line."""
        self._table.write(put(items.ledger_item(agent.person_id, agent.id, line)))
        self._remove_run(agent, line.run)

    def bury(self, agent: Agent, line: LedgerLine) -> bool:
        """Write the line of a run whose process is gone, then end its claim. False: the run had its line already."""
        row = items.ledger_item(agent.person_id, agent.id, line)
        is_new = self._table.write(put(row, condition="attribute_not_exists(#pk)"))
        self._remove_run(agent, line.run)
        return is_new

    def _remove_run(self, agent: Agent, run: Run) -> bool:
        return self._table.write(
            update(
                items.agent_key(agent.person_id, agent.id),
                "SET #rev = #rev + :one REMOVE #runs.#run",
                condition="attribute_exists(#runs.#run)",
                values={":one": items.number(1)},
                names={"#run": run.id},
            )
        )

    # --- the set

    def change_set(
        self,
        seen: AgentFacts,
        record: ChangeSet,
        remaining: Iterable[Promotion],
        *,
        also: Sequence[Write] = (),
    ) -> bool:
        """Promote or demote for the agent: A, S and H together, with whatever else belongs to it."""
        return self._table.transact([*self.change_set_writes(seen, record, remaining), *also])

    def change_set_writes(self, seen: AgentFacts, record: ChangeSet, remaining: Iterable[Promotion]) -> list[Write]:
        agent, remaining = seen.agent, tuple(remaining)
        before = {p.slot for p in seen.promotions}
        after = {p.slot for p in remaining}
        condition = f"#list_revision = :seen AND {SAME_AGENT}"
        names = {f"#slot{at}": slot for at, slot in enumerate(sorted(before ^ after))}
        sets = "".join(f", #used.{name} = :unused" for name, slot in names.items() if slot in after)
        removes = ", ".join(f"#used.{name}" for name, slot in names.items() if slot in before)
        values = _revision_values(agent, record, len(remaining)) | {
            ":seen": items.number(agent.list_revision),
            ":token_hash": items.text(agent.token_hash),
            ":due": items.moment(record.at),
        }
        if sets:
            values[":unused"] = items.used_value(None)
        expression = f"SET {_REVISIONS}, #due_shard = :shard, #due_at = :due{sets}"
        expression += f" REMOVE {removes}" if removes else ""
        a = update(
            items.agent_key(agent.person_id, agent.id), expression, condition=condition, values=values, names=names
        )
        return [a, *_set_and_history(agent, record, remaining)]

    def touch(self, seen: AgentFacts) -> Write:
        """Raise `rev` where the set stays as it was read, so that a sweep's older decision fails."""
        return update(
            items.agent_key(seen.agent.person_id, seen.agent.id),
            "SET #rev = #rev + :one",
            condition=f"#list_revision = :seen AND {SAME_AGENT}",
            values={
                ":one": items.number(1),
                ":seen": items.number(seen.agent.list_revision),
                ":token_hash": items.text(seen.agent.token_hash),
            },
        )

    def demote_by_rule(
        self, seen: AgentFacts, person: Person, record: ChangeSet, remaining: Sequence[Promotion], due: datetime | None
    ) -> bool:
        """The sweep's write: everything as read, or nothing at all."""
        agent = seen.agent
        values = _revision_values(agent, record, len(remaining)) | {
            ":seen": items.number(agent.rev),
            ":used": {"M": {p.slot: items.used_value(p.last_used_at) for p in remaining}},
        }
        expression, values = _visited(f"SET {_REVISIONS}, #used = :used", values, due)
        a = update(
            items.agent_key(agent.person_id, agent.id),
            expression,
            condition="#rev = :seen AND attribute_not_exists(#revoked_at)",
            values=values,
        )
        toolbox_as_read = check(
            items.person_key(person.id),
            condition="#toolbox_revision = :revision",
            values={":revision": items.number(person.toolbox_revision)},
        )
        return self._table.transact([a, *_set_and_history(agent, record, remaining), toolbox_as_read])

    def postpone(self, seen: AgentFacts, due: datetime | None) -> bool:
        """Move the due time of an agent from whom nothing leaves; None: its set is empty."""
        agent = seen.agent
        values: dict[str, items.Item] = {":seen": items.number(agent.rev), ":one": items.number(0)}
        values[":shard"] = items.text(items.due_shard(agent.id))
        expression, values = _visited("SET #rev = #rev + :one", values, due)
        return self._table.write(
            update(items.agent_key(agent.person_id, agent.id), expression, condition="#rev = :seen", values=values)
        )

    def note_held(self, agent: Agent, since: datetime) -> bool:
        """Keep since when runs in flight hold the sweep off this agent. False: a visit came through meanwhile."""
        return self._table.write(
            update(
                items.agent_key(agent.person_id, agent.id),
                "SET #held_since = :since",
                condition="#rev = :seen AND attribute_not_exists(#held_since)",
                values={":since": items.moment(since), ":seen": items.number(agent.rev)},
            )
        )


def _counted(seen: Rate | None, pace: Pace) -> tuple[str, str, dict[str, items.Item]]:
    """How this claim counts towards its minute: (expression, condition, values).

    Claims of one minute add to the row's own count, so they never conflict; only the first of a minute sets it.
    """
    values: dict[str, items.Item] = {":minute": items.number(pace.minute)}
    if seen is None or seen.minute < pace.minute:
        first = "#rate_minute = :minute, #rate_runs = :one"
        return first, "(attribute_not_exists(#rate_minute) OR #rate_minute < :minute)", values
    values[":rate"] = items.number(pace.runs_max)
    return "#rate_runs = #rate_runs + :one", "#rate_minute >= :minute AND #rate_runs < :rate", values


def _renaming(seen: Agent, edited: Agent) -> list[Write]:
    """The rows by which a person's agents are found; a name belongs to one agent, whatever the case."""
    directory = items.directory_key(seen.person_id, seen.id) | {"name": items.text(edited.name)}
    old, new = (items.agent_name_key(seen.person_id, agent.name) for agent in (seen, edited))
    if old == new:
        return [put(directory)]
    taken = "attribute_not_exists(#pk)"
    return [put(directory), put(new | {"agent": items.text(seen.id)}, condition=taken), delete(old)]


_REVISIONS: Final = "#rev = #rev + :one, #list_revision = :next, #set_size = :size"


def _pairs(person_id: str, agent_ids: Sequence[str]) -> list[items.Key]:
    """The keys of A and S of each."""
    return [key(person_id, agent_id) for agent_id in agent_ids for key in (items.agent_key, items.set_key)]


def _readable(row: items.Item) -> Agent | None:
    """None: the row holds something that nobody can read; it must not hide the others."""
    try:
        return items.to_agent(row)
    except (KeyError, TypeError, ValueError):
        return None


def _due_at(value: items.Item | None) -> datetime | None:
    return None if value is None else items.from_ms(value["N"])


def _facts(agent_item: items.Item, set_item: items.Item | None) -> AgentFacts | None:
    """None: A and S are of different revisions, a commit came in between."""
    agent = items.to_agent(agent_item)
    if items.set_revision(set_item) != agent.list_revision:
        return None
    return AgentFacts(agent, items.to_promotions(set_item, agent.used))


def _revision_values(agent: Agent, record: ChangeSet, size: int) -> dict[str, items.Item]:
    return {
        ":one": items.number(1),
        ":next": items.number(record.list_revision),
        ":size": items.number(size),
        ":shard": items.text(items.due_shard(agent.id)),
    }


def _set_and_history(agent: Agent, record: ChangeSet, remaining: Sequence[Promotion]) -> list[Write]:
    return [
        put(
            items.set_item(agent.person_id, agent.id, record.list_revision, remaining),
            condition="#list_revision = :seen",
            values={":seen": items.number(agent.list_revision)},
        ),
        put(items.history_item(agent.person_id, agent.id, record), condition="attribute_not_exists(#pk)"),
    ]


def _visited(expression: str, values: dict[str, items.Item], due: datetime | None) -> tuple[str, dict[str, items.Item]]:
    """A visit that nothing in flight stopped moves the due time; None: there is nothing to visit for."""
    if due is None:
        kept = {name: value for name, value in values.items() if name != ":shard"}
        return f"{expression} REMOVE #due_shard, #due_at, #held_since", kept
    moved = f"{expression}, #due_shard = :shard, #due_at = :due REMOVE #held_since"
    return moved, values | {":due": items.moment(due)}
