"""What ministack's TTL reaper, a thread, removes: kept like any other removal, unless a request was faster."""

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from ministack.services import dynamodb

from infra.local.emulator_records import Record
from infra.local.emulator_tables import Tables
from tests.local.test_emulator import BY_OWNER, TABLE, thing

HOUR_SECONDS = 3600


@pytest.fixture(autouse=True)
def _ministack_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("_set_item", "_remove_item"):
        monkeypatch.setattr(dynamodb, name, getattr(dynamodb, name))
    yield
    dynamodb.reset()


def test_an_expired_item_is_removed_and_its_removal_kept() -> None:
    left, kept = asyncio.run(reap("a", expires_at=time.time() - HOUR_SECONDS))
    assert left == []
    assert [(row[1:]) for row in kept["items"]] == [["a", "1", None]]


def test_an_item_whose_time_was_extended_meanwhile_stays() -> None:
    left, kept = asyncio.run(reap("a", expires_at=time.time() + HOUR_SECONDS))
    assert [item["pk"]["S"] for item in left] == ["a"]
    assert kept["items"][0][3] is not None


async def reap(key: str, *, expires_at: float) -> tuple[list[Any], Record]:
    """The items left, and the last record kept, after the reaper took `key` for expired."""
    tables, kept = Tables(), list[Record]()
    tables.keep = kept.append
    await ask(tables, "CreateTable", BY_OWNER)
    setting = {"Enabled": True, "AttributeName": "expires_at"}
    await ask(tables, "UpdateTimeToLive", {"TableName": TABLE, "TimeToLiveSpecification": setting})
    item = thing(key, "1") | {"expires_at": {"N": str(int(expires_at))}}
    await ask(tables, "PutItem", {"TableName": TABLE, "Item": item})
    table = dynamodb._tables.all_values()[0]
    await asyncio.to_thread(dynamodb._remove_item, table, key, "1")
    await asyncio.sleep(0)
    return (await ask(tables, "Scan", {"TableName": TABLE}))["Items"], kept[-1]


async def ask(tables: Tables, action: str, body: dict[str, Any]) -> Any:
    headers = {"x-amz-target": f"DynamoDB_20120810.{action}"}
    status, _, answer = await tables.answer(action, "000000000000", "us-east-1", headers, json.dumps(body).encode())
    assert status == 200, answer
    return json.loads(answer)
