"""Keeps what the emulator's tables go through, in the order in which it took effect.

`append` hands the line to the operating system before the request is answered, so an answered write outlives
`kill -9`; `sync`, in the background, makes it outlive the machine. Neither waits for a disk on the event loop.
When a journal has grown, `compact` begins a new generation and writes a snapshot in slices between requests. The
order that makes a crash at any point harmless: new journal, rows, fsync of the rows, fsync of both journals (the rows
may already show what the new journal says), rename, removal of the older generations.
"""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from infra.local.emulator_records import (
    Record,
    encode,
    journal_path,
    remove_before,
    restore,
    snapshot_path,
    sync_folder,
)

LARGE_JOURNAL_BYTES = 16 * 1024 * 1024
IDLE_JOURNAL_BYTES = 1024 * 1024
IDLE_SECONDS = 5.0
SLICE_BYTES = 64 * 1024

logger = logging.getLogger("graft.emulator")


class Journal:
    """The journal of one folder. `append`, `begin_snapshot` and `close` belong to the event loop's thread."""

    def __init__(self, folder: Path, apply: Callable[[Record], None], *, large_bytes: int = LARGE_JOURNAL_BYTES):
        """Creates the folder when needed and applies what it holds. Raises OSError or JournalDamaged."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder
        self.generation = restore(folder, apply)
        self._large_bytes = large_bytes
        self._fd = _open_to_append(journal_path(folder, self.generation))
        self._size_bytes = os.fstat(self._fd).st_size
        self._snapshot_bytes = _size_of(snapshot_path(folder, self.generation))
        self._changed_at = time.monotonic()
        self._unsynced = True
        self._retired: list[int] = []
        self._fds = threading.Lock()
        self._syncing = threading.Lock()

    def append(self, record: Record) -> None:
        """After an OSError the last line may be torn: nothing more may be appended."""
        line = encode(record)
        self._size_bytes += len(line)
        while line:
            line = line[os.write(self._fd, line) :]
        self._changed_at = time.monotonic()
        self._unsynced = True

    def sync(self) -> None:
        """Puts everything appended so far on the disk, older generations first. From any thread."""
        with self._syncing:
            if not self._unsynced:
                return
            self._unsynced = False
            with self._fds:
                fds, self._retired = [*self._retired, os.dup(self._fd)], []
            try:
                for fd in fds:
                    os.fsync(fd)
                sync_folder(self.folder)
            except OSError:
                self._unsynced = True
                raise
            finally:
                for fd in fds:
                    os.close(fd)

    def wants_snapshot(self) -> bool:
        """Large, or grown and idle. A snapshot is never rewritten for less than its own size in changes."""
        if time.monotonic() - self._changed_at > IDLE_SECONDS:
            return self._size_bytes > max(min(IDLE_JOURNAL_BYTES, self._large_bytes), self._snapshot_bytes)
        return self._size_bytes > max(self._large_bytes, 2 * self._snapshot_bytes)

    def begin_snapshot(self) -> "Snapshot":
        """Begins the next generation; the snapshot is to hold everything that happened before."""
        fd = _open_to_append(journal_path(self.folder, self.generation + 1))
        with self._fds:
            self._retired.append(self._fd)
            self._fd = fd
        self.generation += 1
        self._size_bytes = 0
        self._unsynced = True
        return Snapshot(self)

    def end_snapshot(self, size_bytes: int) -> None:
        """What the next snapshot would have to rewrite."""
        self._snapshot_bytes = size_bytes

    def close(self) -> None:
        """Syncs and closes."""
        self.sync()
        os.close(self._fd)


class Snapshot:
    """A snapshot being written, under a name that no start reads until it is complete. From any thread."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._path = snapshot_path(journal.folder, journal.generation)
        self._unfinished = self._path.with_suffix(".snapshot.tmp")
        self._file = self._unfinished.open("wb")
        self._rows = 0

    def write(self, lines: list[bytes]) -> None:
        self._file.writelines(lines)
        self._rows += len(lines)

    def finish(self) -> None:
        """Makes the snapshot the beginning of its generation and removes what came before."""
        with self._file:
            self._file.write(encode({"rows": self._rows}))
            self._file.flush()
            os.fsync(self._file.fileno())
            size_bytes = self._file.tell()
        self._journal.sync()
        self._unfinished.rename(self._path)
        sync_folder(self._journal.folder)
        self._journal.end_snapshot(size_bytes)
        remove_before(self._journal.folder, self._journal.generation)

    def close(self) -> None:
        """Removes a snapshot that was not finished: the journals still hold everything."""
        with suppress(OSError):
            self._file.close()
        self._unfinished.unlink(missing_ok=True)


async def compact(journal: Journal, rows: Callable[[], Iterator[Record]]) -> None:
    """Writes a snapshot between the requests: `rows` is read on the event loop, a slice at a time.

    A full disk is logged and survived: everything is still in the journals.
    """
    try:
        with closing(journal.begin_snapshot()) as snapshot:
            for lines in _slices(rows()):
                await asyncio.to_thread(snapshot.write, lines)
            await asyncio.to_thread(snapshot.finish)
    except OSError:
        logger.exception("the snapshot of generation %d was not written", journal.generation)


def _slices(rows: Iterator[Record]) -> Iterator[list[bytes]]:
    lines: list[bytes] = []
    size_bytes = 0
    for row in rows:
        lines.append(encode(row))
        size_bytes += len(lines[-1])
        if size_bytes >= SLICE_BYTES:
            yield lines
            lines, size_bytes = [], 0
    yield lines


def _open_to_append(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
