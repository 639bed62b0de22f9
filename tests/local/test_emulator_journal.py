"""The journal's files: every state that a crash can leave is read back without loss."""

import asyncio
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from infra.local.emulator_journal import Journal, Snapshot, compact
from infra.local.emulator_records import JournalDamaged, Record, decode, encode, journal_path, restore, snapshot_path


def put(key: str, value: int) -> Record:
    return {"key": key, "value": value}


def kept(folder: Path) -> dict[str, int]:
    """What a start finds, and what it leaves found by the next."""
    state: dict[str, int] = {}
    restore(folder, lambda record: state.update({record["key"]: record["value"]}))
    return state


def forget(record: Record) -> None:
    del record


def write(folder: Path, generation: int, *records: Record) -> None:
    journal_path(folder, generation).write_bytes(b"".join(map(encode, records)))


def write_snapshot(folder: Path, generation: int, *records: Record) -> None:
    lines = [*map(encode, records), encode({"rows": len(records)})]
    snapshot_path(folder, generation).write_bytes(b"".join(lines))


def test_a_line_says_whether_it_is_whole() -> None:
    line = encode({"text": "é\ud800\n"})
    assert decode(line) == {"text": "é\ud800\n"}
    assert all(decode(line[:length]) is None for length in range(len(line)))
    assert decode(line.replace(b"text", b"test")) is None


def test_an_empty_folder_begins_the_first_generation(tmp_path: Path) -> None:
    assert restore(tmp_path, forget) == 1


@pytest.mark.parametrize("torn_bytes", range(1, 30))
def test_a_journal_torn_anywhere_in_its_last_line_keeps_the_lines_before(tmp_path: Path, torn_bytes: int) -> None:
    write(tmp_path, 1, put("a", 1), put("b", 2))
    path = journal_path(tmp_path, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:-torn_bytes])
    assert kept(tmp_path) == {"a": 1}
    assert path.read_bytes() == encode(put("a", 1))


def test_what_follows_damage_is_dropped_and_a_copy_is_kept_aside(tmp_path: Path) -> None:
    write(tmp_path, 1, put("a", 1), put("b", 2), put("c", 3))
    write(tmp_path, 2, put("d", 4))
    path = journal_path(tmp_path, 1)
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"x"'))
    assert kept(tmp_path) == {"a": 1}
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "000001.journal",
        "000001.journal.dropped",
        "000002.journal.dropped",
    ]
    assert kept(tmp_path) == {"a": 1}


def test_crashed_after_the_new_journal_began_and_before_any_snapshot(tmp_path: Path) -> None:
    write(tmp_path, 1, put("a", 1), put("b", 1))
    write(tmp_path, 2, put("b", 2))
    assert kept(tmp_path) == {"a": 1, "b": 2}


def test_crashed_while_the_snapshot_was_being_written(tmp_path: Path) -> None:
    write_snapshot(tmp_path, 2, put("a", 1))
    write(tmp_path, 2, put("b", 1))
    write(tmp_path, 3, put("b", 2))
    unfinished = snapshot_path(tmp_path, 3).with_suffix(".snapshot.tmp")
    unfinished.write_bytes(encode(put("a", 1))[:9])
    assert kept(tmp_path) == {"a": 1, "b": 2}
    assert not unfinished.exists()


def test_crashed_before_the_older_generation_was_removed(tmp_path: Path) -> None:
    write_snapshot(tmp_path, 2, put("a", 0), put("gone", 1))
    write(tmp_path, 2, put("a", 1))
    write_snapshot(tmp_path, 3, put("a", 1))
    write(tmp_path, 3, put("b", 2))
    assert kept(tmp_path) == {"a": 1, "b": 2}


def test_crashed_between_the_two_removals(tmp_path: Path) -> None:
    write_snapshot(tmp_path, 2, put("a", 0))
    write_snapshot(tmp_path, 3, put("a", 1))
    write(tmp_path, 3, put("b", 2))
    assert kept(tmp_path) == {"a": 1, "b": 2}


def test_an_incomplete_snapshot_is_passed_over_for_the_one_before(tmp_path: Path) -> None:
    write_snapshot(tmp_path, 2, put("a", 1))
    write(tmp_path, 2, put("b", 1))
    write(tmp_path, 3, put("b", 2))
    snapshot_path(tmp_path, 3).write_bytes(encode(put("a", 1)))
    assert kept(tmp_path) == {"a": 1, "b": 2}


def test_a_missing_generation_is_refused_rather_than_read_over(tmp_path: Path) -> None:
    write(tmp_path, 1, put("a", 1))
    write(tmp_path, 3, put("b", 2))
    with pytest.raises(JournalDamaged, match="generation 1 is missing before"):
        kept(tmp_path)


