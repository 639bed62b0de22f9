"""ministack's DynamoDB, watched: answers a request and says what it changed.

The journal keeps item images, not requests. Replaying requests would repeat ADDs and conditions against a state that
must be exactly the same, would make new table ids, and would miss what the TTL reaper removes. ministack answers a
request without ever yielding the event loop, so the images taken right after it are those of that request alone, and
requests are journaled in the order in which they took effect.

ministack stores and removes every item through two functions of its module; both are replaced by watched ones. An
item, once stored, is replaced and never changed, so a snapshot may hold references. Kept are tables, items, TTL, tags
and point-in-time settings. Not kept over a restart: stream records, and the idempotency tokens of transactions.
"""

import asyncio
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from ministack.core.responses import request_scope
from ministack.services import dynamodb

from infra.local.emulator_indexes import SortedIndexes
from infra.local.emulator_records import Record

READS = frozenset({
    "GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "DescribeTable", "ListTables", "DescribeTimeToLive",
    "DescribeContinuousBackups", "ListTagsOfResource", "DescribeEndpoints", "DescribeLimits",
})  # fmt: skip
WRITES = frozenset({
    "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems",
    "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction",
})  # fmt: skip
CHANGES_OF_TABLES = frozenset({
    "CreateTable", "UpdateTable", "DeleteTable", "UpdateTimeToLive", "UpdateContinuousBackups", "TagResource",
    "UntagResource",
})  # fmt: skip
OFFERED = READS | WRITES | CHANGES_OF_TABLES
"""Everything that changes something else (backups, imports, exports) is refused: it would not be kept."""

Answer = tuple[int, dict[str, str], bytes]
Key = tuple[str, str, str]
"""Table ARN, partition key, sort key, as ministack spells them."""

_SETTINGS = {"ttl": "_ttl_settings", "tags": "_tags", "point_in_time": "_pitr_settings"}
_NOT_DESCRIBING = {"items", dynamodb._INDEX_MEMBERS, "ItemCount", "TableSizeBytes"}


