"""The real Hermes: its agent in a process of its own, its home in a folder of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

from tests.acceptance.driver import Driver
from tests.acceptance.rpc import Agent
from tests.acceptance.waiting import until

from .fetch import HERE, HERMES_BIN
from .harness import SERVER, START_SECONDS, TURN_SECONDS, Harness, private_environment
from .model import CONTEXT_TOKENS, NAME, Call, Model, Seen
from .wire import Wire

WORKER: Final = HERE / "hermes_worker.py"


class Hermes(Harness):
    name: ClassVar[str] = "hermes"

    def __init__(self, agent: Agent, model: Model, wire: Wire, worker: Driver) -> None:
        super().__init__(agent, model, wire)
        self._worker = worker

    def shown_as(self, tool: str) -> str:
        return f"mcp__{SERVER}__{tool}".replace("-", "_")

    def say(self, text: str) -> str:
        return str(self._worker.ask({"do": "turn", "text": text})["said"])

    def reading_of_the_skill(self, seen: Seen) -> Call:
        return Call("skill_view", {"name": "graft"})

    def await_list_change(self, since: int) -> None:
        """It lists again by itself, a moment after it was told."""
        super().await_list_change(since)
        listed = {self.shown_as(tool["name"]) for tool in self.agent.tools()}
        until(lambda: set(self._worker.ask({"do": "tools"})) == listed, "Hermes' new list", seconds=TURN_SECONDS)


@contextmanager
def running_hermes(agent: Agent, model: Model, wire: Wire, home: Path) -> Iterator[Hermes]:
    (home / "config.yaml").write_text(json.dumps(config(model, wire)))
    environment = private_environment(str(home), HERMES_HOME=str(home), GRAFT_TOKEN=agent.token)
    command = [str(HERMES_BIN / "python"), str(WORKER)]
    with Driver(
        command,
        agent,
        home / "worker.log",
        environment=environment,
        inherit=False,
        folder=home,
        answer_seconds=max(START_SECONDS, TURN_SECONDS),
    ) as worker:
        yield Hermes(agent, model, wire, worker)


def config(model: Model, wire: Wire) -> dict[str, Any]:
    """`config.yaml`, in which JSON is YAML. It looks nothing up, and installs and reviews nothing by itself."""
    return {
        "model": {
            "default": NAME,
            "provider": "custom",
            "base_url": model.url,
            "api_key": "none",
            "context_length": CONTEXT_TOKENS,
        },
        "security": {"allow_lazy_installs": False},
        "memory": {"nudge_interval": 0},
        "skills": {"creation_nudge_interval": 0},
        "mcp_discovery_timeout": int(START_SECONDS),
        "mcp_servers": {SERVER: {"url": wire.url, "headers": {"Authorization": "Bearer ${GRAFT_TOKEN}"}}},
    }
