"""What a sweep reads and writes: who is due, its visit to an agent, and the report that the console shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from chalicelib.errors import Conflict
from chalicelib.model import (
    Agent,
    AgentFacts,
    ChangeSet,
    Due,
    DueJob,
    Person,
    Promotion,
    SweepReport,
    UnfinishedRevoke,
)
from chalicelib.storage import items
from chalicelib.storage.facts import TORN_READS_MAX, readable, to_facts
from chalicelib.storage.sets import REVISIONS, revision_values, set_and_history
from chalicelib.storage.table import Table, check, put, update


class SweepRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def due(self, before: datetime, shards: Sequence[int]) -> Iterator[Due | UnfinishedRevoke | DueJob]:
        """What waits for a sweep since `before` or longer, shard by shard, the longest due first in each."""
        for shard in shards:
            values = {":shard": items.text(str(shard)), ":now": items.moment(before)}
            condition = "due_shard = :shard AND due_at <= :now"
            yield from map(items.to_due, self._table.query_index(items.DUE_INDEX, condition, values))

    def all_agents(self) -> Iterator[tuple[Agent, datetime | None] | str]:
        """Every agent of every person with its stored due time, or the id of one that cannot be read.

        Reads the whole table: for reconciling only.
        """
        for row in self._table.scan("sk = :agent", {":agent": items.text("agent")}):
            agent = readable(row)
            due_at = row.get("due_at")
            yield row["pk"]["S"].rpartition("#")[2] if agent is None else (agent, _due_at(due_at))

    def find_facts(self, person_id: str, agent_id: str) -> tuple[Person, AgentFacts] | None:
        """The person and A first, then S: two round trips, and nothing a sweep decides on is read before A."""
        for _ in range(TORN_READS_MAX):
            keys = [items.person_key(person_id), items.agent_key(person_id, agent_id)]
            found = {item["sk"]["S"]: item for item in self._table.get_many(keys)}
            if len(found) < len(keys):
                return None
            facts = to_facts(found["agent"], self._table.get(items.set_key(person_id, agent_id)))
            if facts is not None:
                return items.to_person(found["person"]), facts
        raise Conflict("the working set kept moving while it was read")

    def demote_by_rule(
        self, seen: AgentFacts, person: Person, record: ChangeSet, remaining: Sequence[Promotion], due: datetime | None
    ) -> bool:
        """The sweep's write: everything as read, or nothing at all."""
        agent = seen.agent
        values = revision_values(agent, record, len(remaining)) | {
            ":seen": items.number(agent.rev),
            ":used": {"M": {p.slot: items.used_value(p.last_used_at) for p in remaining}},
        }
        expression, values = _visited(f"SET {REVISIONS}, #used = :used", values, due)
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
        return self._table.transact([a, *set_and_history(agent, record, remaining), toolbox_as_read])

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

    def keep_report(self, report: SweepReport) -> None:
        """The newest report wins; ticks that overlap may finish in any order."""
        row = items.sweep_report_item(report)
        self._table.write(
            put(row, condition="attribute_not_exists(#pk) OR #at <= :at", values={":at": items.moment(report.at)})
        )

    def find_report(self) -> SweepReport | None:
        item = self._table.get(items.SWEEP_REPORT_KEY)
        return items.to_sweep_report(item) if item else None


def _visited(expression: str, values: dict[str, items.Item], due: datetime | None) -> tuple[str, dict[str, items.Item]]:
    """A visit that nothing in flight stopped moves the due time; None: there is nothing to visit for."""
    if due is None:
        kept = {name: value for name, value in values.items() if name != ":shard"}
        return f"{expression} REMOVE #due_shard, #due_at, #held_since", kept
    moved = f"{expression}, #due_shard = :shard, #due_at = :due REMOVE #held_since"
    return moved, values | {":due": items.moment(due)}


def _due_at(value: items.Item | None) -> datetime | None:
    return None if value is None else items.from_ms(value["N"])
