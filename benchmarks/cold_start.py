"""What a new process costs until it has answered its first `tools/list`: `python -m benchmarks.cold_start`. A minute.

Both sides are real processes of Lambda's runtime client for Python (awslambdaric) on a package built as `make package`
builds it, behind a small Runtime API on loopback. Both read the same rows of the same table on the emulator, and list
the same tools. CPU is the process's own, all of it, as the kernel counted it.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import fetch, scene
from benchmarks.lambda_runtime import ColdStart, start_cold
from infra.deploy.bytecode import compile_tree
from infra.deploy.package import Package, build_package
from infra.deploy.stages import Stage

STARTS: Final = 7
SHARE_OF_SDK_MAX: Final = 0.4
HARNESS_MS: Final = 1500
OURS: Final = "ours"
SDK: Final = "SDK lowlevel server"
STAGE: Final = Stage("bench")
PEER: Final = Path(__file__).resolve().parent / "lambda_peer" / "app.py"


@dataclass(frozen=True, slots=True)
class Function:
    """Code as Lambda would unpack it."""

    name: str
    task: Path
    layers: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians."""

    init_cpu_ms: float
    cpu_ms: float
    wall_ms: float
    memory_mib: float


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=STARTS)
    options = parser.parse_args(arguments)
    figures = measure(options.starts)
    return 0 if figures is None or report(figures) else 1


def measure(starts: int = STARTS, *, bare: bool = True) -> dict[str, Figures] | None:
    """By function, with `bare` those without bytecode, too; None: the runtime could not be fetched, which is said."""
    lacking = fetch.why_not(fetch.ensure_lambda)
    if lacking:
        print(lacking)
        return None
    package = build_package(STAGE)
    with tempfile.TemporaryDirectory() as folder, scene.standing(toolbox=scene.PROMOTED) as stands:
        functions = unpacked(package, Path(folder), bare=bare)
        return _in_turn(functions, stands, starts)


def _in_turn(functions: list[Function], stands: scene.Scene, starts: int) -> dict[str, Figures]:
    """One start of each after the other, so that whatever else the machine does meets all of them."""
    taken: dict[str, list[ColdStart]] = {function.name: [] for function in functions}
    environment = function_environment(stands)
    for _ in range(starts):
        for function in functions:
            event = stands.event("tools/list")
            start = start_cold(fetch.RIC_PYTHON, function.task, function.layers, event, environment)
            assert start.answer["body"].count('"inputSchema"') >= scene.PROMOTED, start.answer
            taken[function.name].append(start)
    return {name: _medians(one) for name, one in taken.items()}


def function_environment(stands: scene.Scene) -> dict[str, str]:
    """What the deployed function has, but for where AWS is."""
    return {
        "GRAFT_STAGE": "dev",
        "GRAFT_TABLE": scene.TABLE,
        "GRAFT_KMS_KEY": "alias/graft-dev",
        "MONTY_BIN": "bin/monty",
        "AWS_ENDPOINT_URL": stands.environment["GRAFT_AWS_ENDPOINT"],
        "PEER_PERSON": scene.PERSON,
        "PEER_AGENT": stands.agent_id,
    }


def _medians(starts: list[ColdStart]) -> Figures:
    return Figures(
        *(
            statistics.median(getattr(start, name) for start in starts)
            for name in ("init_cpu_ms", "cpu_ms", "wall_ms", "memory_mib")
        )
    )


def unpacked(package: Package, folder: Path, *, bare: bool) -> list[Function]:
    """Ours and the peer's; with `bare`, each without its bytecode, too."""
    layer = folder / "layer"
    _unzip(package.layer, layer)
    ours, sdk = folder / "ours", folder / "sdk"
    _unzip(package.code, ours)
    sdk.mkdir()
    shutil.copytree(ours / "chalice", sdk / "chalice")
    shutil.copy(PEER, sdk)
    compile_tree(str(fetch.RIC_PYTHON), sdk, seen_as="/var/task", deep=False)
    site = next(layer.rglob("jinja2")).parent
    compiled = [Function(OURS, ours, (site,)), Function(SDK, sdk, (fetch.SDK,))]
    if not bare:
        return compiled
    return [
        *compiled,
        Function(f"{OURS}, without .pyc", _bare(ours), (_bare(site),)),
        Function(f"{SDK}, without .pyc", _bare(sdk), (_bare(fetch.SDK, into=folder / "sdk-layer-bare"),)),
    ]


def _bare(folder: Path, *, into: Path | None = None) -> Path:
    """A copy without bytecode."""
    bare = into or folder.with_name(f"{folder.name}-bare")
    shutil.copytree(folder, bare, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    return bare


def _unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)


def report(figures: dict[str, Figures]) -> bool:
    """Print the figures; answer whether they keep the budget."""
    version = subprocess.run([fetch.RIC_PYTHON, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"A new process until its first tools/list of {scene.PROMOTED} is answered; {version}, medians, ms")
    print(f"  {'':36}{'CPU of init':>12}{'CPU in all':>12}{'wall clock':>12}{'MiB':>8}")
    for name, of in figures.items():
        print(f"  {name:36}{of.init_cpu_ms:12.0f}{of.cpu_ms:12.0f}{of.wall_ms:12.0f}{of.memory_mib:8.0f}")
    share = share_of_sdk(figures)
    kept = share <= SHARE_OF_SDK_MAX
    print(f"ours is {share:.0%} of the SDK's (budget {SHARE_OF_SDK_MAX:.0%}): {'kept' if kept else 'BROKEN'}")
    return kept


def share_of_sdk(figures: dict[str, Figures]) -> float:
    return figures[OURS].cpu_ms / figures[SDK].cpu_ms


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
