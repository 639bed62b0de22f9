"""The console over the real services, as tests/services has them, and two persons' browsers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chalicelib.services.deps import Deps
from tests.services.conftest import world_of
from tests.services.world import PERSON, World
from tests.writer.stage import model_at

from .browser import Browser

STRANGER = "p2"


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    """A model is configured; nothing here asks it, unless a test puts one in its place."""
    with world_of(monkeypatch, tmp_path) as world:
        world.deps = replace(world.deps, model=model_at("http://127.0.0.1:9"), start_job=lambda *_: None)
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
