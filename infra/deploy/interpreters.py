"""Finding a Python of the version that Lambda will run: bytecode of another one is of no use there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from infra.deploy.problem import Problem

SETTING: Final = "GRAFT_PYTHON"
ASK: Final = "import sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name)"
ASK_SECONDS: Final = 20


def find_python(version: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """The path of a CPython of this version, such as "3.13"; None: there is none.

    Looked at in turn: GRAFT_PYTHON, this interpreter, PATH, pyenv's and uv's installations. Raises `Problem` when
    GRAFT_PYTHON names something else.
    """
    named = environment.get(SETTING)
    if named:
        path = shutil.which(named)
        if path is None or not _is(path, version):
            raise Problem(f"{SETTING} names {named}, which is not a Python {version}. Correct it, or leave it out.")
        return path
    return next((path for path in _candidates(version, environment) if _is(path, version)), None)


def _candidates(version: str, environment: Mapping[str, str]) -> Iterator[str]:
    yield sys.executable
    on_path = shutil.which(f"python{version}", path=environment.get("PATH"))
    if on_path:
        yield on_path
    home = Path(environment.get("HOME", "/nonexistent"))
    pyenv = Path(environment.get("PYENV_ROOT", home / ".pyenv")) / "versions"
    uv = home / ".local" / "share" / "uv" / "python"
    for folder, pattern in ((pyenv, f"{version}*"), (uv, f"cpython-{version}*")):
        yield from (str(found / "bin" / f"python{version}") for found in sorted(folder.glob(pattern), reverse=True))


def _is(path: str, version: str) -> bool:
    """Whether it runs, and is what its name says: a shim may be there and lead nowhere."""
    try:
        asked = subprocess.run([path, "-c", ASK], capture_output=True, text=True, timeout=ASK_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0 and asked.stdout.split() == [version, "cpython"]
