"""The real OpenClaw: its gateway on loopback, its state in a folder of its own, its turns over its HTTP endpoint."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final

from tests.acceptance.rpc import Agent
from tests.acceptance.waiting import until
from tests.clients.fetch import NODE_BIN

from .fetch import NPM_BIN
from .harness import SERVER, START_SECONDS, TURN_SECONDS, Harness, private_environment
from .model import CONTEXT_TOKENS, NAME, Call, Model, Seen
from .wire import Wire

STOP_SECONDS: Final = 30.0
LOG_TAIL: Final = 4_000
SKILL: Final = re.compile(r"<name>graft</name>.*?<location>([^<]+)</location>", re.DOTALL)
CONVERSATION: Final = "harness-tests"


class OpenClaw(Harness):
    name: ClassVar[str] = "openclaw"

    def __init__(self, agent: Agent, model: Model, wire: Wire, port: int, token: str) -> None:
        super().__init__(agent, model, wire)
        self._port = port
        self._token = token

    def shown_as(self, tool: str) -> str:
        return f"{SERVER}__{tool}"

    def say(self, text: str) -> str:
        body = {"model": "openclaw", "messages": [{"role": "user", "content": text}]}
        headers = {
            "authorization": f"Bearer {self._token}",
            "content-type": "application/json",
            "x-openclaw-session-key": CONVERSATION,
        }
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=TURN_SECONDS)) as gateway:
            gateway.request("POST", "/v1/chat/completions", body=json.dumps(body).encode(), headers=headers)
            response = gateway.getresponse()
            answered = response.read().decode()
        assert response.status == 200, answered
        return str(json.loads(answered)["choices"][0]["message"]["content"])

    def reading_of_the_skill(self, seen: Seen) -> Call:
        found = SKILL.search(seen.system)
        assert found is not None, "the skill is not among the available ones"
        return Call("read", {"path": found[1]})


@contextmanager
def running_openclaw(agent: Agent, model: Model, wire: Wire, home: Path) -> Iterator[OpenClaw]:
    port, token = free_port(), secrets.token_hex()
    environment = prepare(home, config(model, wire, home, port, token), agent)
    log = home / "gateway.log"
    with log.open("ab") as output:
        gateway = subprocess.Popen(
            [str(NPM_BIN / "openclaw"), "gateway", "run", "--port", str(port)],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        until(lambda: is_ready(gateway, port, log), "OpenClaw's gateway", seconds=START_SECONDS)
        yield OpenClaw(agent, model, wire, port, token)
    finally:
        stop(gateway)


def prepare(home: Path, wanted: dict[str, Any], agent: Agent) -> dict[str, str]:
    """Write the configuration; answers the environment in which OpenClaw reads it."""
    (home / "work").mkdir(exist_ok=True)
    (home / "openclaw.json").write_text(json.dumps(wanted))
    return private_environment(
        str(home),
        PATH=f"{NODE_BIN}{os.pathsep}{os.environ['PATH']}",
        OPENCLAW_STATE_DIR=str(home),
        OPENCLAW_CONFIG_PATH=str(home / "openclaw.json"),
        GRAFT_TOKEN=agent.token,
    )


def config(model: Model, wire: Wire, home: Path, port: int, token: str) -> dict[str, Any]:
    """`openclaw.json`. Its own toolSearch would put every tool of Graft's behind one more search."""
    scripted = {"id": NAME, "name": NAME, "contextWindow": CONTEXT_TOKENS, "maxTokens": 8_000}
    provider = {"baseUrl": model.url, "apiKey": "none", "api": "openai-completions", "models": [scripted]}
    server = {"url": wire.url, "transport": "streamable-http", "headers": {"Authorization": "Bearer ${GRAFT_TOKEN}"}}
    return {
        "models": {"mode": "replace", "providers": {"tests": provider}, "catalogRefresh": {"enabled": False}},
        "update": {"checkOnStart": False},
        "logging": {"file": str(home / "openclaw.log")},
        "agents": {
            "defaults": {"model": {"primary": f"tests/{NAME}"}, "workspace": str(home / "work"), "skipBootstrap": True}
        },
        "tools": {"toolSearch": False},
        "gateway": {
            "mode": "local",
            "port": port,
            "bind": "loopback",
            "auth": {"mode": "token", "token": token},
            "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
        },
        "mcp": {"servers": {SERVER: server}},
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_ready(gateway: subprocess.Popen[bytes], port: int, log: Path) -> bool:
    assert gateway.poll() is None, f"the gateway ended: {log.read_text()[-LOG_TAIL:]}"
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
    except OSError:
        return False


def stop(gateway: subprocess.Popen[bytes]) -> None:
    """End it and whatever it started: they are a group of their own."""
    os.killpg(gateway.pid, signal.SIGTERM)
    try:
        gateway.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(gateway.pid, signal.SIGKILL)
        gateway.wait(STOP_SECONDS)
