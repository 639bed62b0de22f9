"""What DynamoDB charges for: write units as the emulator counts them, read units counted here from the items' bytes.

The emulator sizes what is written, indexes and transactions included, but calls every GetItem one unit; so reads are
counted by AWS's rules (docs: "DynamoDB Item sizes and formats", "Capacity unit consumption").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from threading import Lock
from typing import Any, Final

READ_UNIT_BYTES: Final = 4096


@dataclass
class Metered:
    """`reads` and `writes` in DynamoDB's request units."""

    reads: float = 0.0
    writes: float = 0.0
    requests: Counter[str] = field(default_factory=Counter)


@contextmanager
def metering(client: Any, aside: Any) -> Iterator[Metered]:
    """Meter one client. `aside`, another client of the same table, looks up how large things are."""
    metered, lock = Metered(), Lock()

    def asked(params: dict[str, Any], model: Any, **_: Any) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"
        units = _read_units(aside, model.name, params)
        with lock:
            metered.requests[model.name] += 1
            metered.reads += units

    def answered(parsed: dict[str, Any], model: Any, **_: Any) -> None:
        if model.name in READS:
            return
        consumed = parsed.get("ConsumedCapacity", [])
        with lock:
            metered.writes += sum(c["CapacityUnits"] for c in (consumed if isinstance(consumed, list) else [consumed]))

    events = client.meta.events
    events.register("provide-client-params.dynamodb", asked)
    events.register("after-call.dynamodb", answered)
    try:
        yield metered
    finally:
        events.unregister("provide-client-params.dynamodb", asked)
        events.unregister("after-call.dynamodb", answered)


def _get(aside: Any, params: Mapping[str, Any]) -> float:
    found = aside.get_item(TableName=params["TableName"], Key=params["Key"]).get("Item")
    return _units([item_bytes(found or {})], consistent=params.get("ConsistentRead", False))


def _batch_get(aside: Any, params: Mapping[str, Any]) -> float:
    """Each item by itself; one that is not there costs a unit, too."""
    wanted = {table: {"Keys": of["Keys"]} for table, of in params["RequestItems"].items()}
    found = aside.batch_get_item(RequestItems=wanted)["Responses"]
    units = 0.0
    for table, of in params["RequestItems"].items():
        missing = len(of["Keys"]) - len(found[table])
        sizes = [item_bytes(item) for item in found[table]] + [0] * missing
        units += _units(sizes, consistent=of.get("ConsistentRead", False))
    return units


def _query(aside: Any, params: Mapping[str, Any]) -> float:
    """All items together."""
    whole = {k: v for k, v in params.items() if k not in ("ProjectionExpression", "ReturnConsumedCapacity")}
    if "ProjectionExpression" in params:
        whole.pop("ExpressionAttributeNames", None)
    items = aside.query(**whole)["Items"]
    return _units([sum(map(item_bytes, items))], consistent=params.get("ConsistentRead", False))


READS: Final = {"GetItem": _get, "BatchGetItem": _batch_get, "Query": _query}


def _read_units(aside: Any, operation: str, params: Mapping[str, Any]) -> float:
    return READS[operation](aside, params) if operation in READS else 0.0


def _units(sizes: Sequence[int], *, consistent: bool) -> float:
    units = sum(max(1, ceil(size / READ_UNIT_BYTES)) for size in sizes)
    return float(units) if consistent else units / 2


def item_bytes(item: Mapping[str, Any]) -> int:
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return len(content.lstrip("-").replace(".", "")) // 2 + 2
        case "B":
            return len(content)
        case "M":
            return 3 + sum(len(name.encode()) + 1 + _value_bytes(part) for name, part in content.items())
        case "L":
            return 3 + sum(1 + _value_bytes(part) for part in content)
        case _:
            return 1
