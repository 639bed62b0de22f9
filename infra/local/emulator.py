"""An AWS emulator for one machine: DynamoDB on loopback, with everything answered for kept in a folder.

    python -m infra.local.emulator --home DIR --port N

or, from a program, `start(home)`, which runs the same in a process of its own.
"""

import argparse
import http.client
import json
import logging
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import TracebackType

from infra.local.emulator_journal import LARGE_JOURNAL_BYTES

PROJECT = Path(__file__).parents[2]
START_SECONDS = 10.0
STOP_SECONDS = 5.0
LOG_TAIL_BYTES = 4000
KEPT_LOG_BYTES = 1024 * 1024


class EmulatorError(Exception):
    """The emulator did not start; the message says why."""


class Emulator:
    """A running emulator, child of this process. A context manager: leaving it stops the process."""

    def __init__(self, process: subprocess.Popen[bytes], endpoint_url: str) -> None:
        self._process = process
        self.endpoint_url = endpoint_url

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        """Ends the process, by force after STOP_SECONDS. Does nothing the second time."""
        _end(self._process)

    def __enter__(self) -> "Emulator":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def start(
    home: Path, *, port: int = 0, ephemeral: bool = False, large_journal_bytes: int = LARGE_JOURNAL_BYTES
) -> Emulator:
    """Starts an emulator of `home` and waits, at most START_SECONDS, until it answers. Port 0 picks a free one.

    It ends when this process does. `ephemeral` keeps nothing. Raises EmulatorError with the end of the log.
    """
    home = home.absolute()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = _log_of(home)
    log_start = log.stat().st_size
    process = _spawn(home, log, port, ephemeral, large_journal_bytes)
    until = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        endpoint_url = _answering(home, process.pid)
        if endpoint_url is not None:
            return Emulator(process, endpoint_url)
        time.sleep(0.01)
    _end(process)
    raise EmulatorError(f"the emulator did not start: {_tail(log, log_start)}")


def find_running(home: Path) -> str | None:
    """The endpoint of the emulator that runs in `home`, whoever started it; None when none answers."""
    return _answering(home.absolute(), None)


def main(arguments: list[str] | None = None) -> int:
    """The emulator's own process."""
    parser = argparse.ArgumentParser(prog="python -m infra.local.emulator", description="DynamoDB on this machine.")
    parser.add_argument("--home", type=Path, required=True, help="the folder that keeps everything")
    parser.add_argument("--port", type=int, default=0, help="0, the default, picks a free one")
    parser.add_argument("--ephemeral", action="store_true", help="keep nothing")
    parser.add_argument("--large-journal-bytes", type=int, default=LARGE_JOURNAL_BYTES, help="when to write a snapshot")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="end when this parent process does")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    return _run(options)


def _run(arguments: argparse.Namespace) -> int:
    from infra.local.emulator_process import HomeInUse, Options, run
    from infra.local.emulator_records import JournalDamaged

    options = vars(arguments) | {"home": arguments.home.absolute()}
    try:
        return run(Options(**options))
    except (HomeInUse, JournalDamaged, OSError) as error:
        print(error, file=sys.stderr)
        return 2


def _spawn(home: Path, log: Path, port: int, ephemeral: bool, large_bytes: int) -> subprocess.Popen[bytes]:
    """In a session of its own: a Ctrl-C is for the parent, which stops this process when it no longer needs it."""
    command = [sys.executable, "-m", "infra.local.emulator", f"--home={home}", f"--port={port}"]
    command += [f"--parent={os.getpid()}", f"--large-journal-bytes={large_bytes}"] + ["--ephemeral"] * ephemeral
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def _answering(home: Path, pid: int | None) -> str | None:
    """The endpoint that emulator.json names, if the process it names (which must be `pid`, if given) answers there."""
    try:
        announced = json.loads((home / "emulator.json").read_text())
        if pid in (None, announced["pid"]) and _pid_at(announced["port"]) == announced["pid"]:
            return str(announced["endpoint_url"])
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return None
    return None


def _pid_at(port: int) -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=2)) as connection:
        connection.request("GET", "/")
        return int(json.loads(connection.getresponse().read())["pid"])


def _log_of(home: Path) -> Path:
    log = home / "emulator.log"
    if log.exists() and log.stat().st_size > KEPT_LOG_BYTES:
        log.replace(home / "emulator.log.old")
    log.touch(mode=0o600)
    return log


def _tail(log: Path, start: int) -> str:
    text = log.read_bytes()[start:]
    return text[-LOG_TAIL_BYTES:].decode(errors="replace").strip() or f"it did not answer within {START_SECONDS:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
