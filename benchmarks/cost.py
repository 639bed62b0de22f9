"""Dollars a million of each kind of request, and a month of agents: `python -m benchmarks.cost`. Takes half a minute.

Measured here: DynamoDB's units (benchmarks.metering), bytes of the answer, CPU of this process, and round trips that
follow one another. Assumed: how long a round trip takes on AWS, and that a function of 1 GB has 0.58 of a core, as AWS
documents it. The vendor's own time is not in it: each second that a function waits costs what MEMORY_GB says.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from itertools import count
from typing import Any, Final

import pytest

from benchmarks import sweep
from benchmarks.handler import CALL, FIND, LIST, POLL, requests
from benchmarks.metering import metering
from benchmarks.scene import PROMOTED, TOOLBOX, Scene, answered, handler, standing
from chalicelib import wiring
from chalicelib.services.sweep import run_sweep
from tests.round_trips import RoundTrips

# What AWS charges, in dollars (us-east-1, on demand; from documents, not tried).
WRITE_UNIT: Final = 0.625e-6
READ_UNIT: Final = 0.125e-6
INVOCATION: Final = 0.20e-6
GB_SECOND: Final = 16.67e-6
API_REQUEST: Final = 3.50e-6
TRANSFERRED_GB: Final = 0.09
LOGGED_GB: Final = 0.50
KEY_MONTH: Final = 1.00
ALARM_MONTH: Final = 0.10
STORED_GB_MONTH: Final = 0.25

# What is assumed of AWS.
MEMORY_GB: Final = 1.0
SWEEP_MEMORY_GB: Final = 0.5
CORES: Final = 1024 / 1769
SWEEP_CORES: Final = 512 / 1769
ROUND_TRIP_MS: Final = 5.0
LOG_BYTES: Final = 600
"""A request's line, with what Lambda writes about each invocation."""

# What an agent does; each figure a day.
POLLS: Final = 24 * 3600 // 30
"""A harness that is always on and asks every 30 s, as the server tells it to."""
USAGE: Final = {LIST: 20, CALL: 100, FIND: 10, "promote": 2, POLL: POLLS}
SWEEP_VISITS: Final = 1
TICKS: Final = 24 * 12
DAYS: Final = 30.4
ALARMS: Final = 11
"""Metrics that the alarms of infra/template.yaml watch; ten an account are free, which is not counted."""
MONTH_BYTES: Final = 400 * 1024
"""What an agent's ledger and history add to the table in a month of this."""
FLEETS: Final = (1, 100, 10_000)

PROMOTE: Final = "promote"
SWEEP_VISIT: Final = "sweep, per agent due"
SWEEP_TICK: Final = "sweep, a tick with none"
DUE: Final = 100
REPEATS: Final = 40


@dataclass(frozen=True, slots=True)
class Measured:
    """One request's needs. `cpu_ms` is of this machine."""

    reads: float
    writes: float
    bytes_out: int
    cpu_ms: float
    trips: float


@dataclass(frozen=True, slots=True)
class Dollars:
    """A million of one kind of request, by what is paid for."""

    table: float
    function: float
    gateway: float
    logs: float

    @property
    def total(self) -> float:
        return self.table + self.function + self.gateway + self.logs


def main() -> int:
    measured = measure()
    prices = {what: price(what, of) for what, of in measured.items()}
    report(measured, prices)
    return 0


def measure() -> dict[str, Measured]:
    with standing() as scene, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        aside = wiring._aws_client("dynamodb", scene.environment)
        try:
            repeated = requests(scene)
            asks: dict[str, Callable[[], dict[str, Any]]] = {
                what: partial(handler(), event, None) for what, event in repeated.items()
            }
            asks[PROMOTE] = _promoting(scene)
            of_requests = {what: _measured(scene, ask, aside) for what, ask in asks.items()}
            return of_requests | _measured_sweep(scene, aside)
        finally:
            aside.close()


def _promoting(scene: Scene) -> Callable[[], dict[str, Any]]:
    """Each time another tool, from the last one of the toolbox down."""
    numbers = count(TOOLBOX - 1, -1)
    answer = handler()
    return lambda: answer(scene.meta_call("promote", vendor="shop", name=f"list-orders-{next(numbers)}"), None)


def _measured(scene: Scene, ask: Callable[[], dict[str, Any]], aside: Any) -> Measured:
    """The median CPU of several, then one that is metered, then one whose round trips are counted."""
    cpu_ms = statistics.median(_cpu_ms(lambda: answered(ask())) for _ in range(REPEATS))
    with metering(scene.deps.store.table.client, aside) as metered:
        response = answered(ask())
    with counting_trips(scene) as trips:
        answered(ask())
    return Measured(metered.reads, metered.writes, len(response["body"]), cpu_ms, trips.count)


