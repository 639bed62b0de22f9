"""Compiling ahead of time: on Lambda the code is on a read-only disk, so each cold start would compile it again.

The bytecode is of the kind that is never checked against its source (PEP 552, unchecked hash): times in a package
mean nothing. It is made only in copies, since Python would go on running it after the source has changed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from infra.deploy.problem import Problem

COMPILE_SECONDS: Final = 300


def compile_tree(python: str, folder: Path, *, seen_as: str, deep: bool = True) -> None:
    """Compile every module below `folder` with the interpreter `python`; tracebacks will name `seen_as`.

    `deep=False`: only what is in the folder itself.
    """
    command = [python, "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash"]
    command += ["-s", str(folder), "-p", seen_as, *([] if deep else ["-l"]), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip().splitlines() or ["it said nothing"]
        raise Problem(f"{python} cannot compile the package: {said[-1]}")
