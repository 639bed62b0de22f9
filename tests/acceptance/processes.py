"""What runs on this machine: the descendants of a process, and who listens where."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")


def descendants(pid: int) -> set[int]:
    """Every process that `pid` started, and that those started, as they are now."""
    children: dict[int, set[int]] = {}
    for child, parent in _parents().items():
        children.setdefault(parent, set()).add(child)
    found: set[int] = set()
    waiting = {pid}
    while waiting:
        waiting = set().union(*(children.get(each, set()) for each in waiting)) - found
        found |= waiting
    return found


def is_running(pid: int) -> bool:
    """Whether this process is there and is more than an exit code that nobody has collected."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return pid in _parents()


def is_listening(port: int) -> bool:
    """Whether anything on loopback takes connections at this port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _parents() -> dict[int, int]:
    """Process id → parent's process id, of every process that is not a zombie."""
    rows = _from_proc() if (PROC / "self" / "stat").exists() else _from_ps()
    return {pid: parent for pid, parent, state in rows if not state.startswith("Z")}


def _from_proc() -> list[tuple[int, int, str]]:
    rows = []
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            try:
                state, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
            except (OSError, ValueError):
                continue
            rows.append((int(entry.name), int(parent), state))
    return rows


def _from_ps() -> list[tuple[int, int, str]]:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True)
    return [(int(pid), int(parent), state) for pid, parent, state in map(str.split, listed.stdout.splitlines())]