def _cpu_ms(act: Callable[[], object]) -> float:
    start = time.process_time_ns()
    act()
    return (time.process_time_ns() - start) / 1e6


@contextmanager
def counting_trips(scene: Scene) -> Iterator[RoundTrips]:
    with pytest.MonkeyPatch.context() as patch:
        trips = RoundTrips()
        watched = trips.watch(scene.deps, patch)
        patch.setattr(wiring, "deps", lambda: watched)
        trips.start()
        yield trips
        trips.stop(scene.deps)


def _measured_sweep(scene: Scene, aside: Any) -> dict[str, Measured]:
    """A tick with nobody due, and what each due agent adds: two reads and one write that follow one another."""
    deps = scene.deps
    deps.store.people.add(sweep.PERSON)
    client = deps.store.table.client
    _idle_until_nobody_is_due(scene)
    with metering(client, aside) as empty:
        empty_ms = _cpu_ms(lambda: run_sweep(deps))
    sweep.fill(deps, DUE, due_now=True)
    with metering(client, aside) as full:
        full_ms = _cpu_ms(lambda: run_sweep(deps))
    tick = Measured(empty.reads, empty.writes, 0, empty_ms, 5)
    visit = Measured(
        (full.reads - empty.reads) / DUE,
        (full.writes - empty.writes) / DUE,
        0,
        (full_ms - empty_ms) / DUE,
        3 / deps.settings.sweep_visitors,
    )
    return {SWEEP_VISIT: visit, SWEEP_TICK: tick}


def _idle_until_nobody_is_due(scene: Scene) -> None:
    run_sweep(scene.deps)
    run_sweep(scene.deps)


def price(what: str, of: Measured) -> Dollars:
    """A million of these."""
    million = 1e6
    table = of.reads * READ_UNIT + of.writes * WRITE_UNIT
    if what == SWEEP_VISIT:
        return Dollars(table * million, seconds(of, SWEEP_CORES) * SWEEP_MEMORY_GB * GB_SECOND * million, 0, 0)
    logs = LOG_BYTES / 1e9 * LOGGED_GB
    if what == SWEEP_TICK:
        function = INVOCATION + seconds(of, SWEEP_CORES) * SWEEP_MEMORY_GB * GB_SECOND
        return Dollars(table * million, function * million, 0, logs * million)
    function = INVOCATION + seconds(of, CORES) * MEMORY_GB * GB_SECOND
    gateway = API_REQUEST + of.bytes_out / 1e9 * TRANSFERRED_GB
    return Dollars(table * million, function * million, gateway * million, logs * million)


def seconds(of: Measured, cores: float) -> float:
    """How long a function of that share of a core takes."""
    return (of.cpu_ms / cores + of.trips * ROUND_TRIP_MS) / 1000


def month(agents: int, prices: dict[str, Dollars]) -> float:
    """Dollars for so many agents that do what USAGE says."""
    daily = sum(prices[what].total / 1e6 * times for what, times in USAGE.items())
    daily += prices[SWEEP_VISIT].total / 1e6 * SWEEP_VISITS
    stored = MONTH_BYTES / 1e9 * STORED_GB_MONTH
    ticks = prices[SWEEP_TICK].total / 1e6 * TICKS * DAYS
    return agents * (daily * DAYS + stored) + ticks + KEY_MONTH + ALARMS * ALARM_MONTH


def report(measured: dict[str, Measured], prices: dict[str, Dollars]) -> None:
    print(f"One request of an agent with {PROMOTED} tools, toolbox of {TOOLBOX}; what a million of them costs")
    heads = ("reads", "writes", "bytes out", "CPU ms", "trips", "table $", "function $", "gateway $", "logs $", "all $")
    print(f"  {'':24}" + "".join(f"{head:>11}" for head in heads))
    for what, of in measured.items():
        dollars = prices[what]
        counts = f"{of.reads:11.1f}{of.writes:11.1f}{of.bytes_out:11,}{of.cpu_ms:11.2f}{of.trips:11.1f}"
        costs = (dollars.table, dollars.function, dollars.gateway, dollars.logs, dollars.total)
        print(f"  {what:24}{counts}" + "".join(f"{one:11.2f}" for one in costs))
    print(f"A month, each agent with {', '.join(f'{n:,} × {what}' for what, n in USAGE.items())} a day:")
    for agents in FLEETS:
        print(f"  {agents:>7,} agents  ${month(agents, prices):>10,.2f}")
    polls = prices[POLL].total / 1e6 * POLLS * DAYS
    print(f"Of each agent's month ${polls:.2f} are its polls: a harness that is on 8 hours a day pays a third of them.")


if __name__ == "__main__":
    sys.exit(main())
