"""The folder that holds everything of one machine: data, keys, notes, and how to connect."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

LOCAL_FILE: Final = "local.json"
PROJECT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Home:
    """`GRAFT_HOME`, used as it is; `.graft/` in the project when it is not set."""

    path: Path

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Home:
        """Makes the folder unless it is there. Raises `OSError`."""
        path = _named(environment)
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return cls(path.resolve())

    @classmethod
    def find(cls, environment: Mapping[str, str]) -> Home | None:
        """The folder if it is there; a command beside `make run` makes none."""
        path = _named(environment)
        return cls(path.resolve()) if path.is_dir() else None

    def read_local(self) -> dict[str, Any]:
        """What the last start wrote; empty when there was none, or when it cannot be read."""
        try:
            loaded = json.loads((self.path / LOCAL_FILE).read_text())
        except (OSError, ValueError):
            return {}
        return loaded if isinstance(loaded, dict) else {}

    def write_local(self, values: Mapping[str, Any]) -> None:
        """Replace the file at once, readable by its owner only: it holds the agent's token."""
        write_private(self.path / LOCAL_FILE, json.dumps(dict(values), indent=2) + "\n")


def _named(environment: Mapping[str, str]) -> Path:
    named = environment.get("GRAFT_HOME")
    return Path(named).expanduser() if named else PROJECT / ".graft"


def write_private(path: Path, text: str) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
