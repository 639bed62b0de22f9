"""How the table is spoken to: consistent reads, conditional writes, conflicts retried.

DynamoDB answers `TransactionConflict` to a transaction, and to a plain write, that meets a running transaction
on the same row. botocore retries it in no mode, so every write here does: `RETRIES` times, with jitter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

from botocore.exceptions import ClientError

from chalicelib.errors import Conflict
from chalicelib.storage.items import Item, Key

RETRIES: Final = 5
BATCH_GET_MAX: Final = 100
BACKOFF_SECONDS: Final = 0.025
"""First pause after a conflict; each further one may be twice as long, and a random part of it is slept."""
THREADS: Final = 16

_CONFLICT: Final = frozenset({"TransactionConflict", "TransactionConflictException", "TransactionInProgressException"})
_THROTTLE: Final = frozenset({"ThrottlingError", "ThrottlingException", "ProvisionedThroughputExceeded"})
_RETRYABLE: Final = _CONFLICT | _THROTTLE | {"ProvisionedThroughputExceededException", "RequestLimitExceeded"}
_UNMET: Final = frozenset({"ConditionalCheckFailed", "ConditionalCheckFailedException"})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Write:
    """One write, as DynamoDB spells it; alone or as part of a transaction."""

    action: Literal["Put", "Update", "Delete", "ConditionCheck"]
    request: dict[str, Any]


def put(item: Item, *, condition: str = "", values: Mapping[str, Any] | None = None) -> Write:
    return Write("Put", {"Item": item} | _expressions(condition=condition, values=values))


def delete(key: Key, *, condition: str = "", values: Mapping[str, Any] | None = None) -> Write:
    return Write("Delete", {"Key": key} | _expressions(condition=condition, values=values))


def check(key: Key, *, condition: str, values: Mapping[str, Any] | None = None) -> Write:
    return Write("ConditionCheck", {"Key": key} | _expressions(condition=condition, values=values))


def update(
    key: Key,
    expression: str,
    *,
    condition: str = "",
    values: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> Write:
    """`#word` in an expression means the attribute `word`, unless `names` says otherwise."""
    return Write("Update", {"Key": key} | _expressions(expression, condition, values, names))


def _expressions(
    expression: str = "",
    condition: str = "",
    values: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    used = set(re.findall(r"#\w+", f"{expression} {condition}"))
    spelled = {name: (names or {}).get(name, name[1:]) for name in used}
    parts = {
        "UpdateExpression": expression,
        "ConditionExpression": condition,
        "ExpressionAttributeNames": spelled,
        "ExpressionAttributeValues": dict(values or {}),
    }
    return {part: value for part, value in parts.items() if value}


class Table:
    """One table. Safe to share between threads."""

    def __init__(self, client: Any, name: str, *, sleep: Callable[[float], None], jitter: Callable[[], float]) -> None:
        self.client = client
        self.name = name
        self._sleep = sleep
        self._jitter = jitter

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(THREADS, thread_name_prefix="table")

    def close(self) -> None:
        self._threads.shutdown()

    def together(self, first: Callable[[], T], *others: Callable[[], Any]) -> tuple[T, *tuple[Any, ...]]:
        """Run the calls side by side; the first on this thread. Every call ends before an error is raised."""
        futures = [self._threads.submit(call) for call in others]
        try:
            answer = first()
        finally:
            errors = [future.exception() for future in futures]
        for error in errors:
            if error is not None:
                raise error
        return (answer, *(future.result() for future in futures))

    # --- reads, always strongly consistent

    def get(self, key: Key) -> Item | None:
        answer = self.client.get_item(TableName=self.name, Key=key, ConsistentRead=True)
        item: Item | None = answer.get("Item")
        return item

    def get_many(self, keys: Sequence[Key], *, attributes: Sequence[str] = ()) -> list[Item]:
        """The rows that exist, in any order; 100 a request, requests side by side."""
        chunks = [keys[at : at + BATCH_GET_MAX] for at in range(0, len(keys), BATCH_GET_MAX)]
        if not chunks:
            return []
        first, *others = [_bind(self._batch_get, chunk, attributes) for chunk in chunks]
        return [item for items in self.together(first, *others) for item in items]

    def _batch_get(self, keys: Sequence[Key], attributes: Sequence[str]) -> list[Item]:
        request: dict[str, Any] = {"Keys": list(keys), "ConsistentRead": True} | _only(attributes)
        items: list[Item] = []
        for attempt in range(RETRIES + 1):
            answer = self.client.batch_get_item(RequestItems={self.name: request})
            items += answer["Responses"].get(self.name, [])
            left = answer.get("UnprocessedKeys", {}).get(self.name)
            if not left:
                return items
            request = left
            self._pause(attempt)
        raise Conflict("some rows could not be read in time")

    def query(
        self,
        pk: str,
        prefix: str,
        *,
        newest_first: bool = False,
        below: str | None = None,
        limit: int | None = None,
        attributes: Sequence[str] = (),
    ) -> Iterator[Item]:
        """Rows of one partition whose sort key begins with `prefix`, page by page beyond DynamoDB's 1 MB.

        `below`: only sort keys before this one. `limit`: at most so many rows.
        """
        values = {":pk": {"S": pk}, ":from": {"S": prefix}, ":to": {"S": below or prefix + "\uffff"}}
        request: dict[str, Any] = {
            "TableName": self.name,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :from AND :to",
            "ExpressionAttributeValues": values,
            "ConsistentRead": True,
            "ScanIndexForward": not newest_first,
        } | _only(attributes)
        yield from self._pages(request, limit=limit)

    def query_index(self, index: str, condition: str, values: Mapping[str, Any]) -> Iterator[Item]:
        request = {
            "TableName": self.name,
            "IndexName": index,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": dict(values),
        }
        yield from self._pages(request, limit=None)

    def scan(self, condition: str, values: Mapping[str, Any]) -> Iterator[Item]:
        """Every row that meets `condition`, at the price of reading the whole table."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "FilterExpression": condition,
            "ExpressionAttributeValues": dict(values),
            "ConsistentRead": True,
        }
        yield from self._pages(request, limit=None, call=self.client.scan)

    def _pages(
        self, request: dict[str, Any], *, limit: int | None, call: Callable[..., Any] | None = None
    ) -> Iterator[Item]:
        call = call or self.client.query
        left = limit
        while left is None or left > 0:
            page = call(**request, **({} if left is None else {"Limit": left}))
            yield from page["Items"]
            left = None if left is None else left - len(page["Items"])
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    # --- writes

    def write(self, write: Write) -> bool:
        """Apply one write. False: its condition was not met."""
        call = {"Put": self.client.put_item, "Update": self.client.update_item, "Delete": self.client.delete_item}
        return self._retried(lambda: call[write.action](TableName=self.name, **write.request))

    def transact(self, writes: Sequence[Write]) -> bool:
        """Apply all writes or none. False: a condition was not met."""
        actions = [{write.action: {"TableName": self.name} | write.request} for write in writes]
        return self._retried(lambda: self.client.transact_write_items(TransactItems=actions))

    def _retried(self, call: Callable[[], Any]) -> bool:
        for attempt in range(RETRIES + 1):
            try:
                call()
            except ClientError as error:
                codes = _codes(error)
                if codes & _UNMET:
                    return False
                if not codes & _RETRYABLE:
                    raise
            else:
                return True
            self._pause(attempt)
        raise Conflict("other writes kept meeting this one")

    def _pause(self, attempt: int) -> None:
        self._sleep(BACKOFF_SECONDS * 2**attempt * self._jitter())


def _only(attributes: Sequence[str]) -> dict[str, Any]:
    """The part of a read that names the wanted attributes; none: all of them."""
    if not attributes:
        return {}
    return {
        "ProjectionExpression": ",".join(f"#{name}" for name in attributes),
        "ExpressionAttributeNames": {f"#{name}": name for name in attributes},
    }


def _codes(error: ClientError) -> set[str]:
    """The error's own code and, of a cancelled transaction, each action's."""
    reasons = error.response.get("CancellationReasons", ())
    codes = {str(reason.get("Code")) for reason in reasons if isinstance(reason, dict)}
    return codes | {str(error.response["Error"].get("Code"))}


def _bind(call: Callable[..., T], *arguments: Any) -> Callable[[], T]:
    return lambda: call(*arguments)
