"""The official conformance suite against the door, on both revisions: `python -m tests.conformance.run`.

Ends with 1 when a scenario fails that is not in its revision's `expected_failures_….yml`, and when one passes that is.
What the suite said is kept whole in .lab/conformance-logs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.clients.fetch import LAB, CannotFetch

from .door import open_door
from .fetch import HERE, NODE, REQUIREMENTS, SUITE, fetch

REVISIONS: Final = ("2026-07-28", "2025-11-25")
LOGS: Final = LAB / "conformance-logs"
SUITE_SECONDS: Final = 300
SUMMARY: Final = "=== SUMMARY ==="
COLOUR: Final = re.compile(r"\x1b\[\d+m")
FAILED: Final = re.compile(r"^  [~✗] ([\w-]+)", re.MULTILINE)
"""A scenario that failed somewhere, as the suite lists it against the expected ones."""


def main() -> int:
    try:
        fetch()
    except CannotFetch as reason:
        print(f"Cannot run the conformance suite: {reason}", file=sys.stderr)
        return 1
    LOGS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, open_door(Path(home)) as url:
        outcomes = [run(url, revision) for revision in REVISIONS]
    return max(outcomes)


def baseline_of(revision: str) -> Path:
    return HERE / f"expected_failures_{revision}.yml"


def run(url: str, revision: str) -> int:
    """The suite's exit code for one revision, after printing its verdict."""
    log = LOGS / f"{revision}.log"
    print(f"MCP {revision} …", flush=True)
    with tempfile.TemporaryDirectory() as results, log.open("w") as said:
        ran = subprocess.run(
            [str(NODE), str(SUITE), "server", "--url", url, "--output-dir", results, *against(revision)],
            stdout=said,
            stderr=subprocess.STDOUT,
            timeout=SUITE_SECONDS,
        )
    said_last = verdict(log.read_text())
    required = scored(revision)
    whole = required - set(FAILED.findall(said_last))
    print(said_last, f"(all that was said: {log.relative_to(LAB.parent)})", sep="\n")
    print(f"MCP {revision}: {len(whole)} of {len(required)} scored scenarios pass whole.\n", flush=True)
    return ran.returncode


def against(revision: str) -> list[str]:
    return ["--requirements", revision, "--expected-failures", str(baseline_of(revision))]


def scored(revision: str) -> set[str]:
    """The scenarios that count for a server of this revision; the suite runs others, too, and reports them."""
    requirements = (REQUIREMENTS / f"{revision}.yaml").read_text()
    servers = requirements.partition("\nserver:\n")[2].partition("\nclient:\n")[0]
    return set(re.findall(r"^  - ([\w-]+)", servers, re.MULTILINE))


def verdict(said: str) -> str:
    """The end of what the suite said, from its summary on."""
    _, found, rest = said.rpartition(SUMMARY)
    return COLOUR.sub("", rest if found else said[-4000:]).strip()


if __name__ == "__main__":
    sys.exit(main())
