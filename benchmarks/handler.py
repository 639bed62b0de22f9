"""What a whole request costs in CPU, from API Gateway's event to Lambda's answer: `python -m benchmarks.handler`.

Chalice, the door, the services, the store and DynamoDB's client; the table is the emulator's, the worker is real.
Only this process's CPU counts: neither the emulator's nor the worker's. Takes half a minute.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any, Final

from benchmarks.gateway import Event
from benchmarks.scene import HANDSHAKE, PROMOTED, TOOLBOX, Scene, answered, handler, standing

REPEATS: Final = 150
WARM_UP: Final = 15
LIST: Final = "tools/list"
CALL: Final = "tools/call"
FIND: Final = "find_tool"
POLL: Final = "GET poll"
BUDGETS_MS: Final = {LIST: 3.0, CALL: 13.0}


@dataclass(frozen=True, slots=True)
class Taken:
    """`quiet_ms`: the CPU of the least loaded tenth. What runs beside us on a machine's cores makes the rest dearer."""

    quiet_ms: float
    cpu_ms: float
    wall_ms: float


def main() -> int:
    with standing() as scene:
        taken = measure(scene)
    with standing(promoted=500, toolbox=500) as scene:
        large = measure(scene, repeats=REPEATS // 3)
    return 0 if report(taken, large) else 1


def requests(scene: Scene) -> dict[str, Event]:
    """Those that can be repeated without end."""
    session, event_id = open_session(scene)
    return {
        LIST: scene.event("tools/list"),
        CALL: scene.event("tools/call", name="shop__list-orders-3", arguments={"status": "open"}),
        FIND: scene.meta_call("find_tool", query="list the orders of the shop"),
        POLL: scene.poll(session, event_id),
    }


def open_session(scene: Scene) -> tuple[str, str]:
    """A session that has listed, and the id of its stream's first event."""
    answer = handler()
    parameters = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
    session = answered(answer(scene.event("initialize", session="none", **parameters), None))
    session_id = next(v for k, v in _headers(session).items() if k.lower() == "mcp-session-id")
    answered(answer(scene.event("tools/list", session=session_id), None))
    first = answered(answer(scene.poll(session_id, ""), None))
    return session_id, next(line[4:] for line in first["body"].splitlines() if line.startswith("id: "))


def _headers(response: dict[str, Any]) -> dict[str, str]:
    single: dict[str, str] = response["headers"]
    return single | {name: values[0] for name, values in response["multiValueHeaders"].items()}


def measure(scene: Scene, *, repeats: int = REPEATS) -> dict[str, Taken]:
    answer = handler()
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        return {what: _timed(partial(answer, event, None), repeats) for what, event in requests(scene).items()}


def _timed(ask: Callable[[], dict[str, Any]], repeats: int) -> Taken:
    answered(ask())
    cpu, wall = [], []
    for _ in range(WARM_UP + repeats):
        cpu_start, wall_start = time.process_time_ns(), time.perf_counter_ns()
        ask()
        cpu.append((time.process_time_ns() - cpu_start) / 1e6)
        wall.append((time.perf_counter_ns() - wall_start) / 1e6)
    counted = sorted(cpu[WARM_UP:])
    return Taken(counted[len(counted) // 10], statistics.median(counted), statistics.median(wall[WARM_UP:]))


def report(taken: dict[str, Taken], large: dict[str, Taken]) -> bool:
    """Print the figures; answer whether they keep the budgets."""
    print(f"CPU ms of this process a request, event to answer: least loaded tenth of {REPEATS} and median; in brackets")
    print("wall clock, with the emulator on the same machine")
    print(f"  {'':12}{f'set of {PROMOTED}, toolbox of {TOOLBOX}':>34}{'set and toolbox of 500':>34}")
    for what, of in taken.items():
        budget = f"budget {BUDGETS_MS[what]:g}" if what in BUDGETS_MS else ""
        pairs = "".join(f"{one.quiet_ms:15.2f} {one.cpu_ms:7.2f} ({one.wall_ms:6.1f}) " for one in (of, large[what]))
        print(f"  {what:12}{pairs}  {budget}")
    kept = all(taken[what].quiet_ms <= budget for what, budget in BUDGETS_MS.items())
    print(f"budgets: {'kept' if kept else 'BROKEN'}")
    return kept


if __name__ == "__main__":
    sys.exit(main())