def test_appended_records_are_read_back_in_order_by_the_next_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path, forget)
    for value in range(3):
        journal.append(put("a", value))
    journal.close()
    read: list[Record] = []
    Journal(tmp_path, read.append).close()
    assert read == [put("a", 0), put("a", 1), put("a", 2)]


def test_writes_made_while_a_snapshot_is_written_have_the_last_word(tmp_path: Path) -> None:
    journal = Journal(tmp_path, forget)
    state = {f"{number}": 0 for number in range(5000)}

    def rows() -> Iterator[Record]:
        for key, value in list(state.items()):
            yield put(key, value)

    async def write_meanwhile() -> None:
        for value in range(1, 1000):
            state["7"] = value
            journal.append(put("7", value))
            await asyncio.sleep(0)

    async def both() -> None:
        await asyncio.gather(compact(journal, rows), write_meanwhile())

    asyncio.run(both())
    journal.close()
    assert kept(tmp_path) == state
    assert sorted(each.name for each in tmp_path.iterdir()) == ["000002.journal", "000002.snapshot"]


def test_a_crash_at_any_step_of_a_snapshot_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crashes: list[dict[str, int]] = []
    state = {f"{number}": 0 for number in range(3000)}
    journal = Journal(tmp_path / "journal", forget)

    def note_what_a_crash_here_would_leave(*_: Any) -> None:
        copy = Path(shutil.copytree(journal.folder, tmp_path / f"crash-{len(crashes)}"))
        crashes.append(kept(copy))

    def rows() -> Iterator[Record]:
        note_what_a_crash_here_would_leave()
        for key, value in list(state.items()):
            yield put(key, value)
            if key == "1500":
                note_what_a_crash_here_would_leave()

    for key, value in state.items():
        journal.append(put(key, value))

    def noted_before(step: Callable[..., Any]) -> Callable[..., Any]:
        def noted(path: Path, *arguments: Any, **options: Any) -> Any:
            if path.parent == journal.folder:
                note_what_a_crash_here_would_leave()
            return step(path, *arguments, **options)

        return noted

    monkeypatch.setattr(os, "fsync", note_what_a_crash_here_would_leave)
    monkeypatch.setattr(Path, "rename", noted_before(Path.rename))
    monkeypatch.setattr(Path, "unlink", noted_before(Path.unlink))
    asyncio.run(compact(journal, rows))
    asyncio.run(compact(journal, rows))
    note_what_a_crash_here_would_leave()
    monkeypatch.undo()
    journal.close()
    assert len(crashes) > 10
    assert all(found == state for found in crashes)


@pytest.mark.parametrize("step", ["begin_snapshot", "write", "finish"])
def test_a_disk_too_full_for_a_snapshot_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal if step == "begin_snapshot" else Snapshot, step, full)
    journal = Journal(tmp_path, forget)
    journal.append(put("a", 1))
    asyncio.run(compact(journal, lambda: iter([put("a", 1)])))
    journal.append(put("b", 2))
    journal.close()
    assert kept(tmp_path) == {"a": 1, "b": 2}
    assert "was not written" in caplog.text


def test_syncing_in_a_thread_never_meets_a_closed_generation(tmp_path: Path) -> None:
    journal = Journal(tmp_path, forget)
    done = threading.Event()
    failures: list[BaseException] = []

    def keep_syncing() -> None:
        try:
            while not done.is_set():
                journal.sync()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=keep_syncing)
    thread.start()
    for value in range(20):
        journal.append(put("a", value))
        asyncio.run(compact(journal, lambda: iter([])))
    done.set()
    thread.join()
    journal.close()
    assert failures == []


def test_a_snapshot_is_wanted_when_the_journal_is_large_or_grown_and_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path, forget, large_bytes=3_000_000)
    text = {"text": "x" * 1_100_000}
    journal.append(text)
    assert not journal.wants_snapshot()
    later = time.monotonic() + 60
    with monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: later)
        assert journal.wants_snapshot()
    journal.append(text)
    journal.append(text)
    assert journal.wants_snapshot()
    journal.close()


def test_the_open_files_of_a_journal_do_not_grow_with_its_generations(tmp_path: Path) -> None:
    descriptors = Path("/dev/fd")
    journal = Journal(tmp_path, forget)
    before = len(os.listdir(descriptors))
    for _ in range(5):
        asyncio.run(compact(journal, lambda: iter([])))
    assert len(os.listdir(descriptors)) == before
    journal.close()
