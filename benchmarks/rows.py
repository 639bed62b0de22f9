"""How large an agent's rows get, and what that leaves of a partition: `python -m benchmarks.rows`. Takes no time.

Bytes are of the items that storage/items.py makes, by AWS's rules (benchmarks.metering). Every tool has the longest
name that there is. DynamoDB takes items up to 400 KB and 1,000 write units a second and partition; a write costs a
unit for each KB of the whole item.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final

from benchmarks.metering import item_bytes
from chalicelib.model import (
    PROMOTED_MAX,
    RUNS_IN_FLIGHT_MAX,
    Agent,
    Cause,
    Change,
    ChangeSet,
    Direction,
    LedgerLine,
    Promotion,
    Run,
    RunKind,
)
from chalicelib.rules.names import WIRE_NAME_MAX
from chalicelib.storage import items

ITEM_BYTES_MAX: Final = 400 * 1024
WRITE_UNIT_BYTES: Final = 1024
PARTITION_WRITES: Final = 1000
NOW: Final = datetime(2026, 11, 30, 14, 18, 0, 123000, tzinfo=UTC)
PERSON: Final = "p" * 13
AGENT: Final = "a" * 13
FIRST_SLOT: Final = 100_000
"""An agent's hundred-thousandth promotion."""
SETS: Final = ((20, 3), (100, 10), (500, 50), (PROMOTED_MAX, RUNS_IN_FLIGHT_MAX))
"""Tools promoted, runs in flight."""


@dataclass(frozen=True)
class Rows:
    """One agent's rows, in bytes."""

    tools: int
    runs: int
    agent: int
    set: int
    history: int
    """The record of the whole set leaving at once."""
    ledger: int

    @property
    def largest(self) -> int:
        return max(self.agent, self.set, self.history)

    @property
    def calls_a_second(self) -> int:
        """How many calls of one agent a partition takes: claim and release write A, and each run a ledger line."""
        return PARTITION_WRITES // (2 * _units(self.agent) + _units(self.ledger))


def _units(size: int) -> int:
    return ceil(size / WRITE_UNIT_BYTES)


def rows_of(tools: int, runs: int) -> Rows:
    promotions = [
        Promotion(_name(number), str(FIRST_SLOT + number), NOW + timedelta(milliseconds=number), Cause.PUBLISH, NOW)
        for number in range(tools)
    ]
    in_flight = [_run(number) for number in range(runs)]
    agent = items.new_agent_item(Agent(PERSON, AGENT, "n" * 64, "h" * 64, 500, 3650, None, NOW))
    agent["runs"] = {"M": {run.id: items.run_value(run) for run in in_flight}}
    agent["used"] = {"M": {p.slot: items.used_value(p.last_used_at) for p in promotions}}
    agent |= {"due_shard": items.text("0"), "due_at": items.moment(NOW)}
    leaving = tuple(Change(p.tool, Direction.DEMOTED, Cause.IDLE, NOW) for p in promotions)
    record = ChangeSet(FIRST_SLOT, NOW, leaving, 3650, 500, tools)
    return Rows(
        tools=tools,
        runs=runs,
        agent=item_bytes(agent),
        set=item_bytes(items.set_item(PERSON, AGENT, FIRST_SLOT, promotions)),
        history=item_bytes(items.history_item(PERSON, AGENT, record)),
        ledger=item_bytes(items.ledger_item(PERSON, AGENT, LedgerLine(_run(0), "vendor_unreachable", NOW, 50))),
    )


def _name(number: int) -> str:
    return f"vendor__{number:0{WIRE_NAME_MAX - len('vendor__')}d}"


def _run(number: int) -> Run:
    return Run(f"{number:024x}", _name(number), 1000, RunKind.CALL, NOW, NOW + timedelta(seconds=30))


def report(measured: list[Rows]) -> bool:
    """Print the sizes; answer whether the largest row that there can be fits."""
    print("tools  runs      A      S  H, all leaving  ledger line   bytes;  calls a second of one agent")
    for rows in measured:
        sizes = f"{rows.agent:7,}{rows.set:7,}{rows.history:16,}{rows.ledger:13,}"
        print(f"{rows.tools:5,}{rows.runs:6}{sizes}{rows.calls_a_second:17,}")
    fits = measured[-1].largest <= ITEM_BYTES_MAX
    print(f"the largest is {measured[-1].largest / ITEM_BYTES_MAX:.0%} of what an item may have")
    return fits


if __name__ == "__main__":
    sys.exit(not report([rows_of(tools, runs) for tools, runs in SETS]))
