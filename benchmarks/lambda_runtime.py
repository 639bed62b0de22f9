"""A Lambda function's process on this machine: the real runtime client against a small Runtime API on loopback.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

NEXT: Final = "/2018-06-01/runtime/invocation/next"
HANDLER: Final = "app.app"
PATIENCE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class ColdStart:
    """From the start of a process to the end of its first invocation."""

    init_cpu_ms: float
    """Until it asked for work: imports and whatever else the module's top level does."""
    cpu_ms: float
    """User and system time of the whole process, all threads, as the kernel counted it."""
    wall_ms: float
    memory_mib: float
    answer: dict[str, Any]


class _RuntimeApi(ThreadingHTTPServer):
    """Hands out one event, takes its answer, and says when the process asks for the next."""

    daemon_threads = True

    def __init__(self, event: Mapping[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Exchange)
        self.event = json.dumps(event).encode()
        self.asked = 0
        self.first_asked, self.answered, self.asked_again = Event(), Event(), Event()
        self.may_go_on = Event()
        self.answer: bytes = b""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _RuntimeApi

    def do_GET(self) -> None:
        api = self.server
        assert self.path == NEXT, self.path
        api.asked += 1
        if api.asked > 1:
            api.asked_again.set()
            Event().wait(PATIENCE_SECONDS)
            return
        api.first_asked.set()
        api.may_go_on.wait(PATIENCE_SECONDS)
        self._send(200, api.event)

    def do_POST(self) -> None:
        api = self.server
        api.answer = self.rfile.read(int(self.headers["Content-Length"]))
        api.answered.set()
        self._send(202, b"{}")

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Lambda-Runtime-Aws-Request-Id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd")
        self.send_header("Lambda-Runtime-Deadline-Ms", str(int((time.time() + 30) * 1000)))
        self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:graft")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody reads it."""


def start_cold(
    python: Path, task: Path, layers: Sequence[Path], event: Mapping[str, Any], environment: Mapping[str, str]
) -> ColdStart:
    """Run a new process of the function in `task` until it has answered `event`. Its answer may be an error."""
    api = _RuntimeApi(event)
    Thread(target=api.serve_forever, daemon=True).start()
    began = time.perf_counter()
    process = subprocess.Popen(
        [str(python), "-m", "awslambdaric", HANDLER],
        cwd=task,
        env=_environment(api.address, task, layers) | dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return _watched(api, process, began)
    finally:
        _end(process)
        api.shutdown()
        api.server_close()


def _watched(api: _RuntimeApi, process: subprocess.Popen[bytes], began: float) -> ColdStart:
    _wait(api.first_asked, api)
    init_cpu_ms = _cpu_ms_so_far(process.pid)
    api.may_go_on.set()
    _wait(api.answered, api)
    wall_ms = (time.perf_counter() - began) * 1000
    _wait(api.asked_again, api)
    memory_mib = _peak_memory_mib(process.pid)
    process.send_signal(signal.SIGKILL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = -signal.SIGKILL
    cpu_ms = (used.ru_utime + used.ru_stime) * 1000
    return ColdStart(init_cpu_ms, cpu_ms, wall_ms, memory_mib, json.loads(api.answer))


def _wait(event: Event, api: _RuntimeApi) -> None:
    if not event.wait(PATIENCE_SECONDS):
        raise TimeoutError(f"the function did not go on: {api.answer[:2000]!r}")


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None and process.poll() is None:
        process.kill()
        process.wait()


def _cpu_ms_so_far(pid: int) -> float:
    """Of the threads that it has now: a runtime that asks for work has one."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def _peak_memory_mib(pid: int) -> float:
    """Not wait4's figure, which knows of the parent's memory, too."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def _environment(api: str, task: Path, layers: Sequence[Path]) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "en_US.UTF-8",
        "PYTHONPATH": os.pathsep.join(map(str, layers)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "AWS_LAMBDA_RUNTIME_API": api,
        "AWS_LAMBDA_FUNCTION_NAME": "graft",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "LAMBDA_TASK_ROOT": str(task),
        "_HANDLER": HANDLER,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_SESSION_TOKEN": "local",
    }
