"""One deployment for the whole suite: `make deploy` onto the emulator, then clients over its URL."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from chalicelib.services.deps import Deps
from tests.acceptance.driver import Connect, Driver
from tests.acceptance.rpc import Agent
from tests.clients.conftest import KINDS, Kind
from tests.clients.fetch import NPM
from tests.writer.endpoint import Endpoint

from .site import STAGE, Account, Site, account, copy_project

PYTHON_2: Final = (sys.executable, "-m", "tests.acceptance.python_2")
TYPESCRIPT: Final = next(kind for kind in KINDS if kind.name == "typescript-2-legacy")
MODEL: Final = "bedrock:some.model-v1:0"
CLIENTS: Final = (
    Kind("python-2-legacy", PYTHON_2, "2025-11-25", {"MCP_MODE": "legacy"}),
    Kind("python-2-stateless", PYTHON_2, "2026-07-28", {"MCP_MODE": "auto"}),
    TYPESCRIPT,
)


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    with account(tmp_path_factory.mktemp("aws")) as running:
        yield running


@pytest.fixture(scope="session")
def project(aws: Account, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The copy of the project, nothing deployed yet."""
    folder = tmp_path_factory.mktemp("project")
    copy_project(folder)
    return Site(folder, aws)


@pytest.fixture(scope="session")
def model() -> Iterator[Endpoint]:
    """Stands where Bedrock would."""
    with Endpoint() as serving:
        yield serving


@pytest.fixture(scope="session")
def site(project: Site, model: Endpoint) -> Site:
    """The same with a stage that is deployed."""
    project.made("stage", STAGE=STAGE)
    project.set_variable("GRAFT_SSE_RETRY_MS", "1000")
    project.set_variable("GRAFT_MODEL", MODEL)
    project.set_variable("GRAFT_MODEL_URL", model.url)
    printed = project.made("deploy", STAGE=STAGE, EMAIL="alarms@example.com")
    assert f"make agent STAGE={STAGE}" in printed
    return project


@pytest.fixture
def deps(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deps]:
    with site.deps(monkeypatch) as deps:
        yield deps


@pytest.fixture(scope="session")
def new_agent(site: Site) -> Callable[..., Agent]:
    """Makes an agent with an empty set, under a name of its own."""
    numbers = count(1)
    return lambda **limits: site.add_agent(f"agent-{next(numbers)}", **limits)


@pytest.fixture
def agent(new_agent: Callable[..., Agent]) -> Agent:
    return new_agent()


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Connects an agent with a kind of client."""

    @contextmanager
    def connected(agent: Agent, kind: Kind) -> Iterator[Driver]:
        settings = {"MCP_NPM": str(NPM), **kind.environment}
        with Driver(kind.command, agent, tmp_path / "client.log", environment=settings) as client:
            assert client.hello["protocol"] == kind.protocol
            yield client

    return connected
