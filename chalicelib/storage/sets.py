"""The working set and its history: S and H, which are written with A or not at all. Why is in docs/adr/0001."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from chalicelib.model import Agent, AgentFacts, ChangeSet, Promotion
from chalicelib.storage import items
from chalicelib.storage.facts import SAME_AGENT
from chalicelib.storage.table import Table, Write, put, update

REVISIONS: Final = "#rev = #rev + :one, #list_revision = :next, #set_size = :size"


class SetRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def change(
        self,
        seen: AgentFacts,
        record: ChangeSet,
        remaining: Iterable[Promotion],
        *,
        also: Sequence[Write] = (),
    ) -> bool:
        """Promote or demote for the agent: A, S and H together, with whatever else belongs to it."""
        return self._table.transact([*self.change_writes(seen, record, remaining), *also])

    def change_writes(self, seen: AgentFacts, record: ChangeSet, remaining: Iterable[Promotion]) -> list[Write]:
        agent, remaining = seen.agent, tuple(remaining)
        before = {p.slot for p in seen.promotions}
        after = {p.slot for p in remaining}
        condition = f"#list_revision = :seen AND {SAME_AGENT}"
        names = {f"#slot{at}": slot for at, slot in enumerate(sorted(before ^ after))}
        sets = "".join(f", #used.{name} = :unused" for name, slot in names.items() if slot in after)
        removes = ", ".join(f"#used.{name}" for name, slot in names.items() if slot in before)
        values = revision_values(agent, record, len(remaining)) | {
            ":seen": items.number(agent.list_revision),
            ":token_hash": items.text(agent.token_hash),
            ":due": items.moment(record.at),
        }
        if sets:
            values[":unused"] = items.used_value(None)
        expression = f"SET {REVISIONS}, #due_shard = :shard, #due_at = :due{sets}"
        expression += f" REMOVE {removes}" if removes else ""
        a = update(
            items.agent_key(agent.person_id, agent.id), expression, condition=condition, values=values, names=names
        )
        return [a, *set_and_history(agent, record, remaining)]

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


def revision_values(agent: Agent, record: ChangeSet, size: int) -> dict[str, items.Item]:
    return {
        ":one": items.number(1),
        ":next": items.number(record.list_revision),
        ":size": items.number(size),
        ":shard": items.text(items.due_shard(agent.id)),
    }


def set_and_history(agent: Agent, record: ChangeSet, remaining: Sequence[Promotion]) -> list[Write]:
    return [
        put(
            items.set_item(agent.person_id, agent.id, record.list_revision, remaining),
            condition="#list_revision = :seen",
            values={":seen": items.number(agent.list_revision)},
        ),
        put(items.history_item(agent.person_id, agent.id, record), condition="attribute_not_exists(#pk)"),
    ]
