"""A bounded index query of the emulator answers exactly what judging every row would."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.local import emulator
from infra.local.table import ensure_table

TABLE = "graft"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Any]:
    with emulator.start(tmp_path, ephemeral=True) as aws:
        keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}
        make: Any = boto3.client
        client = make("dynamodb", endpoint_url=aws.endpoint_url, region_name="us-east-1", **keys)
        ensure_table(client, TABLE)
        yield client
        client.close()


def due(client: Any, bound: int, *, shard: str = "0", limit: int | None = None) -> list[tuple[str, int]]:
    pages = client.get_paginator("query").paginate(
        TableName=TABLE,
        IndexName="due",
        KeyConditionExpression="due_shard = :s AND due_at <= :b",
        ExpressionAttributeValues={":s": {"S": shard}, ":b": {"N": str(bound)}},
        **({} if limit is None else {"PaginationConfig": {"PageSize": limit}}),
    )
    return [(row["pk"]["S"], int(row["due_at"]["N"])) for page in pages for row in page["Items"]]


def put(client: Any, pk: str, at: int | None, shard: str = "0") -> None:
    item = {"pk": {"S": pk}, "sk": {"S": "agent"}}
    if at is not None:
        item |= {"due_shard": {"S": shard}, "due_at": {"N": str(at)}}
    client.put_item(TableName=TABLE, Item=item)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_stored_moved_and_removed_a_bounded_query_finds_just_that(client: Any, seed: int) -> None:
    chance = random.Random(seed)
    rows: dict[str, tuple[str, int]] = {}
    for _ in range(150):
        pk = f"a{chance.randrange(30)}"
        step = chance.random()
        if step < 0.6:
            rows[pk] = (chance.choice("01"), chance.randrange(20))
            put(client, pk, rows[pk][1], rows[pk][0])
        elif step < 0.75:
            rows.pop(pk, None)
            put(client, pk, None)
        else:
            rows.pop(pk, None)
            client.delete_item(TableName=TABLE, Key={"pk": {"S": pk}, "sk": {"S": "agent"}})
        if chance.random() < 0.3:
            bound, shard = chance.randrange(22), chance.choice("01")
            wanted = sorted((at, pk) for pk, (where, at) in rows.items() if where == shard and at <= bound)
            assert [(at, pk) for pk, at in due(client, bound, shard=shard)] == wanted


def test_pages_of_a_bounded_query_leave_nothing_out(client: Any) -> None:
    for number in range(12):
        put(client, f"a{number:02d}", number // 2)
    assert due(client, 4, limit=3) == [(f"a{number:02d}", number // 2) for number in range(10)]
