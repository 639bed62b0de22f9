"""One Graft, and each harness running beside it once, in one long conversation with an agent of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest

from chalicelib.services.deps import Deps
from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent

from .harness import Harness
from .hermes import running_hermes
from .model import Model
from .openclaw import running_openclaw
from .wire import Wire

SKILLS: Final = Path(__file__).resolve().parents[2] / "skills"
Start = Callable[[Agent, Model, Wire, Path], AbstractContextManager[Harness]]
HARNESSES: Final[dict[str, Start]] = {"hermes": running_hermes, "openclaw": running_openclaw}


@pytest.fixture(scope="session")
def graft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graft]:
    with Graft(tmp_path_factory.mktemp("graft")) as running:
        yield running
        assert running.stop() == 0, running.log()


@pytest.fixture(scope="session")
def deps(graft: Graft) -> Iterator[Deps]:
    """The services over the running Graft's table."""
    with graft.deps() as deps:
        yield deps


@pytest.fixture(scope="session", params=list(HARNESSES))
def running(
    request: pytest.FixtureRequest, graft: Graft, deps: Deps, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harness]:
    """A harness with the skill that is for it, where it looks for skills."""
    agent = graft.add_agent(deps, request.param)
    home = tmp_path_factory.mktemp(request.param)
    shutil.copytree(SKILLS / request.param, home / "skills")
    with Model() as model, Wire(agent.url) as wire, HARNESSES[request.param](agent, model, wire, home) as harness:
        yield harness


@pytest.fixture
def harness(running: Harness) -> Harness:
    """The harness with an empty working set, of which it knows."""
    told = running.wire.heard()
    names = running.agent.authored()
    for name in names:
        vendor, _, tool = name.partition("__")
        running.agent.call("demote", vendor=vendor, name=tool)
    if names:
        running.await_list_change(told)
    return running
