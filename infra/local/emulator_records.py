"""How the emulator's journal lies on disk, and how it is read back.

Files of one folder, by generation `N` (six digits):

    N.snapshot   every table and item as they stood after generation N began; complete, or not there at all
    N.journal    what changed since generation N began: one line per request, so a transaction is kept whole or not

A line is the CRC-32 of its JSON in eight hex digits, a space, the JSON, a newline. A snapshot ends in a line that
counts its others. Reading takes the newest complete snapshot, then every journal from its generation on, in order.
Records are images (an item as it is now, or its absence), so applying one twice changes nothing: that is what lets a
snapshot be written in slices while requests go on, since the journal of its own generation has the last word.
"""

import json
import logging
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]

logger = logging.getLogger("graft.emulator")


class JournalDamaged(Exception):
    """What is on disk cannot have come from a crash: nothing is started, nothing is changed."""


def journal_path(folder: Path, generation: int) -> Path:
    return folder / f"{generation:06}.journal"


def snapshot_path(folder: Path, generation: int) -> Path:
    return folder / f"{generation:06}.snapshot"


def encode(record: Record) -> bytes:
    """One line. ASCII only: an item may hold a lone surrogate, which UTF-8 refuses."""
    text = json.dumps(record, separators=(",", ":")).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(text), text)


def decode(line: bytes) -> Record | None:
    """The record of a line, or None when the line is torn or damaged."""
    text = line[9:-1]
    if not line.endswith(b"\n") or line[:9] != b"%08x " % zlib.crc32(text):
        return None
    record: Record = json.loads(text)
    return record


def restore(folder: Path, apply: Callable[[Record], None]) -> int:
    """Applies every record kept in `folder`, oldest first, and returns the generation to go on with.

    What follows the first damaged line was never safely on disk and is dropped, so the state is one that was.
    """
    for leftover in folder.glob("*.tmp"):
        leftover.unlink()
    generation = _apply_newest_snapshot(folder, apply)
    journals = [number for number in _generations(folder, "journal") if number >= generation]
    if journals != list(range(generation, generation + len(journals))):
        raise JournalDamaged(f"{folder}: generation {generation} is missing before {journals}")
    for number in journals:
        generation = number
        if not _apply_journal(folder, number, apply):
            _set_aside(folder, [later for later in journals if later > number])
            break
    return generation


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder (new, renamed, removed files) as lasting as their contents."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def remove_before(folder: Path, generation: int) -> None:
    """Removes the files that the complete snapshot of `generation` replaces."""
    for path in (journal_path, snapshot_path):
        for older in _generations(folder, path(folder, 0).suffix[1:]):
            if older < generation:
                path(folder, older).unlink()


def _generations(folder: Path, kind: str) -> list[int]:
    return sorted(int(path.stem) for path in folder.glob(f"[0-9]*.{kind}"))


def _apply_newest_snapshot(folder: Path, apply: Callable[[Record], None]) -> int:
    """The generation of the snapshot applied; 1 when there never was a snapshot."""
    snapshots = _generations(folder, "snapshot")
    for generation in reversed(snapshots):
        records = [record for record, _ in _intact(snapshot_path(folder, generation))]
        if records and records[-1] == {"rows": len(records) - 1}:
            for record in records[:-1]:
                apply(record)
            return generation
    if snapshots:
        raise JournalDamaged(f"{folder}: no snapshot is complete, of generations {snapshots}")
    return 1


def _apply_journal(folder: Path, generation: int, apply: Callable[[Record], None]) -> bool:
    """False when the journal ended in damage, which is then cut off."""
    path, kept_bytes = journal_path(folder, generation), 0
    for record, end in _intact(path):
        apply(record)
        kept_bytes = end
    if kept_bytes == path.stat().st_size:
        return True
    _cut_off(path, kept_bytes)
    return False


def _intact(path: Path) -> Iterator[tuple[Record, int]]:
    """The records up to the first damaged line, each with the offset in bytes at which it ends."""
    end = 0
    with path.open("rb") as file:
        for line in file:
            record = decode(line)
            if record is None:
                return
            end += len(line)
            yield record, end


def _cut_off(path: Path, kept_bytes: int) -> None:
    with path.open("r+b") as file:
        file.seek(kept_bytes)
        tail = file.read()
        if b"\n" in tail:
            path.with_suffix(".journal.dropped").write_bytes(tail)
        file.truncate(kept_bytes)
        os.fsync(file.fileno())
    logger.warning("%s: dropped %d bytes that were not completely written", path, len(tail))


def _set_aside(folder: Path, generations: list[int]) -> None:
    for generation in generations:
        path = journal_path(folder, generation)
        path.rename(path.with_suffix(".journal.dropped"))
        logger.warning("%s: set aside, it follows a damaged journal", path)
