"""Fetches what tests/clients drives into .lab: `python -m tests.clients.fetch`.

    .lab/python-1     an environment with the Python SDK 1.x
    .lab/npm          the TypeScript SDKs

Each is stamped with a digest of what it was made from, so a second run that finds nothing changed fetches nothing.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
LAB: Final = HERE.parents[1] / ".lab"
PYTHON_1: Final = LAB / "python-1"
PYTHON_1_BIN: Final = PYTHON_1 / "bin" / "python"
NPM: Final = LAB / "npm"
STAMP: Final = ".fetched"
NODE_OLDEST: Final = 20
FETCH_SECONDS: Final = 600


class CannotFetch(Exception):
    """Something that is needed is missing or did not work; the message says what to do."""


def main() -> int:
    try:
        ensure(PYTHON_1, [HERE / "requirements.txt"], sys.version, fetch_python_1)
        node = node_version()
        ensure(NPM, [HERE / "package.json", HERE / "package-lock.json"], node, fetch_npm)
    except CannotFetch as reason:
        print(f"Cannot fetch the clients: {reason}", file=sys.stderr)
        return 1
    return 0


def ensure(folder: Path, sources: Sequence[Path], made_with: str, fetch: Callable[[], None]) -> None:
    """Make `folder` anew unless it was made from these sources with this interpreter, at this place."""
    digest = hashlib.sha256(f"{made_with}\n{folder}\n".encode() + b"".join(path.read_bytes() for path in sources))
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    print(f"Fetching {folder.relative_to(LAB.parent)} …", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    fetch()
    stamp.write_text(digest.hexdigest())


def fetch_python_1() -> None:
    run(sys.executable, "-m", "venv", str(PYTHON_1))
    install = ("install", "--quiet", "--disable-pip-version-check")
    run(str(PYTHON_1_BIN), "-m", "pip", *install, "-r", str(HERE / "requirements.txt"))


def fetch_npm() -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, NPM / name)
    run("npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", cwd=NPM)


def node_version() -> str:
    """What `node --version` says. Raises `CannotFetch` without npm, or with a node that is too old."""
    wanted = f"The TypeScript clients need Node {NODE_OLDEST} or newer with npm (https://nodejs.org)"
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise CannotFetch(f"{program} is not on the PATH. {wanted}.")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    major = version.removeprefix("v").partition(".")[0]
    if not major.isdecimal() or int(major) < NODE_OLDEST:
        raise CannotFetch(f"node is {version}. {wanted}.")
    return version


def run(*command: str, cwd: Path | None = None) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        raise CannotFetch(f"{' '.join(command)} took longer than {FETCH_SECONDS} s. Try again.") from None
    if done.returncode != 0:
        raise CannotFetch(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}".strip())


if __name__ == "__main__":
    sys.exit(main())
