"""What the commands beside `make run` say, of what they did and of what cannot be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from infra.local.home import PROJECT
from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent


def refused(graft: Graft, *arguments: str) -> str:
    """The one line a command ends with when it cannot do what was typed."""
    command = [sys.executable, "-m", "infra.local.commands", *arguments]
    done = subprocess.run(
        command, cwd=PROJECT, env=graft._environment(), capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout) == (1, ""), done
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("agent", "--name", ""), "make agent NAME=laptop"),
        (("agent", "--name", "x", "--cap", "501"), "from 1 to 500"),
        (("agent", "--name", "x", "--cap", "9" * 5000), "CAP is a whole number"),
        (("agent", "--name", "x", "--window", "0"), "from 1 to 3650"),
        (("agent", "--name", "DEMO"), "already"),
        (("approve", "--agent", "", "--tool", ""), "Name both"),
        (("approve", "--agent", "nobody", "--tool", "demo__create-note"), "no agent named"),
        (("approve", "--agent", "demo", "--tool", "t" * 5000), "no tool"),
        (("sweep", "--at", "tomorrow"), "+30d"),
        (("sweep", "--at", "0001-01-01T00:00:00+14:00"), "+30d"),
    ],
)
def test_what_cannot_be_is_said_in_one_line_with_what_to_type(
    graft: Graft, arguments: tuple[str, ...], words: str
) -> None:
    assert words in refused(graft, *arguments)


def test_a_tool_that_only_reads_needs_no_approval(graft: Graft) -> None:
    assert "needs no approval" in graft.command("approve", "--agent", "demo", "--tool", "demo__list-notes")


def test_days_ahead_move_the_rules_clock(graft: Graft, agent: Agent) -> None:
    agent.call_raw("promote", vendor="demo", name="list-notes")
    assert f"leaves   {agent.name} " in graft.command("sweep", "--at", "+30d", "--plan", "1")
    assert f"leaves   {agent.name} " not in graft.command("sweep", "--at", "+20d", "--plan", "1")


def test_reconcile_counts_the_agents_and_finds_no_drift(graft: Graft) -> None:
    assert graft.command("reconcile").rstrip().endswith("agents, 0 drifted.")
