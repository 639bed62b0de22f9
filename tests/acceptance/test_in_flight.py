"""A run in flight holds the rule off its agent, for as long as it lives and not longer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from http.client import HTTPException
from pathlib import Path

import httpx2
import pytest

from chalicelib.services.connections import NewConnection, create_connection
from chalicelib.services.deps import Deps
from chalicelib.services.sweep import Outcome, run_sweep
from infra.local.setup import PERSON
from tests.acceptance.graft import Graft, facts_of
from tests.acceptance.rpc import Agent
from tests.acceptance.standin import StandIn
from tests.acceptance.waiting import until

HELD = 'def run(input, http):\n    return http.get("/held").status\n'
SIXTY_DAYS = timedelta(days=60)
SCHEMA = {"type": "object", "properties": {}}


@pytest.fixture
def slow() -> Iterator[StandIn]:
    with StandIn() as vendor:
        yield vendor
        vendor.let_go()


@pytest.fixture
def graft(tmp_path: Path, slow: StandIn) -> Iterator[Graft]:
    with Graft(tmp_path, local_hosts=slow.host) as running:
        yield running


def hold_a_run_open(graft: Graft, deps: Deps, slow: StandIn) -> tuple[Agent, threading.Thread]:
    """An agent with two tools, one of them in a run that waits for its vendor."""
    agent = graft.demo
    connection = create_connection(deps, PERSON, NewConnection(vendor="slow", primary_host=slow.host))
    described = {"description": "Waits.", "inputSchema": SCHEMA, "source": HELD, "connectionId": connection.id}
    agent.call_raw("publish_tool", vendor="slow", name="wait", **described)
    run = threading.Thread(target=_call_and_wait, args=(agent,), daemon=True)
    run.start()
    until(lambda: bool(facts_of(deps, agent).agent.runs), "the run in flight")
    return agent, run


def _call_and_wait(agent: Agent) -> None:
    """The server may be killed meanwhile: then nothing answers."""
    with suppress(OSError, HTTPException, httpx2.HTTPError):
        agent.call_raw("slow__wait")


def sweep_far_ahead(deps: Deps) -> dict[Outcome, int]:
    swept = run_sweep(deps, rule_now=deps.now() + SIXTY_DAYS)
    return {outcome: len(swept.having(outcome)) for outcome in Outcome if swept.having(outcome)}


def test_ten_sweeps_during_a_run_demote_nothing_and_the_next_one_after_it_does(graft: Graft, slow: StandIn) -> None:
    """Report: NousResearch/hermes-agent#27984"""
    with graft.deps() as deps:
        agent, run = hold_a_run_open(graft, deps, slow)
        before = facts_of(deps, agent).promotions
        assert [sweep_far_ahead(deps) for _ in range(10)] == [{Outcome.SKIPPED: 1}] * 10
        assert facts_of(deps, agent).promotions == before
        slow.let_go()
        run.join(timeout=20)
        until(lambda: not facts_of(deps, agent).agent.runs, "the end of the run")
        assert sweep_far_ahead(deps) == {Outcome.DEMOTED: 1}
        assert facts_of(deps, agent).promotions == ()


def test_a_killed_run_holds_the_sweep_until_its_deadline_and_its_line_reads_died(graft: Graft, slow: StandIn) -> None:
    """Report: anthropics/claude-code#470"""
    with graft.deps() as deps:
        hold_a_run_open(graft, deps, slow)
    graft.kill()
    graft.start()
    with graft.deps() as deps:
        agent = graft.demo
        assert sweep_far_ahead(deps) == {Outcome.SKIPPED: 1}
        (run,) = facts_of(deps, agent).agent.runs.values()
        until(lambda: deps.now() >= run.deadline, "the deadline of the killed run", seconds=40)
        assert sweep_far_ahead(deps) == {Outcome.DEMOTED: 1}
        assert [line.outcome for line in deps.store.runs.ledger(facts_of(deps, agent).agent)] == ["died"]
