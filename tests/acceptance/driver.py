"""Drives one MCP client in a process of its own: a line of JSON says what to do, a line of JSON answers.

Every client, in whatever language, understands the same few words, so one story is told with all of them:

    {"do": "list"}                                  → [tool, …]
    {"do": "call", "name": …, "arguments": …}       → the result, or {"rpcError": {"code", "message"}}
    {"do": "heard", "beyond": n, "seconds": s}      → how many list changes it heard, once more than n or after s
    {"do": "listen"}                                → how many list changes one subscription brought

Its first line, once connected, is {"protocol": …, "hasSession": …}. It ends when its standard input does.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from .rpc import Agent

ANSWER_SECONDS: Final = 60.0
END_SECONDS: Final = 10.0


class ClientFailed(Exception):
    """The client's process ended, or did not answer in time; the message holds what it printed."""


class Driver:
    """A connected client. A context manager: leaving it ends the process."""

    def __init__(
        self,
        command: Sequence[str],
        agent: Agent,
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        inherit: bool = True,
        folder: Path | None = None,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        """`inherit`: whether it gets this process's environment, too. `folder`: where it starts."""
        self._log = log
        self._answer_seconds = answer_seconds
        inherited = os.environ if inherit else {}
        settings = {**inherited, "MCP_URL": agent.url, "MCP_TOKEN": agent.token, **(environment or {})}
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command, cwd=folder, env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def __enter__(self) -> Driver:
        try:
            self.hello: dict[str, Any] = self._answer()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(END_SECONDS)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait(END_SECONDS)
        self._reader.join(END_SECONDS)
        self._process.stdout.close()

    # --- the words

    def list(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = self.ask({"do": "list"})
        return tools

    def call_raw(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self.ask({"do": "call", "name": tool, "arguments": dict(arguments)})
        return result

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """The structured answer of a tool that answered without an error."""
        result = self.call_raw(tool, arguments)
        assert result.get("isError") is False, result
        return result["structuredContent"]

    def heard(self, *, beyond: int = -1, seconds: float = 0) -> int:
        """How many list changes the client heard since it connected."""
        return int(self.ask({"do": "heard", "beyond": beyond, "seconds": seconds}))

    def begin(self, request: Mapping[str, Any]) -> None:
        """Send without waiting: `finish` brings the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def finish(self) -> Any:
        return self._answer()

    def ask(self, request: Mapping[str, Any]) -> Any:
        self.begin(request)
        return self.finish()

    # --- the process

    def _answer(self) -> Any:
        try:
            line = self._lines.get(timeout=self._answer_seconds)
        except queue.Empty:
            line = b""
        if not line:
            raise ClientFailed(f"no answer; it printed: {self._log.read_text()[-4000:]}")
        return json.loads(line)

    def _read(self, lines: IO[bytes]) -> None:
        for line in lines:
            self._lines.put(line)
        self._lines.put(b"")


Connect = Callable[..., AbstractContextManager[Driver]]
"""Connects an agent with one kind of client."""
