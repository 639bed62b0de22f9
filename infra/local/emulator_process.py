"""The emulator's own process: one per home, on loopback, as long as its parent lives.

Files of a home: `emulator.json` (where the running process answers), `emulator.lock` (held by it; names it),
`emulator.log`, and the folder `emulator` with the journal.
"""

import asyncio
import contextlib
import fcntl
import gc
import json
import logging
import os
import signal
import socket
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path

from hypercorn.asyncio import serve
from hypercorn.config import Config

from infra.local.emulator_door import Door
from infra.local.emulator_journal import Journal, compact
from infra.local.emulator_records import Record
from infra.local.emulator_tables import Tables

LOCK_PATIENCE_SECONDS = 3.0
"""How long a predecessor whose parent was killed may take to notice and go."""
PARENT_CHECK_SECONDS = 0.1
SYNC_SECONDS = 0.25
STOP_SECONDS = 1.0

logger = logging.getLogger("graft.emulator")


class HomeInUse(Exception):
    """Another emulator holds the home; the message names its process."""


@dataclass(frozen=True)
class Options:
    """What a start decides. `parent` is the process whose end ends this one; `port` 0 picks a free one."""

    home: Path
    port: int
    ephemeral: bool
    large_journal_bytes: int
    parent: int


def run(options: Options) -> int:
    """Answers until a signal or the parent's end; the exit code is 1 when the journal could not be kept.

    Raises HomeInUse, JournalDamaged, OSError (the port is taken, the home cannot be written).
    """
    options.home.mkdir(parents=True, exist_ok=True)
    lock = hold(options.home)
    try:
        with contextlib.closing(_listen(options.port)) as listener:
            return asyncio.run(_Process(options).answer(listener))
    finally:
        os.close(lock)


def hold(home: Path) -> int:
    """Locks a home for this process until the returned descriptor is closed."""
    lock = os.open(home / "emulator.lock", os.O_RDWR | os.O_CREAT, 0o600)
    until = time.monotonic() + LOCK_PATIENCE_SECONDS
    while not _locked(lock):
        if time.monotonic() > until:
            holder = os.read(lock, 20).decode().strip()
            os.close(lock)
            raise HomeInUse(f"an emulator of {home} is already running, as process {holder}")
        time.sleep(0.05)
    os.truncate(lock, 0)
    os.write(lock, b"%d\n" % os.getpid())
    return lock


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _listen(port: int) -> socket.socket:
    """Connections made from here on wait until the tables are restored."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


class _Process:
    def __init__(self, options: Options) -> None:
        self._options = options
        self._failed = False

    async def answer(self, listener: socket.socket) -> int:
        self._stop = asyncio.Event()
        for signal_number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(signal_number, self._stop.set)
        tables = Tables()
        door = Door(tables)
        journal = None if self._options.ephemeral else self._open_journal(tables)
        gc.freeze()
        server = asyncio.create_task(serve(door, _config(listener), shutdown_trigger=self._stop.wait))
        with _announced(self._options.home, listener.getsockname()[1]):
            await self._work_until_stopped(server, _background(journal, tables))
            door.closed = True
            if journal is not None:
                journal.close()
        return int(self._failed)

    def _open_journal(self, tables: Tables) -> Journal:
        folder = self._options.home / "emulator"
        journal = Journal(folder, tables.apply, large_bytes=self._options.large_journal_bytes)

        def keep(record: Record) -> None:
            try:
                journal.append(record)
            except Exception:
                self._fail()
                raise

        tables.keep = keep
        return journal

    def _fail(self) -> None:
        """Going on would answer for writes that nothing keeps."""
        self._failed = True
        self._stop.set()

    async def _work_until_stopped(
        self, server: asyncio.Task[None], background: list[Coroutine[None, None, None]]
    ) -> None:
        """Until a signal, the parent's end, or the failure of anything."""
        ends = [self._stop.wait(), _parent_gone(self._options.parent), *background]
        work = [server, *map(asyncio.ensure_future, ends)]
        await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        self._stop.set()
        await asyncio.wait([server], timeout=STOP_SECONDS)
        for task in work:
            task.cancel()
        for ended in await asyncio.gather(*work, return_exceptions=True):
            if isinstance(ended, Exception):
                logger.error("the emulator failed", exc_info=ended)
                self._fail()


def _background(journal: Journal | None, tables: Tables) -> list[Coroutine[None, None, None]]:
    return [] if journal is None else [_keep_synced(journal), _compact(journal, tables)]


async def _parent_gone(parent: int) -> None:
    while os.getppid() == parent:
        await asyncio.sleep(PARENT_CHECK_SECONDS)


async def _keep_synced(journal: Journal) -> None:
    while True:
        await asyncio.sleep(SYNC_SECONDS)
        await asyncio.to_thread(journal.sync)


async def _compact(journal: Journal, tables: Tables) -> None:
    while True:
        await asyncio.sleep(SYNC_SECONDS)
        if journal.wants_snapshot():
            await compact(journal, tables.rows)


def _config(listener: socket.socket) -> Config:
    config = Config()
    config.bind = [f"fd://{os.dup(listener.fileno())}"]
    config.loglevel = "WARNING"
    config.graceful_timeout = STOP_SECONDS / 2
    config.keep_alive_timeout = 3600
    config.keep_alive_max_requests = 1_000_000_000
    config.include_server_header = False
    return config


@contextlib.contextmanager
def _announced(home: Path, port: int) -> Iterator[None]:
    """Says in emulator.json where this process answers, until it does not."""
    path = home / "emulator.json"
    unfinished = path.with_suffix(".json.tmp")
    unfinished.write_text(json.dumps({"endpoint_url": f"http://127.0.0.1:{port}", "port": port, "pid": os.getpid()}))
    unfinished.rename(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
