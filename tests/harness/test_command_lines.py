"""The two command lines that people try an MCP server with: the Inspector's and mcporter."""

from __future__ import annotations

import json
import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest

from chalicelib.services.deps import Deps
from tests.acceptance.graft import Graft
from tests.acceptance.main_job import LIST_NOTES, META_TOOLS
from tests.acceptance.rpc import Agent
from tests.clients.fetch import NODE_BIN

from .fetch import NPM_BIN
from .harness import private_environment

RUN_SECONDS: Final = 120.0


@dataclass(frozen=True)
class CommandLine(ABC):
    """A command that connects, does one thing, prints JSON and ends."""

    name: ClassVar[str]
    agent: Agent
    home: Path

    @abstractmethod
    def list(self) -> list[str]:
        """The names of the tools."""

    @abstractmethod
    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """The structured answer of a tool."""

    def run(self, program: str, *arguments: str) -> Any:
        path = f"{NODE_BIN}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [str(NPM_BIN / program), *arguments],
            cwd=self.home,
            env=private_environment(str(self.home), PATH=path, GRAFT_TOKEN=self.agent.token),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)


class Mcporter(CommandLine):
    name = "mcporter"

    def list(self) -> list[str]:
        listed = self.run("mcporter", *self._config(), "list", "graft", "--json")
        return [tool["name"] for tool in listed["tools"]]

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        typed = ("call", f"graft.{tool}", "--args", json.dumps(arguments), "--output", "json")
        return self.run("mcporter", *self._config(), *typed)

    def _config(self) -> Sequence[str]:
        server = {"baseUrl": self.agent.url, "headers": {"Authorization": "Bearer ${GRAFT_TOKEN}"}}
        config = self.home / "mcporter.json"
        config.write_text(json.dumps({"mcpServers": {"graft": server}}))
        return ("--config", str(config))


class Inspector(CommandLine):
    name = "inspector"
    era: ClassVar[str] = "legacy"

    def list(self) -> list[str]:
        return [tool["name"] for tool in self._inspect("tools/list")["tools"]]

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        typed = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return self._inspect("tools/call", *typed)["structuredContent"]

    def _inspect(self, method: str, *more: str) -> Any:
        header = f"Authorization: Bearer {self.agent.token}"
        how = ("--transport", "http", "--protocol-era", self.era, "--stored-auth-only", "--format", "json", "-q")
        typed = ("--header", header, "--method", method, *more)
        return self.run("mcp-inspector", "--cli", self.agent.url, *how, *typed)["result"]


class StatelessInspector(Inspector):
    name = "inspector-stateless"
    era = "modern"


@pytest.fixture(params=[Inspector, StatelessInspector, Mcporter], ids=lambda kind: kind.name)
def command_line(request: pytest.FixtureRequest, graft: Graft, deps: Deps, tmp_path: Path) -> CommandLine:
    kind: type[CommandLine] = request.param
    made: CommandLine = kind(graft.add_agent(deps, f"for-{kind.name}"), tmp_path)
    return made


def test_it_lists_what_is_promoted_and_calls_it(command_line: CommandLine) -> None:
    assert command_line.list() == META_TOOLS
    promoted = command_line.call("promote", {"vendor": "demo", "name": "list-notes"})
    assert {"tool": LIST_NOTES, "promoted": True, "changed": True}.items() <= promoted.items()
    assert command_line.list() == [*META_TOOLS, LIST_NOTES]
    assert command_line.call(LIST_NOTES, {})["result"][0]["text"] == "Renew the passport before March"
