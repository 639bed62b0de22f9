"""The console over the real services, as tests/services has them, and two persons' browsers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.services.deps import Deps
from tests.services.conftest import world_of
from tests.services.world import PERSON, World

from .browser import Browser

STRANGER = "p2"


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    with world_of(monkeypatch, tmp_path) as world:
        yield world


@pytest.fixture
def deps(world: World) -> Deps:
    return world.deps


@pytest.fixture
def browser(deps: Deps) -> Browser:
    """Nobody is signed in."""
    return Browser(deps)


@pytest.fixture
def mine(deps: Deps) -> Browser:
    """The person of the world is signed in."""
    return Browser(deps).sign_in(PERSON)


@pytest.fixture
def theirs(deps: Deps) -> Browser:
    """Another person of the same Graft is signed in."""
    deps.store.people.add(STRANGER)
    return Browser(deps).sign_in(STRANGER)
