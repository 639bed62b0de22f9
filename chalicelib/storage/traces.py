"""Rows that remember what was seen of harnesses and vendors. The console shows them; no rule reads them."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.model import Agent, Presence, VendorAnswer
from chalicelib.storage import items
from chalicelib.storage.items import Item, from_ms, moment, number, text
from chalicelib.storage.table import Table, put, update


class TraceRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def note_presence(self, agent: Agent, seen: Presence) -> None:
        """Write what was seen; what was not (a name, a list) stays as another process wrote it."""
        expression = "SET #seen_at = :seen"
        values: Item = {":seen": moment(seen.seen_at)}
        if seen.harness:
            expression += ", #harness = :harness, #harness_version = :version"
            values |= {":harness": text(seen.harness), ":version": text(seen.harness_version)}
        if seen.listed_at is not None:
            expression += ", #listed_at = :listed, #listed_revision = :revision"
            values |= {":listed": moment(seen.listed_at), ":revision": number(seen.listed_revision)}
        self._table.write(update(items.presence_key(agent.person_id, agent.id), expression, values=values))

    def presence_of(self, agents: list[Agent]) -> dict[str, Presence]:
        """By agent id, of those that were seen."""
        return self.presences(agents[0].person_id, [agent.id for agent in agents]) if agents else {}

    def presences(self, person_id: str, agent_ids: Sequence[str]) -> dict[str, Presence]:
        """The same, of agents known by their ids alone."""
        rows = self._table.get_many([items.presence_key(person_id, agent_id) for agent_id in agent_ids])
        return {row["pk"]["S"].rpartition("#")[2]: _to_presence(row) for row in rows}

    def keep_answer(self, person_id: str, answer: VendorAnswer) -> None:
        self._table.write(
            put(
                items.vendor_answer_key(person_id, answer.connection_id)
                | {"status": number(answer.status), "reason": text(answer.reason), "at": moment(answer.at)}
            )
        )

    def answers(self, person_id: str) -> dict[str, VendorAnswer]:
        """What each connection's vendor last answered, by connection id."""
        rows = self._table.query(items.person_pk(person_id), "answer#")
        return {answer.connection_id: answer for answer in map(_to_answer, rows)}


def _to_presence(item: Item) -> Presence:
    return Presence(
        harness=item["harness"]["S"] if "harness" in item else "",
        harness_version=item["harness_version"]["S"] if "harness_version" in item else "",
        seen_at=from_ms(item["seen_at"]["N"]),
        listed_at=from_ms(item["listed_at"]["N"]) if "listed_at" in item else None,
        listed_revision=int(item["listed_revision"]["N"]) if "listed_revision" in item else 0,
    )


def _to_answer(item: Item) -> VendorAnswer:
    return VendorAnswer(
        connection_id=item["sk"]["S"].removeprefix("answer#"),
        status=int(item["status"]["N"]),
        reason=item["reason"]["S"],
        at=from_ms(item["at"]["N"]),
    )