class Tables:
    """All tables of all accounts and regions. One per process; belongs to the thread of the running event loop."""

    def __init__(self) -> None:
        self.keep: Callable[[Record], None] = _forget
        self._touched: dict[Key, None] = {}
        self._described: dict[str, str] = {}
        self._settings = ""
        self._indexes = SortedIndexes()
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._set_item, self._remove_item = dynamodb._set_item, dynamodb._remove_item
        dynamodb._set_item, dynamodb._remove_item = self._set_watched, self._remove_watched

    async def answer(self, action: str, account: str, region: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answers one request once `keep` has taken what it changed. Raises what `keep` raises."""
        self._indexes.expect(action, body)
        try:
            with request_scope(account, region):
                status, answered, content = await dynamodb.handle_request("POST", "/", headers, body, {})
        finally:
            self._keep_changes(reshaped=action in CHANGES_OF_TABLES)
        return status, answered, content if isinstance(content, bytes) else content.encode()

    def apply(self, record: Record) -> None:
        """Makes the tables say what a record of an earlier process says."""
        for arn, described in record.get("tables", {}).items():
            self._apply_table(arn, described)
        if "settings" in record:
            self._apply_settings(record["settings"])
        for arn, partition, sort, item in record.get("items", ()):
            if item is None:
                self._remove_item(_table(arn), partition, sort)
            else:
                self._set_item(_table(arn), partition, sort, item)

    def rows(self) -> Iterator[Record]:
        """Everything, in small records; requests may be answered between two of them."""
        tables = dynamodb._tables.all_values()
        yield {"tables": {arn: json.loads(text) for arn, text in _descriptions().items()}, "settings": _settings()}
        for table in tables:
            for partition in list(table["items"]):
                for sort, item in list(table["items"].get(partition, {}).items()):
                    yield {"items": [[table["TableArn"], partition, sort, item]]}

    def _apply_table(self, arn: str, described: dict[str, Any] | None) -> None:
        if described is None:
            dynamodb._tables.pop_scoped(*_scope(arn), None)
            self._described.pop(arn, None)
            return
        emptied = {"items": defaultdict(dict), "ItemCount": 0, "TableSizeBytes": 0}
        earlier = _table(arn) or emptied
        dynamodb._tables.set_scoped(*_scope(arn), {**{name: earlier[name] for name in emptied}, **described})
        self._described[arn] = json.dumps(described)

    def _apply_settings(self, settings: dict[str, list[list[Any]]]) -> None:
        for name, attribute in _SETTINGS.items():
            store = getattr(dynamodb, attribute)
            store.clear()
            for account, region, key, value in settings[name]:
                store.set_scoped(account, region, key, value)
        self._settings = json.dumps(settings)

    def _set_watched(self, table: Any, partition: str, sort: str, item: Any) -> Any:
        self._touched[(table["TableArn"], partition, sort)] = None
        self._indexes.move(table, partition, sort, item)
        return self._set_item(table, partition, sort, item)

    def _remove_watched(self, table: Any, partition: str, sort: str) -> Any:
        if threading.get_ident() != self._thread:
            self._loop.call_soon_threadsafe(self.expire, table["TableArn"], partition, sort)
            return None
        self._touched[(table["TableArn"], partition, sort)] = None
        self._indexes.move(table, partition, sort, None)
        return self._remove_item(table, partition, sort)

    def expire(self, arn: str, partition: str, sort: str) -> None:
        """Removes an item that ministack's TTL reaper, a thread, saw expired, unless a request was faster."""
        table = _table(arn)
        if table is not None and _is_expired(arn, table["items"].get(partition, {}).get(sort)):
            self._remove_watched(table, partition, sort)
            self._keep_changes(reshaped=False)

    def _keep_changes(self, *, reshaped: bool) -> None:
        if reshaped:
            self._indexes.forget()
        record = self._reshaped() if reshaped else {}
        if self._touched:
            record["items"] = record.get("items", []) + [[*key, _item(key)] for key in self._touched if _table(key[0])]
            self._touched.clear()
        if record:
            self.keep(record)

    def _reshaped(self) -> Record:
        """What differs from what was last kept of tables and settings; a table not seen before with all its items."""
        now, before = _descriptions(), self._described
        tables = {arn: None if arn not in now else json.loads(now[arn]) for arn in sorted({*now, *before})
                  if now.get(arn) != before.get(arn)}  # fmt: skip
        record: Record = {"tables": tables} if tables else {}
        copied = [row for arn in now.keys() - before.keys() for row in _rows_of(arn)]
        if copied:
            record["items"] = copied
        settings = json.dumps(_settings())
        if settings != self._settings:
            record["settings"] = json.loads(settings)
        self._described, self._settings = now, settings
        return record


def _forget(record: Record) -> None:
    del record


def _descriptions() -> dict[str, str]:
    """Table ARN → all about a table but its items, as JSON."""
    return {
        table["TableArn"]: json.dumps({name: value for name, value in table.items() if name not in _NOT_DESCRIBING})
        for table in dynamodb._tables.all_values()
    }


def _settings() -> dict[str, list[list[Any]]]:
    return {
        name: [[*scope, value] for scope, value in getattr(dynamodb, attribute).all_items()]
        for name, attribute in _SETTINGS.items()
    }


def _rows_of(arn: str) -> list[list[Any]]:
    items = _table(arn)["items"]
    return [[arn, partition, sort, item] for partition in items for sort, item in items[partition].items()]


def _scope(arn: str) -> tuple[str, str, str]:
    """Account, region and name, from `arn:aws:dynamodb:REGION:ACCOUNT:table/NAME`."""
    _, _, _, region, account, resource = arn.split(":", 5)
    return account, region, resource.removeprefix("table/")


def _table(arn: str) -> Any:
    return dynamodb._tables.get_scoped(*_scope(arn))


def _item(key: Key) -> dict[str, Any] | None:
    arn, partition, sort = key
    return cast("dict[str, Any] | None", _table(arn)["items"].get(partition, {}).get(sort))


def _is_expired(arn: str, item: dict[str, Any] | None) -> bool:
    setting = dynamodb._ttl_settings.get_scoped(*_scope(arn), {})
    until = (item or {}).get(setting.get("AttributeName", ""), {}).get("N")
    return setting.get("TimeToLiveStatus") == "ENABLED" and until is not None and float(until) <= time.time()
