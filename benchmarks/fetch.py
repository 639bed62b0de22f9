"""Fetches what the benchmarks run beside us into .lab: `python -m benchmarks.fetch`. Needs PyPI, once.

.lab/peers        an environment with the other MCP servers
.lab/lambda       Lambda's runtime for Python, and the boto3 that comes with it
.lab/lambda-sdk   what a handler on the SDK's lowlevel server carries, compiled
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from infra.deploy.bytecode import compile_tree
from infra.deploy.interpreters import find_python
from infra.deploy.package import RUNTIME
from infra.deploy.problem import Problem
from tests.clients.fetch import LAB, CannotFetch, ensure, run

HERE: Final = Path(__file__).resolve().parent
PEERS: Final = LAB / "peers"
PEERS_PYTHON: Final = PEERS / "bin" / "python"
PEERS_PINS: Final = HERE / "peers.txt"
RIC: Final = LAB / "lambda"
RIC_PYTHON: Final = RIC / "bin" / "python"
RIC_PINS: Final = HERE / "lambda_runtime.txt"
SDK: Final = LAB / "lambda-sdk"
SDK_PINS: Final = HERE / "lambda_peer" / "requirements.txt"
INSTALL: Final = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
UNREACHABLE: Final = (
    "The peers are not there and PyPI did not give them, so ours is shown alone. When it is reachable: "
    "python -m benchmarks.fetch"
)


def main() -> int:
    try:
        ensure_peers()
        ensure_lambda()
    except CannotFetch as reason:
        print(f"{UNREACHABLE}\n{reason}", file=sys.stderr)
        return 1
    return 0


def lambda_python() -> str:
    """A Python as Lambda runs it, or the one that runs this where there is none."""
    return find_python(RUNTIME) or sys.executable


def ensure_peers() -> None:
    """Raises `CannotFetch`."""
    ensure(PEERS, [PEERS_PINS], sys.version, fetch_peers)


def ensure_lambda() -> None:
    """Raises `CannotFetch`."""
    python = lambda_python()
    ensure(RIC, [RIC_PINS], python, lambda: _make_environment(python, RIC, RIC_PINS))
    ensure(SDK, [SDK_PINS], python, fetch_sdk)


def fetch_peers() -> None:
    _make_environment(sys.executable, PEERS, PEERS_PINS)


def fetch_sdk() -> None:
    run(str(RIC_PYTHON), *INSTALL, "--no-compile", "--target", str(SDK), "-r", str(SDK_PINS))
    try:
        compile_tree(str(RIC_PYTHON), SDK, seen_as="/opt/python")
    except Problem as problem:
        raise CannotFetch(str(problem)) from problem


def _make_environment(python: str, folder: Path, pins: Path) -> None:
    run(python, "-m", "venv", str(folder))
    run(str(folder / "bin" / "python"), *INSTALL, "-r", str(pins))


def why_not(ensure_all: Callable[[], None]) -> str:
    """What to say when something cannot be fetched; empty: it is there."""
    try:
        ensure_all()
    except CannotFetch as reason:
        return f"{UNREACHABLE}\n{reason}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
