"""Rows of the asks: opened once per question, found by their link's code, answered once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from chalicelib.model import Ask, AskAnswer, AskPlace, AskPointer, AskState
from chalicelib.storage import ask_items, items
from chalicelib.storage.table import Table, Write, delete, put, update

_STILL_OPEN = "#state = :open AND #closes_at > :now"


class AskRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    # --- reads

    def find_place(self, person_id: str, agent_id: str, digest: str) -> AskPlace | None:
        """Where this question of the agent is kept, whatever became of it."""
        item = self._table.get(items.question_key(person_id, agent_id, digest))
        return ask_items.to_place(item) if item else None

    def find(self, person_id: str, ask_id: str) -> Ask | None:
        item = self._table.get(items.ask_key(person_id, ask_id))
        return ask_items.to_ask(item) if item else None

    def find_by_code(self, person_id: str, code: str) -> Ask | None:
        """The person's own ask behind this code; another person's does not exist."""
        pointer = self.find_pointer(person_id, code)
        return self.find(person_id, pointer.ask_id) if pointer else None

    def find_pointer(self, person_id: str, code: str) -> AskPointer | None:
        """Where this code points, if it is to an ask of the person."""
        item = self._table.get(items.code_key(code))
        return ask_items.to_pointer(item) if item and item["person"]["S"] == person_id else None

    def newest(self, person_id: str, *, before: str | None = None, limit: int | None = None) -> list[Ask]:
        """Newest first; `before`: only those opened before that ask."""
        below = None if before is None else items.ask_key(person_id, _previous(before))["sk"]["S"]
        pk = items.asks_pk(person_id)
        rows = self._table.query(pk, "ask#", newest_first=True, below=below, limit=limit)
        return [ask_items.to_ask(row) for row in rows]

    def opened_since(self, person_id: str, since: datetime) -> list[Ask]:
        """Those opened then or later, newest first."""
        return [ask_items.to_ask(row) for row in self._since(person_id, since)]

    def count_open(self, person_id: str, now: datetime, since: datetime, *, agent_id: str | None = None) -> int:
        """Of those opened since then (by one agent, if named), how many can still be answered; without reading what
        they ask."""
        rows = self._since(person_id, since, attributes=("state", "closes_at", "agent"))
        return sum(
            row["state"]["S"] == AskState.OPEN
            and now < items.from_ms(row["closes_at"]["N"])
            and agent_id in (None, row["agent"]["S"])
            for row in rows
        )

    def _since(self, person_id: str, since: datetime, *, attributes: Sequence[str] = ()) -> Iterator[items.Item]:
        """Ids sort by time: each begins with the millisecond in which its ask was opened, in twelve digits."""
        first, end = items.ask_key(person_id, f"{items.to_ms(since):012x}")["sk"]["S"], "ask#\uffff"
        pk = items.asks_pk(person_id)
        yield from self._table.query(pk, first, newest_first=True, below=end, attributes=attributes)

    # --- writes

    def open(self, ask: Ask, digest: str, *, also: Sequence[Write] = ()) -> bool:
        """Open an ask. False: the question is open already, or was declined, or `also` was refused."""
        place = put(
            ask_items.place_item(ask, digest),
            condition="attribute_not_exists(#pk) OR #closes_at <= :now OR #answer = :connected",
            values={":now": items.moment(ask.opened_at), ":connected": items.text(AskAnswer.CONNECTED)},
        )
        new = "attribute_not_exists(#pk)"
        writes = [place, put(ask_items.ask_item(ask), condition=new), put(ask_items.code_item(ask), condition=new)]
        return self._table.transact([*writes, *also])

    def answer(self, ask: Ask, digest: str, answered: Ask, *, also: Sequence[Write] = ()) -> bool:
        """Keep the person's answer with what it grants. False: it is not open any more, or `also` was refused."""
        return self._table.transact([*answer_writes(ask, digest, answered), *also])

    def close(self, ask: Ask, digest: str, now: datetime, note: str) -> bool:
        """End an open ask without an answer."""
        close = update(
            items.ask_key(ask.person_id, ask.id),
            "SET #state = :closed, #note = :note",
            condition=_STILL_OPEN,
            values=_open_values(now) | {":closed": items.text(AskState.CLOSED), ":note": items.text(note)},
        )
        return self._table.transact([close, _forget(ask, digest)])

    def forget(self, ask: Ask, digest: str) -> bool:
        """Take back what is remembered of an answer, so that the question may be asked again."""
        forget = _forget(ask, digest)
        return self._table.write(forget)


def answer_writes(ask: Ask, digest: str, answered: Ask) -> list[Write]:
    """`answered`: the ask as it is afterwards. What an agent will ask again is remembered under its question."""
    assert answered.answer is not None
    assert answered.answered_at is not None
    values = _open_values(answered.answered_at) | {
        ":answered": items.text(AskState.ANSWERED),
        ":answer": items.text(answered.answer),
        ":note": items.text(answered.note),
    }
    expression = "SET #state = :answered, #answer = :answer, #answered_at = :now, #note = :note"
    if answered.connection_id is not None:
        expression += ", #connection = :connection"
        values[":connection"] = items.text(answered.connection_id)
    row = update(items.ask_key(ask.person_id, ask.id), expression, condition=_STILL_OPEN, values=values)
    if answered.answer in (AskAnswer.CONNECTED, AskAnswer.DECLINED):
        return [row, _remember(ask, digest, answered.answer, answered.answered_at)]
    return [row, _forget(ask, digest)]


def _remember(ask: Ask, digest: str, answer: AskAnswer, now: datetime) -> Write:
    return update(
        items.question_key(ask.person_id, ask.agent_id, digest),
        "SET #answer = :answer, #answered_at = :now",
        condition="#ask_id = :ask_id",
        values={":answer": items.text(answer), ":now": items.moment(now), ":ask_id": items.text(ask.id)},
    )


def _forget(ask: Ask, digest: str) -> Write:
    return delete(
        items.question_key(ask.person_id, ask.agent_id, digest),
        condition="attribute_not_exists(#pk) OR #ask_id = :ask_id",
        values={":ask_id": items.text(ask.id)},
    )


def _open_values(now: datetime) -> dict[str, items.Item]:
    return {":open": items.text(AskState.OPEN), ":now": items.moment(now)}


def _previous(ask_id: str) -> str:
    """A sort key just before this ask's: ids are lower-case letters and digits."""
    return ask_id[:-1] + chr(ord(ask_id[-1]) - 1) + "~"
