"""What running a module costs beside its own work: `python -m benchmarks.sandbox`. Takes about ten seconds.

The peer is the plainest isolation at hand, a new CPython process for each run; it isolates far less.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from threading import Event

from chalicelib.model import VendorRequest, VendorResponse
from chalicelib.sandbox.pool import Sandbox

EMPTY = "def run(input, http):\n    return None\n"
ONE_CALL = "def run(input, http):\n    return http.get('/x').status\n"
PASS_ON = "def run(input, http):\n    return len(http.get('/x').text())\n"
READ_ALL = "def run(input, http):\n    return len(http.get('/x').json())\n"
BUDGET_MS = 1.0
CALLERS = 50
VENDOR_SECONDS = 0.2

OK = VendorResponse(200, (("content-type", "application/json"),), "{}")


def at_once(_request: VendorRequest, _deadline: float) -> VendorResponse:
    return OK


def slowly(_request: VendorRequest, _deadline: float) -> VendorResponse:
    Event().wait(VENDOR_SECONDS)
    return OK


def timed(run: Callable[[], object], *, times: int) -> list[float]:
    """Milliseconds of each run, sorted."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        taken.append((time.perf_counter() - started) * 1000)
    return sorted(taken)


def line(name: str, taken: list[float], note: str = "") -> None:
    p95 = taken[min(len(taken) - 1, int(len(taken) * 0.95))]
    print(f"{name:<58} {len(taken):>5} {statistics.median(taken):>10.2f} {p95:>10.2f}  {note}")


@contextmanager
def warm(workers: int) -> Iterator[Sandbox]:
    with closing(Sandbox(workers=workers)) as sandbox:
        for _ in range(20):
            sandbox.run(EMPTY, {}, at_once, seconds=25)
        yield sandbox


def overhead() -> None:
    with warm(1) as sandbox:
        empty = timed(lambda: sandbox.run(EMPTY, {}, at_once, seconds=25), times=500)
        verdict = "within" if statistics.median(empty) <= BUDGET_MS else "OVER"
        line("warm, an empty module", empty, f"{verdict} the budget of {BUDGET_MS:g} ms")
        line(
            "warm, one vendor call that answers at once",
            timed(lambda: sandbox.run(ONE_CALL, {}, at_once, seconds=25), times=300),
        )
        line("check of a module (types, top level)", timed(lambda: sandbox.type_check(ONE_CALL), times=30))


def cold() -> None:
    def start() -> None:
        with closing(Sandbox(workers=1)) as sandbox:
            sandbox.run(EMPTY, {}, at_once, seconds=25)

    line("cold: a new pool and its first run", timed(start, times=10))
    code = "import time; t = time.perf_counter(); import pydantic_monty; print((time.perf_counter() - t) * 1000)"
    imports = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    line("cold: importing pydantic_monty, in a new process", sorted(imports))


def large_bodies() -> None:
    rows = [{"id": number, "name": "x" * 100, "tags": ["a", "b"]} for number in range(35_000)]
    whole = VendorResponse(200, (), json.dumps(rows))
    size = f"{len(whole.text) / 2**20:.1f} MiB of JSON"

    def answer(_request: VendorRequest, _deadline: float) -> VendorResponse:
        return whole

    with warm(1) as sandbox:
        line(f"{size} as text through the wall", timed(lambda: sandbox.run(PASS_ON, {}, answer, seconds=25), times=10))
        line(f"{size}, parsed by the module", timed(lambda: sandbox.run(READ_ALL, {}, answer, seconds=25), times=10))


def parallel(workers: int, *, times: int) -> None:
    with warm(workers) as sandbox, ThreadPoolExecutor(CALLERS) as threads:

        def all_at_once() -> None:
            list(threads.map(lambda _: sandbox.run(ONE_CALL, {}, slowly, seconds=25), range(CALLERS)))

        if times > 1:
            all_at_once()
        name = f"{CALLERS} callers at once, a vendor of {VENDOR_SECONDS:g} s, {workers} workers"
        line(name, timed(all_at_once, times=times), f"at best {VENDOR_SECONDS * 1000:g}")


def peer() -> None:
    code = "import json, sys\nexec(sys.stdin.read())\nprint(json.dumps(run({}, None)))"

    def start() -> None:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", code], input=EMPTY, text=True, env={}, check=True, capture_output=True
        )

    line("peer: a new CPython process for the empty module", timed(start, times=30), "no limits, no walls")


def main() -> None:
    print(f"Sandbox · {os.cpu_count()} cores · CPython {sys.version.split()[0]}")
    print(f"{'':<58} {'runs':>5} {'median ms':>10} {'p95 ms':>10}")
    overhead()
    cold()
    large_bodies()
    parallel(64, times=3)
    parallel(os.cpu_count() or 1, times=1)
    peer()


if __name__ == "__main__":
    main()
