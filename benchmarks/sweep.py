"""What a tick of the sweep costs: with few agents due among many, and with many due.

Run: python -m benchmarks.sweep [--agents 1000,10000,100000] [--due 1000,10000]
On the emulator that `make run` uses. Capacity is counted from DynamoDB's own figures (ReturnConsumedCapacity).
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from chalicelib import wiring
from chalicelib.model import Agent, Cause, Promotion
from chalicelib.services.deps import Deps
from chalicelib.services.sweep import run_sweep
from chalicelib.storage import items
from infra.local import emulator
from infra.local.table import ensure_table

PERSON: Final = "bench"
DUE_AMONG_MANY: Final = 100
TOOLS_EACH: Final = 3
BATCH: Final = 25


@dataclass(frozen=True, slots=True)
class Tick:
    agents: int
    due: int
    seconds: float
    requests: Counter[str]
    capacity: float

    def row(self) -> str:
        trips = sum(self.requests.values())
        reads = sum(n for name, n in self.requests.items() if name in ("Query", "GetItem", "BatchGetItem"))
        return (
            f"{self.agents:>9,} {self.due:>7,} {self.seconds * 1000:>10.0f} {self.seconds / self.due * 1000:>9.2f} "
            f"{reads / self.due:>10.2f} {(trips - reads) / self.due:>11.2f} {self.capacity / self.due:>14.2f}"
        )


def main(arguments: list[str]) -> None:
    logging.basicConfig(level="WARNING", stream=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", default="1000,10000,100000")
    parser.add_argument("--due", default="1000,10000")
    options = parser.parse_args(arguments)
    heads = ("agents", "due", "ms a tick", "ms/due", "reads/due", "writes/due", "capacity/due")
    print("{:>9} {:>7} {:>10} {:>9} {:>10} {:>11} {:>14}".format(*heads))
    few = [run(count, DUE_AMONG_MANY) for count in whole_numbers(options.agents)]
    for count in whole_numbers(options.due):
        run(count, count)
    if len(few) > 1:
        ratio = few[-1].seconds / few[0].seconds
        what = f"{few[-1].agents:,} agents / {few[0].agents:,} agents, {DUE_AMONG_MANY} due"
        print(f"time, {what}: {ratio:.2f} (budget 1.3)")


def whole_numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


def run(agents: int, due: int) -> Tick:
    """The median of three ticks over a fresh table."""
    with tempfile.TemporaryDirectory() as home, emulator.start(Path(home), ephemeral=True) as aws:
        deps = wiring.make_deps({"GRAFT_TABLE": "graft", "GRAFT_HOME": home, "GRAFT_AWS_ENDPOINT": aws.endpoint_url})
        ensure_table(deps.store.table.client, "graft")
        deps.store.people.add(PERSON)
        fill(deps, agents - due, due_now=False)
        ticks = []
        for _ in range(3):
            fill(deps, due, due_now=True)
            ticks.append(tick(deps, agents, due))
        deps.store.close()
    median = sorted(ticks, key=lambda one: one.seconds)[1]
    print(median.row(), flush=True)
    return median


def tick(deps: Deps, agents: int, due: int) -> Tick:
    requests: Counter[str] = Counter()
    capacity = [0.0]
    events = deps.store.table.client.meta.events

    def ask(params: dict[str, Any], **_: Any) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"

    def count(parsed: dict[str, Any], model: Any, **_: Any) -> None:
        requests[model.name] += 1
        consumed = parsed.get("ConsumedCapacity", [])
        capacity[0] += sum(c["CapacityUnits"] for c in (consumed if isinstance(consumed, list) else [consumed]))

    events.register("provide-client-params.dynamodb", ask)
    events.register("after-call.dynamodb", count)
    began = time.perf_counter()
    swept = run_sweep(deps)
    seconds = time.perf_counter() - began
    events.unregister("provide-client-params.dynamodb", ask)
    events.unregister("after-call.dynamodb", count)
    assert len(swept.demoted) == due, (len(swept.demoted), due)
    return Tick(agents, due, seconds, requests, capacity[0])


def fill(deps: Deps, count: int, *, due_now: bool) -> None:
    """Agents with three tools each, one of them idle if the agent is to be due."""
    rows = (row for number in range(count) for row in rows_of(deps, number, due_now=due_now))
    with ThreadPoolExecutor(8) as writers:
        list(writers.map(lambda batch: write(deps, batch), batches(rows)))


def rows_of(deps: Deps, number: int, *, due_now: bool) -> Iterator[items.Item]:
    now = deps.now()
    agent_id = f"{'due' if due_now else 'far'}{number}"
    agent = Agent(PERSON, agent_id, agent_id, "hash", 20, 21, None, now)
    ages = [30 if due_now and at == 0 else 1 for at in range(TOOLS_EACH)]
    promotions = [
        Promotion(f"vendor__tool-{at}", str(at + 1), now - timedelta(days=days), Cause.AGENT)
        for at, days in enumerate(ages)
    ]
    due_at = now if due_now else now + timedelta(days=20)
    revision = time.time_ns() // 1000 if due_now else TOOLS_EACH
    yield items.new_agent_item(replace(agent, set_size=TOOLS_EACH)) | {
        "list_revision": items.number(revision),
        "set_size": items.number(TOOLS_EACH),
        "used": {"M": {p.slot: items.used_value(None) for p in promotions}},
        "due_shard": items.text(items.due_shard(agent_id)),
        "due_at": items.moment(due_at),
    }
    yield items.set_item(PERSON, agent_id, revision, promotions)


def batches(rows: Iterator[items.Item]) -> Iterator[list[items.Item]]:
    batch: list[items.Item] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def write(deps: Deps, batch: list[items.Item]) -> None:
    table = deps.store.table
    answer = table.client.batch_write_item(RequestItems={table.name: [{"PutRequest": {"Item": row}} for row in batch]})
    assert not answer.get("UnprocessedItems"), json.dumps(answer)


if __name__ == "__main__":
    main(sys.argv[1:])
