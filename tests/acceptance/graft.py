"""A running Graft: the process that `make run` starts, in a home of its own, and the commands beside it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from chalicelib import wiring
from chalicelib.model import AgentFacts
from chalicelib.services import agents
from chalicelib.services.deps import Deps
from infra.local import emulator
from infra.local.home import PROJECT, Home
from infra.local.process import environment_for
from infra.local.setup import PERSON

from .processes import descendants, is_listening, is_running
from .rpc import Agent
from .waiting import until

STOP_SECONDS: Final = 15.0
COMMAND_SECONDS: Final = 60.0
POLL_MS: Final = 300
"""How often a harness comes back for list changes here."""
_MADE: Final = re.compile(r"^agent .*\((?P<id>[a-z0-9]+)\).*^token +(?P<token>\S+)$", re.MULTILINE | re.DOTALL)


class Unstarted(Exception):
    """The process ended before it answered; the message holds what it said."""


@dataclass
class Graft:
    """One home. `start` and `stop` may follow each other; a `with` stops whatever still runs."""

    home: Path
    local_hosts: str = ""
    """`host:port` of stand-in vendors that connections may name, separated by commas."""
    wanted_port: int = 0
    """0 picks a free one."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """More of the process's environment."""
    process: subprocess.Popen[bytes] | None = None
    local: dict[str, Any] = field(default_factory=dict)

    def __enter__(self) -> Graft:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()

    # --- the process

    def start(self) -> None:
        """Start it as a terminal does, and wait until its endpoint answers. Raises `Unstarted`."""
        local_file = self.home / "local.json"
        before = local_file.stat().st_mtime_ns if local_file.exists() else 0
        with (self.home / "run.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "infra.local.run"],
                cwd=PROJECT,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until(lambda: self._is_written(local_file, before), "local.json of a new start")
        self.local = json.loads(local_file.read_text())
        until(lambda: is_listening(self.port), "the endpoint of local.json")

    def _is_written(self, local_file: Path, before: int) -> bool:
        if self.running.poll() is not None:
            raise Unstarted(self.log())
        return local_file.exists() and local_file.stat().st_mtime_ns != before

    def stop(self) -> int:
        """Ctrl-C, as a terminal sends it: to the whole group. Answers the exit code."""
        os.killpg(self.running.pid, signal.SIGINT)
        try:
            return self.running.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """`kill -9` of the process alone: what it started has to notice."""
        self.running.kill()
        self.running.wait(STOP_SECONDS)

    def started_processes(self) -> set[int]:
        return descendants(self.running.pid)

    def are_gone(self, pids: set[int]) -> bool:
        return not any(is_running(pid) for pid in pids)

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None, "not started"
        return self.process

    @property
    def port(self) -> int:
        return _port_of(self.local["mcp_url"])

    @property
    def ports(self) -> list[int]:
        """Everything that listens: the endpoint, the demo vendor, the emulator."""
        urls = [self.local["mcp_url"], self.local["vendor_url"], emulator.find_running(self.home) or ""]
        return [_port_of(url) for url in urls]

    def log(self) -> str:
        """All that the process printed so far."""
        return (self.home / "run.log").read_text()

    # --- beside the process

    def command(self, *arguments: str) -> str:
        """`python -m infra.local.commands …` beside the running process; what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "infra.local.commands", *arguments],
            cwd=PROJECT,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def add_agent(self, deps: Deps, name: str) -> Agent:
        """As `make agent` does, without a process for it."""
        agent, token = agents.create_agent(deps, PERSON, name)
        return Agent(name, agent.id, self.local["mcp_url"], token)

    def make_agent(self, name: str, *, cap: str = "", window: str = "") -> Agent:
        """`make agent`."""
        printed = self.command("agent", "--name", name, "--cap", cap, "--window", window)
        made = _MADE.search(printed)
        assert made is not None, printed
        return Agent(name, made["id"], self.local["mcp_url"], made["token"])

    def approve(self, agent: Agent, tool: str) -> str:
        return self.command("approve", "--agent", agent.name, "--tool", tool)

    @property
    def demo(self) -> Agent:
        """The agent that a local set-up starts with."""
        return Agent("demo", self.local["agent_id"], self.local["mcp_url"], self.local["agent_token"])

    @contextmanager
    def deps(self) -> Iterator[Deps]:
        """The services over the same table, in this process."""
        endpoint = emulator.find_running(self.home)
        assert endpoint is not None, "the emulator does not answer"
        settings = environment_for(
            Home(self.home),
            endpoint,
            base_url=self.local["console_url"].rstrip("/"),
            vendor_host=urlsplit(self.local["vendor_url"]).netloc,
            more_hosts=self.local_hosts,
        )
        deps = wiring.make_deps(settings)
        try:
            yield deps
        finally:
            deps.sandbox.close()
            deps.store.close()
            deps.store.table.client.close()

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GRAFT_", "AWS_"))}
        return kept | {
            "PORT": str(self.wanted_port),
            "GRAFT_HOME": str(self.home),
            "GRAFT_LOCAL_HOSTS": self.local_hosts,
            "GRAFT_SSE_RETRY_MS": str(POLL_MS),
            **self.settings,
        }


def facts_of(deps: Deps, agent: Agent) -> AgentFacts:
    """The agent and its set as the table has them now."""
    facts = deps.store.agents.find(PERSON, agent.id)
    assert facts is not None, f"{agent.name} is not in the table"
    return facts


def _port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None, url
    return port
