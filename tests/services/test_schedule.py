from __future__ import annotations

import pytest

from chalicelib import wiring
from chalicelib.services.deps import Deps
from infra.local.schedule import fire
from tests.services.world import World


def test_the_schedule_that_make_run_fires_sweeps(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from app import sweep

    def these(_: float) -> Deps:
        return world.deps

    monkeypatch.setattr(wiring, "deps_until", these)
    world.publish("a")
    world.clock.forward(days=22)
    assert fire(sweep, seconds=300) == {"considered": 1, "demoted": 1}
    assert world.set_of() == []
