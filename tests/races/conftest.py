"""One emulator for all races; a table, and a seed, for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local import emulator
from infra.local.emulator import Emulator
from tests.races.arena import (
    FAULTS,
    Arena,
    LiveArena,
    Place,
    StillArena,
    TickingClock,
    seed_of,
    shorten_botocores_pauses,
)
from tests.races.crew import Crew
from tests.services.world import Clock


@pytest.fixture(scope="session")
def dynamodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    shorten_botocores_pauses()
    with emulator.start(tmp_path_factory.mktemp("races"), ephemeral=True) as running:
        yield running


@pytest.fixture(params=FAULTS)
def place(request: pytest.FixtureRequest, dynamodb: Emulator, tmp_path: Path) -> Place:
    seed = seed_of(request.node.name)
    print(f"seed {seed}")
    return Place(dynamodb.endpoint_url, f"race-{seed}", str(tmp_path), request.param, seed)


@pytest.fixture
def arena(place: Place) -> Iterator[LiveArena]:
    """On the machine's clock."""
    arena = Arena(place, TickingClock())
    yield arena
    arena.close()


@pytest.fixture
def still(place: Place) -> Iterator[StillArena]:
    """On a clock that stands still until the test moves it."""
    arena = Arena(place, Clock())
    yield arena
    arena.close()


@pytest.fixture(scope="session")
def crew() -> Iterator[Crew]:
    with Crew() as crew:
        yield crew
