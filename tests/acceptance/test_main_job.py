"""The main job with the Python SDK 2.x, in every mode it has. Other clients: tests/clients."""

from __future__ import annotations

import re

import pytest

from .driver import Connect
from .main_job import tell_listening, tell_main_job, tell_polling
from .rpc import Agent


def test_the_handshake_era_does_the_main_job_and_hears_each_change_in_the_answer(
    connect: Connect, agent: Agent
) -> None:
    with connect(agent, "legacy") as client:
        tell_main_job(client, "python-2-legacy", hears=True)


@pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
def test_the_stateless_era_does_the_main_job(connect: Connect, agent: Agent, mode: str) -> None:
    with connect(agent, mode) as client:
        tell_main_job(client, f"python-2-{mode}", hears=False)


def test_a_client_that_ignores_notifications_does_the_main_job(connect: Connect, agent: Agent) -> None:
    """Report: github/github-mcp-server#2512"""
    with connect(agent, "legacy", MCP_DEAF="1") as client:
        tell_main_job(client, "python-2-deaf", hears=False)


def test_the_handshake_era_hears_by_polling_what_another_connection_changes(connect: Connect, agent: Agent) -> None:
    with connect(agent, "legacy") as client:
        tell_polling(client, agent, "python-2")


def test_the_stateless_era_hears_by_a_subscription_what_another_connection_changes(
    connect: Connect, agent: Agent
) -> None:
    with connect(agent, "2026-07-28") as client:
        tell_listening(client, agent, "python-2")


def test_the_instructions_and_the_descriptions_each_alone_say_find_tool_before_acquire(agent: Agent) -> None:
    instructions = agent.initialize().result["instructions"]
    described = {tool["name"]: tool["description"] for tool in agent.tools()}
    for text in (instructions, described["find_tool"], described["acquire"]):
        assert re.search(r"\bfind_tool\b[^.]*\bbefore acquire\b", text)
