"""Makes the Python that the emulator's Lambdas run on: `python -m tests.deployed.fetch`.

    .lab/lambda-python   a Python of the deployed version with boto3, as Lambda's runtime has it, and nothing else

Without a Python of that version on the machine, it is one of the version that runs this, and the suite deploys for
that one: then everything is shown except that the packages for Lambda's own version import.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from infra.deploy.interpreters import find_python
from infra.deploy.package import RUNTIME
from tests.clients.fetch import LAB, CannotFetch, ensure, run

FOLDER: Final = LAB / "lambda-python"
BIN: Final = FOLDER / "bin" / "python"
OWN_VERSION: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
PINNED_IN: Final = Path(__file__).resolve().parents[2] / "requirements-local.txt"


def main() -> int:
    try:
        ensure_python()
    except CannotFetch as reason:
        print(f"Cannot make the Lambdas' Python: {reason}", file=sys.stderr)
        return 1
    if version() != RUNTIME:
        print(f"There is no Python {RUNTIME} here: the suite deploys for {version()} instead.")
    return 0


def version() -> str:
    """The Python version that the suite deploys for."""
    return RUNTIME if find_python(RUNTIME) else OWN_VERSION


def ensure_python() -> None:
    python = find_python(RUNTIME) or sys.executable
    ensure(FOLDER, [PINNED_IN], python, lambda: _make(python))


def _make(python: str) -> None:
    pins = [line for line in PINNED_IN.read_text().splitlines() if line.startswith(("boto3==", "botocore=="))]
    run(python, "-m", "venv", str(FOLDER))
    run(str(BIN), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins)


if __name__ == "__main__":
    sys.exit(main())
