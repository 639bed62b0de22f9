"""Fetches what tests/clients drives into .lab: `python -m tests.clients.fetch`.

    .lab/python-1     an environment with the Python SDK 1.x
    .lab/npm          the TypeScript SDKs
    .lab/node         Node 24, for what does not run on an older one; other fetchers call `ensure_node`

Each is stamped with a digest of what it was made from, so a second run that finds nothing changed fetches nothing.
"""

from __future__ import annotations

import hashlib
import os
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
NODE: Final = LAB / "node"
NODE_BIN: Final = NODE / "node_modules" / "node" / "bin"
"""The folder to put first on the PATH."""
STAMP: Final = ".fetched"
NODE_OLDEST: Final = 20
FETCH_SECONDS: Final = 600


class CannotFetch(Exception):
    """Something that is needed is missing or did not work; the message says what to do."""


def main() -> int:
    try:
        ensure(PYTHON_1, [HERE / "requirements.txt"], sys.version, fetch_python_1)
        node = node_version()
        ensure(NPM, manifests(HERE), node, lambda: npm_ci(HERE, NPM))
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


def ensure_node() -> None:
    """Node 24, which npm has as a package for this machine's kind: its own install script picks it."""
    ensure(NODE, manifests(HERE / "node"), node_version(), lambda: npm_ci(HERE / "node", NODE, scripts=True))


def manifests(source: Path) -> list[Path]:
    return [source / "package.json", source / "package-lock.json"]


def npm_ci(source: Path, folder: Path, *, scripts: bool = False, path: Path | None = None, command: str = "ci") -> None:
    """Install what the lock of `source` pins into `folder`. `path`: a folder to put first on the PATH.

    `command`: `install` pins the same, and forgives an optional package that the lock could not find.
    """
    for manifest in manifests(source):
        shutil.copy(manifest, folder / manifest.name)
    options = ("--loglevel=error", "--no-audit", "--no-fund") + (() if scripts else ("--ignore-scripts",))
    run("npm", command, *options, cwd=folder, path=path)


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


def run(*command: str, cwd: Path | None = None, path: Path | None = None) -> None:
    first = f"{path}{os.pathsep}" if path else ""
    environment = os.environ | {"PATH": first + os.environ["PATH"]}
    try:
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        raise CannotFetch(f"{' '.join(command)} took longer than {FETCH_SECONDS} s. Try again.") from None
    if done.returncode != 0:
        raise CannotFetch(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}".strip())


if __name__ == "__main__":
    sys.exit(main())
