"""Fetches what tests/harness drives into .lab: `python -m tests.harness.fetch`.

    .lab/node         Node 24, shared with other fetchers
    .lab/harness      OpenClaw, the Inspector and mcporter
    .lab/hermes       an environment with Hermes

Stamped as tests/clients/fetch.py says: a second run that finds nothing changed fetches nothing.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.clients.fetch import LAB, NODE_BIN, CannotFetch, ensure, ensure_node, manifests, npm_ci, run

HERE: Final = Path(__file__).resolve().parent
NPM: Final = LAB / "harness"
NPM_BIN: Final = NPM / "node_modules" / ".bin"
HERMES: Final = LAB / "hermes"
HERMES_BIN: Final = HERMES / "bin"


def main() -> int:
    try:
        with ThreadPoolExecutor() as both:
            for fetched in [both.submit(ensure_npm), both.submit(ensure_hermes)]:
                fetched.result()
    except CannotFetch as reason:
        print(f"Cannot fetch the harnesses: {reason}", file=sys.stderr)
        return 1
    return 0


def ensure_npm() -> None:
    """What runs on Node. No install script is run: OpenClaw needs none of them for a gateway on loopback."""
    ensure_node()
    ensure(NPM, manifests(HERE), str(NODE_BIN), lambda: npm_ci(HERE, NPM, path=NODE_BIN, command="install"))


def ensure_hermes() -> None:
    ensure(HERMES, [HERE / "requirements.txt"], sys.version, fetch_hermes)


def fetch_hermes() -> None:
    run(sys.executable, "-m", "venv", str(HERMES))
    install = ("install", "--quiet", "--disable-pip-version-check")
    run(str(HERMES_BIN / "python"), "-m", "pip", *install, "-r", str(HERE / "requirements.txt"))


if __name__ == "__main__":
    sys.exit(main())
