"""Sixteen clients at once, a kill -9 among them: nothing that was answered is lost, nothing is half there."""

import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError

from infra.local import emulator
from tests.local.test_emulator import ADD_ONE, BY_OWNER, TABLE, dynamodb, eventually, thing

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CLIENTS = 16
COUNTERS = 4
ENOUGH = 400


class Clients:
    """Each adds to shared counters, half of them together with a ledger row, until the emulator is gone."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self._client = client
        self.answered: list[tuple[str, str, int]] = []
        self.attempted: Counter[str] = Counter()
        self.surprises: list[str] = []
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(CLIENTS)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(60)

    def _work(self, number: int) -> None:
        work = self._transact if number % 2 else self._compare_and_set
        try:
            for turn in range(100_000):
                work(f"{'ledger' if number % 2 else 'plain'}-{turn % COUNTERS}", f"{number:02}-{turn:06}")
        except BotoCoreError:
            return
        except Exception as error:
            self.surprises.append(repr(error))

    def _transact(self, counter: str, turn: str) -> None:
        row: Any = {
            "TableName": TABLE,
            "Item": thing(counter, turn),
            "ConditionExpression": "attribute_not_exists(pk)",
        }
        added: Any = {"TableName": TABLE, "Key": thing("counters", counter), **ADD_ONE}
        self.attempted[counter] += 1
        self._client.transact_write_items(TransactItems=[{"Put": row}, {"Update": added}])
        self.answered.append((counter, turn, 0))

    def _compare_and_set(self, counter: str, turn: str) -> None:
        seen = count_of(self._client, counter)
        moved = {":seen": {"N": str(seen)}, ":next": {"N": str(seen + 1)}}
        try:
            self._client.update_item(
                TableName=TABLE,
                Key=thing("counters", counter),
                UpdateExpression="SET #count = :next",
                ConditionExpression="#count = :seen",
                ExpressionAttributeNames={"#count": "count"},
                ExpressionAttributeValues=moved,
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return
        self.answered.append((counter, turn, seen + 1))


def test_sixteen_clients_and_a_kill_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    with emulator.start(tmp_path, large_journal_bytes=30_000) as first, dynamodb(first.endpoint_url) as client:
        client.create_table(**BY_OWNER)
        for counter in range(COUNTERS):
            for kind in ("plain", "ledger"):
                counted = thing("counters", f"{kind}-{counter}") | {"count": {"N": "0"}}
                client.put_item(TableName=TABLE, Item=counted)
        clients = Clients(client)
        clients.start()
        eventually(lambda: len(clients.answered) >= ENOUGH, seconds=60)
        os.kill(first.pid, signal.SIGKILL)
        clients.join()
    assert clients.surprises == []
    assert list((tmp_path / "emulator").glob("*.snapshot")), "snapshots were written meanwhile"
    with emulator.start(tmp_path) as second, dynamodb(second.endpoint_url) as client:
        for counter in range(COUNTERS):
            check_ledger(client, clients, f"ledger-{counter}")
            check_plain(client, clients, f"plain-{counter}")


def check_ledger(client: "DynamoDBClient", clients: Clients, counter: str) -> None:
    """The count and the rows were written together, so they agree exactly."""
    answered = {turn for name, turn, _ in clients.answered if name == counter}
    rows = rows_of(client, counter)
    assert answered <= rows
    assert len(rows) == count_of(client, counter) <= clients.attempted[counter]


def check_plain(client: "DynamoDBClient", clients: Clients, counter: str) -> None:
    """Every number was given out once, and at most one per client was stored without its answer arriving."""
    given = [count for name, _, count in clients.answered if name == counter]
    count = count_of(client, counter)
    assert len(given) == len(set(given))
    assert set(given) <= set(range(1, count + 1))
    assert count - len(given) <= CLIENTS


def rows_of(client: "DynamoDBClient", counter: str) -> set[str]:
    pages = client.get_paginator("query").paginate(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": counter}},
        ConsistentRead=True,
    )
    return {item["sk"]["S"] for page in pages for item in page["Items"]}


def count_of(client: "DynamoDBClient", counter: str) -> int:
    item = client.get_item(TableName=TABLE, Key=thing("counters", counter), ConsistentRead=True)["Item"]
    return int(item["count"]["N"])
