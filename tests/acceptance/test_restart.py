"""Starting, stopping and being killed: everything kept, and nothing left running."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .graft import Graft, Unstarted
from .main_job import LIST_NOTES
from .processes import is_listening
from .waiting import until

KEPT_AFTER_SECONDS = 1.0
"""What is older survives a `kill -9`."""
TEXT = "Written before the end"


@pytest.fixture
def graft(tmp_path: Path) -> Iterator[Graft]:
    """One of this test's own, since it ends."""
    with Graft(tmp_path) as running:
        yield running


def test_a_first_start_has_an_agent_a_promoted_tool_and_two_more_in_the_toolbox(graft: Graft) -> None:
    urls = {"mcp_url", "console_url", "sign_in_url", "vendor_url"}
    assert graft.local.keys() == urls | {"agent_token", "agent_id"}
    assert graft.demo.authored() == [LIST_NOTES]
    found = graft.demo.call("find_tool", query="")["tools"]
    assert {tool["tool"] for tool in found} == {LIST_NOTES, "demo__create-note", "demo__delete-note"}
    assert oct((graft.home / "local.json").stat().st_mode & 0o777) == "0o600"


def test_ctrl_c_ends_everything_and_a_second_start_finds_all_data(graft: Graft) -> None:
    before = _leave_traces(graft)
    processes, ports, local = graft.started_processes(), graft.ports, graft.local
    assert processes, "the emulator is a process of its own"
    assert graft.stop() == 0
    assert graft.are_gone(processes)
    assert [port for port in ports if is_listening(port)] == []

    graft.start()
    assert graft.local["sign_in_url"] != local["sign_in_url"]
    moved = {"mcp_url": "", "console_url": "", "sign_in_url": ""}
    assert graft.local | moved == local | moved
    assert _traces(graft) == before
    assert graft.demo.run("demo__create-note", text="After the restart")["text"] == "After the restart"


def test_after_kill_9_nothing_is_left_running_and_the_next_start_is_clean(graft: Graft) -> None:
    before = _leave_traces(graft)
    processes, ports = graft.started_processes(), graft.ports
    time.sleep(KEPT_AFTER_SECONDS)
    graft.kill()
    until(lambda: graft.are_gone(processes), "the end of everything that the killed process started")
    assert [port for port in ports if is_listening(port)] == []
    graft.start()
    assert _traces(graft) == before


def test_after_kill_9_of_every_process_at_once_the_next_start_is_clean(graft: Graft) -> None:
    before = _leave_traces(graft)
    processes = graft.started_processes()
    time.sleep(KEPT_AFTER_SECONDS)
    graft.kill()
    for pid in processes:
        _kill(pid)
    graft.start()
    assert _traces(graft) == before


def test_a_second_run_of_the_same_home_says_why_it_cannot_start_and_harms_nothing(graft: Graft) -> None:
    second = Graft(graft.home)
    with pytest.raises(Unstarted, match="already running"):
        second.start()
    assert graft.demo.authored() == [LIST_NOTES]


def test_a_port_that_is_taken_is_named_and_nothing_is_left_of_the_start(graft: Graft, tmp_path: Path) -> None:
    second = Graft(tmp_path / "second", wanted_port=graft.port)
    second.home.mkdir()
    with pytest.raises(Unstarted, match=f"port {graft.port} is taken"):
        second.start()
    assert second.running.wait() == 1
    assert graft.demo.authored() == [LIST_NOTES]


def _leave_traces(graft: Graft) -> tuple[list[str], list[str]]:
    """A promotion, an approval and a note."""
    graft.demo.promote("demo__create-note")
    graft.approve(graft.demo, "demo__create-note")
    graft.demo.call("demo__create-note", text=TEXT)
    traces = _traces(graft)
    assert TEXT in traces[1]
    return traces


def _traces(graft: Graft) -> tuple[list[str], list[str]]:
    """The promoted set, and the notes' texts."""
    return graft.demo.authored(), [note["text"] for note in graft.demo.run(LIST_NOTES)["result"]]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
