"""Index queries with an upper bound read what they answer, as in DynamoDB, and not their whole partition.

ministack keeps which rows an index partition has, in no order, and judges each of them at every query: a tick of the
sweep would cost as many comparisons as there are agents. Here a partition that was asked for "up to a bound" is kept
sorted from then on, and the query is shown only the rows within the bound; ministack judges those as ever.
"""

import json
import re
from bisect import bisect_right, insort
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from ministack.services import dynamodb

_UP_TO = re.compile(r"\s*(\w+)\s*=\s*(:\w+)\s+AND\s+(\w+)\s*<=\s*(:\w+)\s*")

Entry = tuple[Decimal, str, str]
"""Sort value in the index, then the row's own keys."""
Place = tuple[str, str, Any]
"""Table ARN, index, index partition."""


class SortedIndexes:
    """Partitions of indexes with one numeric sort key, by ascending value."""

    def __init__(self) -> None:
        self._sorted: dict[Place, list[Entry]] = {}
        self._bound: tuple[str, Decimal] | None = None
        self._members = dynamodb._index_members
        dynamodb._index_members = self._members_in_bound

    def forget(self) -> None:
        """Tables or indexes changed: sort anew when next asked."""
        self._sorted.clear()

    def expect(self, action: str, body: bytes) -> None:
        """The next request, answered at once, is this one."""
        self._bound = _bound_of(json.loads(body)) if action == "Query" and b"IndexName" in body else None

    def move(self, table: Any, partition: str, sort: str, new: Mapping[str, Any] | None) -> None:
        """A row is about to be stored (`new`) or removed (None)."""
        if not self._sorted:
            return
        old = table["items"].get(partition, {}).get(sort)
        for place, entry in _entries(table, partition, sort, old):
            if place in self._sorted:
                self._sorted[place].remove(entry)
        for place, entry in _entries(table, partition, sort, new):
            if place in self._sorted:
                insort(self._sorted[place], entry)

    def _members_in_bound(self, table: Any) -> Any:
        members = self._members(table)
        if self._bound is None:
            return members
        index, bound = self._bound
        return {**members, index: _InBound(self, table, index, bound, members.get(index, {}))}

    def rows_up_to(self, table: Any, index: str, partition: Any, bound: Decimal, members: Any) -> list[tuple[str, str]]:
        place = (table["TableArn"], index, partition)
        entries = self._sorted.get(place)
        if entries is None:
            entries = self._sorted[place] = _sorted_entries(table, place, members)
        return [(pk, sk) for _, pk, sk in entries[: bisect_right(entries, bound, key=lambda entry: entry[0])]]


class _InBound:
    """What ministack asks for a partition's rows."""

    def __init__(self, indexes: SortedIndexes, table: Any, index: str, bound: Decimal, members: Any) -> None:
        self._indexes, self._table, self._index, self._bound, self._members = indexes, table, index, bound, members

    def get(self, partition: Any, default: Any) -> Any:
        members = self._members.get(partition)
        if members is None:
            return default
        return self._indexes.rows_up_to(self._table, self._index, partition, self._bound, members)


def _bound_of(request: Mapping[str, Any]) -> tuple[str, Decimal] | None:
    """(index, bound) of a query for everything up to a number; None: any other query."""
    match = _UP_TO.fullmatch(str(request.get("KeyConditionExpression", "")))
    value = request.get("ExpressionAttributeValues", {}).get(match[4], {}).get("N") if match else None
    return (str(request["IndexName"]), Decimal(value)) if value is not None else None


def _entries(table: Any, partition: str, sort: str, item: Mapping[str, Any] | None) -> Iterator[tuple[Place, Entry]]:
    """Where a row stands in each index that has one numeric sort key."""
    if item is None:
        return
    for name, hashes, ranges in dynamodb._index_key_schemas(table):
        of_index = dynamodb._index_partition(item, hashes, ranges)
        if of_index is not None and len(ranges) == 1 and "N" in item[ranges[0]]:
            yield (table["TableArn"], name, of_index), (Decimal(item[ranges[0]]["N"]), partition, sort)


def _sorted_entries(table: Any, place: Place, members: Any) -> list[Entry]:
    rows = [(pk, sk, table["items"].get(pk, {}).get(sk)) for pk, sk in members]
    return sorted(entry for pk, sk, item in rows for at, entry in _entries(table, pk, sk, item) if at == place)
