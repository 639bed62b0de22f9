"""Processes for races: forked from one that has everything imported, so that a hundred cost no more than a second.

`python -m tests.races.crew` is the one that forks. It reads orders, a JSON line each, and writes what became of them.
Each order has a process of its own, with a client of its own, and a keeper that waits for its end.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

from tests.races.arena import Place

PROJECT: Final = Path(__file__).parents[2]
PATIENCE_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Order:
    """One process's task: the name of a function in tests/races/tasks.py and what it takes."""

    task: str
    place: Place
    arguments: dict[str, Any]
    ahead_seconds: float = 0.0
    """How far its clock is ahead of the machine's."""
    death: tuple[int, bool] | None = None
    """`kill -9` at this request of its own: before it is sent (False) or after it was answered (True)."""


@dataclass(frozen=True)
class Ended:
    """What became of a process."""

    killed: bool
    result: Any
    """What the task answered; None: it was killed, or faults outlasted its retries."""


class Crew:
    """Starts processes and collects them. A context manager: leaving it ends them all."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.races.crew"],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._said: queue.Queue[dict[str, Any]] = queue.Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        stdin, stdout = self._pipes()
        stdin.close()
        self._process.wait(PATIENCE_SECONDS)
        self._listener.join(PATIENCE_SECONDS)
        stdout.close()

    def run(self, order: Order) -> Ended:
        return self.run_together([order])[0]

    def run_together(self, orders: list[Order]) -> list[Ended]:
        """All at the same moment: each is made ready, and none begins before the last one is."""
        gate = Path(orders[0].place.home) / "gate"
        with gate.open("w") as shut:
            fcntl.flock(shut, fcntl.LOCK_EX)
            for number, order in enumerate(orders):
                self._tell({"number": number, "gate": str(gate), **asdict(order)})
            self._collect("ready", len(orders))
        ended = self._collect("ended", len(orders))
        return [self._read(ended[number]) for number in range(len(orders))]

    def _collect(self, event: str, count: int) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        while len(found) < count:
            said = self._said.get(timeout=PATIENCE_SECONDS)
            assert said["event"] == event, said
            found[said["number"]] = said
        return found

    @staticmethod
    def _read(said: dict[str, Any]) -> Ended:
        killed = said["status"] == -signal.SIGKILL
        assert killed or said["status"] == 0, f"a process of the race failed; its traceback is above: {said}"
        return Ended(killed, None if killed else json.loads(Path(said["result"]).read_text()))

    def _tell(self, order: dict[str, Any]) -> None:
        stdin, _ = self._pipes()
        stdin.write(json.dumps(order) + "\n")
        stdin.flush()

    def _listen(self) -> None:
        _, stdout = self._pipes()
        for line in stdout:
            self._said.put(json.loads(line))

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout


def main() -> None:
    """Fork for every order. Stays single-threaded, and opens no connection."""
    from tests.races import tasks

    tasks.prepare()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        order = json.loads(line)
        if os.fork() == 0:
            _keep(order)


def _keep(order: dict[str, Any]) -> None:
    """The keeper: forks once more, waits for that process, and tells of its end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    result = f"{order['gate']}-{order['number']}"
    worker = os.fork()
    if worker == 0:
        _work(order, result)
    _, status = os.waitpid(worker, 0)
    _say({"event": "ended", "number": order["number"], "status": os.waitstatus_to_exitcode(status), "result": result})
    os._exit(0)


def _work(order: dict[str, Any], result: str) -> None:
    from tests.races import tasks

    code = 1
    try:
        Path(result).write_text(json.dumps(tasks.perform(order, lambda: _wait_for_the_others(order))))
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)


def _wait_for_the_others(order: dict[str, Any]) -> None:
    with open(order["gate"]) as gate:
        _say({"event": "ready", "number": order["number"]})
        fcntl.flock(gate, fcntl.LOCK_SH)


def _say(event: dict[str, Any]) -> None:
    """One write of less than a pipe's buffer: the lines of several processes never mix."""
    os.write(1, (json.dumps(event) + "\n").encode())


if __name__ == "__main__":
    main()
