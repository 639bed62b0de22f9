"""One running Graft for every test that does not stop it. It must leave nothing behind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from chalicelib.services.deps import Deps

from .driver import Connect, Driver
from .graft import Graft
from .processes import is_listening
from .rpc import Agent
from .standin import StandIn
from .waiting import until

PROTOCOLS: Final = {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}


@pytest.fixture(scope="session")
def standin() -> Iterator[StandIn]:
    with StandIn() as vendor:
        yield vendor


@pytest.fixture(scope="session")
def graft(tmp_path_factory: pytest.TempPathFactory, standin: StandIn) -> Iterator[Graft]:
    with Graft(tmp_path_factory.mktemp("home"), local_hosts=standin.host) as running:
        yield running
        processes, ports = running.started_processes(), running.ports
        assert running.stop() == 0, running.log()
        until(lambda: running.are_gone(processes), "the end of everything it started")
        assert [port for port in ports if is_listening(port)] == []


@pytest.fixture(scope="session")
def deps(graft: Graft) -> Iterator[Deps]:
    """The services over the running Graft's table."""
    with graft.deps() as deps:
        yield deps


@pytest.fixture(scope="session")
def new_agent(graft: Graft, deps: Deps) -> Callable[[], Agent]:
    """Makes an agent with an empty set, under a name of its own."""
    numbers = count(1)
    return lambda: graft.add_agent(deps, f"agent-{next(numbers)}")


@pytest.fixture
def agent(new_agent: Callable[[], Agent]) -> Agent:
    return new_agent()


@pytest.fixture
def connect(tmp_path: Path) -> Connect:
    """Connects an agent with the Python SDK 2.x in a mode, and sees that the mode is what was negotiated."""

    @contextmanager
    def connected(agent: Agent, mode: str, **environment: str) -> Iterator[Driver]:
        command = [sys.executable, "-m", "tests.acceptance.python_2"]
        with Driver(command, agent, tmp_path / "client.log", environment={"MCP_MODE": mode, **environment}) as client:
            assert client.hello["protocol"] == PROTOCOLS[mode]
            yield client

    return connected
