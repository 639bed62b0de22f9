"""A run that another process has in flight."""

from __future__ import annotations

from datetime import timedelta

from chalicelib.model import Pace, Run, RunKind
from tests.services.world import World


def in_flight(world: World, agent: str = "demo", tool: str = "demo__a", *, seconds: int = 30) -> Run:
    """A run that was claimed, that may take so long, and whose process has not come back."""
    facts = world.caller(agent).facts
    now = world.clock()
    run = Run(f"run{world.deps.new_id()}", tool, 1, RunKind.DRY_RUN, now, now + timedelta(seconds=seconds))
    assert world.deps.store.runs.claim(facts, run, None, Pace(int(now.timestamp() // 60), 100))
    return run
