"""What the functions' layer holds: the packages of requirements.txt for Lambda's Python, and Monty's worker.

Made once for each set of pins, below build/dependencies, whatever Python builds it: pip takes wheels for the named
version and platform, and a Python of that version, when there is one, makes the bytecode.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from infra.deploy.bytecode import compile_tree
from infra.deploy.problem import Problem
from infra.deploy.stages import PROJECT

REQUIREMENTS: Final = PROJECT / "requirements.txt"
BUILD: Final = PROJECT / "build"
WORKER: Final = Path("bin") / "monty"
PLATFORMS: Final = ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
"""What runs on Amazon Linux 2023 (glibc 2.34)."""
PIP_SECONDS: Final = 600
TIMESTAMP: Final = 315_532_800
"""1980-01-01, the oldest that a zip can say: the same files make the same package."""
_WORKERS_CLIENT: Final = re.compile(r"^pydantic-monty-client==(\S+)$", re.MULTILINE)


def ensure_dependencies(version: str, python: str | None) -> Path:
    """The folder with everything for Lambda's Python `version` ("3.13"), compiled by `python` if there is one.

    Raises `Problem` when pip cannot bring it.
    """
    digest = hashlib.sha256(f"{version} {python is not None} {PLATFORMS}".encode() + REQUIREMENTS.read_bytes())
    folder = BUILD / "dependencies" / f"python{version}-{digest.hexdigest()[:16]}"
    if folder.is_dir():
        return folder
    unfinished = folder.with_suffix(f".{os.getpid()}")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        download(unfinished, version)
        if python is not None:
            compile_tree(python, unfinished, seen_as=f"/opt/python/lib/python{version}/site-packages")
        settle(unfinished)
        _put_in_place(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _put_in_place(made: Path, folder: Path) -> None:
    """Another process may have made the same meanwhile: then its work is as good."""
    try:
        made.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def download(folder: Path, version: str) -> None:
    """Install into `folder`; of the programs that come along, only Monty's worker is kept."""
    _pip(folder, version, "-r", str(REQUIREMENTS), worker_requirement())
    for program in (folder / "bin").iterdir():
        if program.name != WORKER.name:
            program.unlink()


def download_worker(folder: Path, version: str) -> None:
    """Monty's worker alone, as `bin/monty` below `folder`, with the permission to run it."""
    fetched = BUILD / f"worker.{os.getpid()}"
    try:
        _pip(fetched, version, worker_requirement())
        (folder / WORKER).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(fetched / WORKER, folder / WORKER)
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def worker_requirement() -> str:
    """The worker of the client's version."""
    client = _WORKERS_CLIENT.search(REQUIREMENTS.read_text())
    if client is None:
        raise Problem("requirements.txt does not pin pydantic-monty-client as name==version, so no worker fits.")
    return f"pydantic-monty-runtime=={client[1]}"


def _pip(folder: Path, version: str, *what: str) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--only-binary=:all:"]
    options += ["--target", str(folder), "--python-version", version, "--implementation", "cp"]
    options += [word for platform in PLATFORMS for word in ("--platform", platform)]
    command = [sys.executable, "-m", "pip", "install", *options, *what]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PIP_SECONDS)
    except subprocess.TimeoutExpired:
        raise Problem(f"pip did not bring the packages within {PIP_SECONDS} s. Try again.") from None
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")] or ["it said nothing"]
        raise Problem(f"pip cannot bring the packages for Python {version}: {said[-1].removeprefix('ERROR: ')}")


def settle(folder: Path) -> None:
    """Give every file the same time, and the permissions that Lambda's user needs, whatever the umask was."""
    for path in (path for path in folder.rglob("*") if path.is_file()):
        path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (TIMESTAMP, TIMESTAMP))
