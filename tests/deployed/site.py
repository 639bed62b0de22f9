"""An AWS account on this machine, and a copy of the project from which `make` deploys to it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import boto3

from chalicelib import wiring
from chalicelib.services.deps import Deps
from infra.deploy.package import RUNTIME_SETTING
from tests.acceptance.rpc import Agent
from tests.acceptance.waiting import until

from .emulator import REGION, ROOT_KEY
from .fetch import BIN, version

ROOT: Final = Path(__file__).resolve().parents[2]
STAGE: Final = "trial"
API_PATH: Final = "/api"
START_SECONDS: Final = 60.0
MAKE_SECONDS: Final = 300
NOT_OURS: Final = ("AWS_", "GRAFT_", "MAKE", "MFLAGS")
_MADE: Final = re.compile(r"^agent .*\((?P<id>[a-z0-9]+)\).*^token +(?P<token>\S+)$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Account:
    """A running emulator."""

    endpoint: str
    gateway: str

    @property
    def environment(self) -> dict[str, str]:
        """What leads a program there, with no settings of the caller's, nor of a make that this runs under."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OURS)}
        return kept | {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": ROOT_KEY,
            "AWS_SECRET_ACCESS_KEY": ROOT_KEY,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            RUNTIME_SETTING: version(),
        }

    def client(self, service: str) -> Any:
        make: Any = boto3.client
        keys = {"aws_access_key_id": ROOT_KEY, "aws_secret_access_key": ROOT_KEY}
        return make(service, endpoint_url=self.endpoint, region_name=REGION, **keys)


@contextmanager
def account(folder: Path) -> Iterator[Account]:
    """Start the emulator and stop it at the end; its log is in `folder`."""
    port, gateway_port = _free_ports(2)
    command = [sys.executable, "-m", "tests.deployed.emulator", f"--port={port}", f"--gateway-port={gateway_port}"]
    with (folder / "emulator.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--python={BIN}"], cwd=ROOT, stdout=log, stderr=log, start_new_session=True
        )
    try:
        until(lambda: _answers(port, process), "the emulator", seconds=START_SECONDS)
        yield Account(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{gateway_port}")
    finally:
        process.terminate()
        process.wait(20)


@dataclass(frozen=True)
class Site:
    """The copy of the project, with a stage of its own: the caller's own deployments are not touched."""

    folder: Path
    account: Account

    @property
    def url(self) -> str:
        """Where the API answers, as a client sees it: behind the gateway, below the stage."""
        return f"{self.account.gateway}{API_PATH}"

    def make(self, target: str, **words: str) -> subprocess.CompletedProcess[str]:
        """`make target WORD=…` as a person types it."""
        return subprocess.run(
            ["make", "--no-print-directory", f"VENV={ROOT / '.venv'}", target, *(f"{k}={v}" for k, v in words.items())],
            cwd=self.folder,
            env=self.account.environment,
            capture_output=True,
            text=True,
            timeout=MAKE_SECONDS,
        )

    def made(self, target: str, **words: str) -> str:
        """What it printed, of a target that was made."""
        done = self.make(target, **words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refused(self, target: str, **words: str) -> str:
        """The one line in which it was refused."""
        done = self.make(target, **words)
        assert done.returncode != 0, done.stdout
        [line, *rest] = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
        assert rest == [], done.stderr
        return line

    def set_variable(self, name: str, value: str) -> None:
        """Give the stage's functions an environment variable, as a person edits the file."""
        path = self.folder / ".chalice" / "config.json"
        config = json.loads(path.read_text())
        config["stages"][STAGE]["environment_variables"][name] = value
        path.write_text(json.dumps(config))

    def add_agent(self, name: str, *, stage: str = STAGE, cap: str = "") -> Agent:
        """`make agent STAGE=…`"""
        printed = self.made("agent", STAGE=stage, NAME=name, CAP=cap)
        made = _MADE.search(printed)
        assert made is not None, printed
        return Agent(name, made["id"], f"{self.url}/mcp", made["token"])

    @contextmanager
    def deps(self, monkeypatch: Any) -> Iterator[Deps]:
        """The services over the deployed table and key, in this process."""
        for name, value in self.account.environment.items():
            if name.startswith("AWS_"):
                monkeypatch.setenv(name, value)
        deps = wiring.make_deps({"GRAFT_TABLE": f"graft-{STAGE}", "GRAFT_KMS_KEY": f"alias/graft-{STAGE}"})
        yield deps
        deps.store.close()
        deps.store.table.client.close()

    def log_lines(self, function: str) -> list[dict[str, Any]]:
        """What a function wrote to its log group, the JSON lines of it."""
        logs, group = self.account.client("logs"), f"/aws/lambda/{function}"
        events = logs.filter_log_events(logGroupName=group)["events"]
        return [json.loads(event["message"]) for event in events if event["message"].startswith("{")]


def copy_project(folder: Path) -> None:
    """Every file of the project that git would know, changed or not; dependencies that were built are shared."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (ROOT / "build" / "dependencies").mkdir(parents=True, exist_ok=True)
    (folder / "build").mkdir()
    (folder / "build" / "dependencies").symlink_to(ROOT / "build" / "dependencies")


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, "the emulator ended; its log says why"
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_ministack/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()
