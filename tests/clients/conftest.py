"""The running Graft of tests/acceptance, and the fetched clients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.driver import Connect, Driver
from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent

from .fetch import HERE, NPM, PYTHON_1_BIN


@dataclass(frozen=True)
class Kind:
    """One client in one mode, and what it negotiates."""

    name: str
    command: tuple[str, ...]
    protocol: str
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def has_sessions(self) -> bool:
        """Whether it is of the handshake era."""
        return self.protocol < "2026"


PYTHON_1: Final = Kind("python-1", (str(PYTHON_1_BIN), str(HERE / "python_1.py")), "2025-11-25")
TYPESCRIPT_1: Final = Kind("typescript-1", ("node", str(HERE / "typescript_1.mjs")), "2025-11-25")
TYPESCRIPT_2: Final = ("node", str(HERE / "typescript_2.mjs"))
KINDS: Final = (
    PYTHON_1,
    TYPESCRIPT_1,
    Kind("typescript-2-legacy", TYPESCRIPT_2, "2025-11-25", {"MCP_MODE": "legacy"}),
    Kind("typescript-2-auto", TYPESCRIPT_2, "2026-07-28", {"MCP_MODE": "auto"}),
    Kind("typescript-2-stateless", TYPESCRIPT_2, "2026-07-28", {"MCP_MODE": "2026-07-28"}),
)


@pytest.fixture(scope="session")
def graft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graft]:
    with Graft(tmp_path_factory.mktemp("home")) as running:
        yield running
        assert running.stop() == 0, running.log()


@pytest.fixture(scope="session")
def agent_names() -> Iterator[str]:
    return (f"agent-{number}" for number in count(1))


@pytest.fixture
def agent(graft: Graft, agent_names: Iterator[str]) -> Agent:
    """An agent with an empty set."""
    return graft.make_agent(next(agent_names))


@pytest.fixture
def connect(agent: Agent, tmp_path: Path) -> Connect:
    """Connects the agent with a kind of client, and sees that its revision is what was negotiated."""

    @contextmanager
    def connected(kind: Kind, **environment: str) -> Iterator[Driver]:
        settings = {"MCP_NPM": str(NPM), **kind.environment, **environment}
        with Driver(kind.command, agent, tmp_path / "client.log", environment=settings) as client:
            assert client.hello == {"protocol": kind.protocol, "hasSession": kind.has_sessions}
            yield client

    return connected
