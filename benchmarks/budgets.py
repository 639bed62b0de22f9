"""The budgets, each with what was measured just now and the peers beside it: `make bench`. Takes three to six minutes.

Run: python -m benchmarks.budgets [--agents 20000] [--only door,handler,trips,cold,sandbox,sweep,search,package]
Each of these is measured by a benchmark that says more when run by itself. `--agents 100000` is the budget's own size
of the sweep's larger table, and takes some minutes more.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Final

from benchmarks import cold_start, cost, door, handler, sandbox, search, sweep
from benchmarks.scene import answered, standing
from benchmarks.scene import handler as scene_handler
from chalicelib.rules.search import Index
from infra.deploy.package import build_package

AGENTS: Final = 20_000
FEW_AGENTS: Final = 1_000
COLD_STARTS: Final = 3
RUNS: Final = 300
QUERY_MS_MAX: Final = 10.0
SWEEP_RATIO_MAX: Final = 1.3
PACKAGE_MB_MAX: Final = 40.0
MEGABYTE: Final = 1e6


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    budget: str
    measured: str
    kept: bool | None
    """None: it could not be measured here."""
    peers: str = ""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=AGENTS, help="of the sweep's larger table")
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    parts: dict[str, Callable[[], Iterator[Row]]] = PARTS | {"sweep": partial(of_sweep, options.agents)}
    wanted = options.only.split(",") if options.only else list(parts)
    print(f"{'':50}{'budget':>12}{'measured':>14}            peers, same run", flush=True)
    print(
        f"load of this machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: what others run beside adds to CPU"
    )
    rows = [_shown(row) for part in wanted for row in parts[part]()]
    missed = [row for row in rows if row.kept is False]
    unknown = sum(row.kept is None for row in rows)
    print(f"{len(rows) - len(missed) - unknown} budgets met, {len(missed)} missed, {unknown} not measured")
    return int(bool(missed))


def _shown(row: Row) -> Row:
    verdict = {True: "met", False: "MISSED", None: "-"}[row.kept]
    print(f"{row.what:50}{row.budget:>12}{row.measured:>14}  {verdict:8}  {row.peers}", flush=True)
    return row


def of_door() -> Iterator[Row]:
    measured = door.measure()
    peer = door.sdk_through_mangum(measured)
    for what, ours in measured[door.OURS].items():
        others = {way: of[what] for way, of in measured.items() if way != door.OURS}
        peers = ", ".join(f"{way} {ms:.2f}" for way, ms in others.items())
        yield _at_most(f"door CPU, {what}", ours, door.BUDGET_MS, "ms", peers)
        times = peer[what] / ours
        kept = times >= door.TIMES_BELOW_SDK
        yield Row("  times below the SDK through Mangum", f">= {door.TIMES_BELOW_SDK}", f"{times:.1f}", kept)


def of_handler() -> Iterator[Row]:
    with standing() as scene:
        taken = handler.measure(scene)
    for what, budget in handler.BUDGETS_MS.items():
        of = taken[what]
        median = f"median {of.cpu_ms:.2f} ms with what else this machine does"
        yield _at_most(f"whole handler CPU, {what}, least loaded tenth", of.quiet_ms, budget, "ms", median)


def of_trips() -> Iterator[Row]:
    """In a process that has answered such requests before; tests/mcp/test_round_trips.py says when there are more."""
    with standing() as scene, redirect_stdout(StringIO()):
        asks = {what: partial(scene_handler(), event, None) for what, event in handler.requests(scene).items()}
        for ask in asks.values():
            answered(ask())
        counted = {}
        for what, ask in asks.items():
            with cost.counting_trips(scene) as trips:
                answered(ask())
                counted[what] = (trips.count, tuple(trips.marks))
    yield _at_most("round trips, tools/list", counted[handler.LIST][0], 2, "")
    total, (before, after) = counted[handler.CALL]
    yield _at_most("round trips, tools/call before its module", before, 3, "")
    yield _at_most("round trips, tools/call after it", total - after, 1, "", "2 keep the ledger: docs/performance.md")
    yield _at_most("round trips, find_tool", counted[handler.FIND][0], 2, "")


def of_cold_start() -> Iterator[Row]:
    what, budget = "cold start CPU, share of the SDK's", f"<= {cold_start.SHARE_OF_SDK_MAX:.0%}"
    figures = cold_start.measure(COLD_STARTS, bare=False)
    if figures is None:
        yield Row(what, budget, "-", None)
        return
    share = cold_start.share_of_sdk(figures)
    peers = ", ".join(f"{name} {of.cpu_ms:.0f} ms (wall {of.wall_ms:.0f})" for name, of in figures.items())
    yield Row(what, budget, f"{share:.0%}", share <= cold_start.SHARE_OF_SDK_MAX, peers)


def of_sandbox() -> Iterator[Row]:
    with sandbox.warm(1) as warm:
        taken = sandbox.timed(lambda: warm.run(sandbox.EMPTY, {}, sandbox.at_once, seconds=25), times=RUNS)
    yield _at_most("sandbox overhead, warm, wall clock", statistics.median(taken), sandbox.BUDGET_MS, "ms")


def of_sweep(agents: int) -> Iterator[Row]:
    with redirect_stdout(StringIO()):
        few, many = (sweep.run(count, sweep.DUE_AMONG_MANY).seconds for count in (FEW_AGENTS, agents))
    what = f"sweep, {sweep.DUE_AMONG_MANY} due of {agents:,} / of {FEW_AGENTS:,}, ratio"
    yield _at_most(what, many / few, SWEEP_RATIO_MAX, "", f"{many * 1000:.0f} ms / {few * 1000:.0f} ms")


def of_search() -> Iterator[Row]:
    heads = search.read_heads("corpus") + search.read_heads("heldout_corpus")
    index = Index(search.enlarge(heads, search.TOOLS))
    queries = [question.query for _, _, name in search.SETS for question in search.read_questions(name)]
    slow = search.percentile([search.milliseconds(index, query) for query in queries], 0.95)
    corpus = Index(search.read_heads("corpus"))
    found = search.measure([search.ask(corpus, question) for question in search.read_questions("queries")])
    others = "; ".join(f"{peer} {figures}" for peer, figures in search.PEERS)
    finds = (
        f"ours finds {found.hit_at_1:.0%} first, {found.hit_at_5:.0%} in five; on other tools and questions: {others}"
    )
    yield _at_most(f"search over {search.TOOLS:,} tools, warm CPU, p95", slow, QUERY_MS_MAX, "ms", finds)


def of_package() -> Iterator[Row]:
    zipped = build_package(cold_start.STAGE).zipped_bytes / MEGABYTE
    yield _at_most("deployment package, zipped", zipped, PACKAGE_MB_MAX, "MB")


def _at_most(what: str, measured: float, budget: float, unit: str, peers: str = "") -> Row:
    shown = f"{measured:.2f} {unit}" if unit or isinstance(measured, float) else str(measured)
    return Row(what, f"<= {budget:g} {unit}".rstrip(), shown.rstrip(), measured <= budget, peers)


PARTS: Final[dict[str, Callable[[], Iterator[Row]]]] = {
    "door": of_door,
    "handler": of_handler,
    "trips": of_trips,
    "cold": of_cold_start,
    "sandbox": of_sandbox,
    "sweep": partial(of_sweep, AGENTS),
    "search": of_search,
    "package": of_package,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
