"""A vendor on loopback that says exactly the bytes a test tells it to, well formed or not."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import TypeAlias


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def header_names(self) -> set[str]:
        return {name.lower() for name, _ in self.headers}


Script: TypeAlias = Callable[[socket.socket, Received], bool]
"""Answers one request; whether the connection stays open for the next."""


def ok(body: bytes = b"{}", *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def redirect(location: str, status: int = 302) -> bytes:
    return ok(b"", f"Location: {location}", status=f"{status} Elsewhere")


def says(*answers: bytes, keeps: bool = True) -> Script:
    """These answers in turn; the last one again and again. Without `keeps` it hangs up after each."""
    left = list(answers)

    def script(connection: socket.socket, _: Received) -> bool:
        connection.sendall(left.pop(0) if len(left) > 1 else left[0])
        return keeps

    return script


@dataclass
class RawVendor:
    """Runs `script` for each request until `close`. `requests` are what arrived, `connections` how many were made."""

    script: Script
    tls: ssl.SSLContext | None = None
    requests: list[Received] = field(default_factory=list)
    connections: int = 0
    closing: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._threads: list[Thread] = []
        self._lock = Lock()
        self._start(self._accept)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def named(self, name: str) -> str:
        return f"{name}:{self.port}"

    def close(self) -> None:
        self.closing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(timeout=5)

    def hang_up(self) -> None:
        """End every open connection."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def drip(self, connection: socket.socket, data: bytes, seconds: float = 0.02) -> None:
        """One byte at a time until the other side has had enough."""
        for place in range(len(data)):
            connection.sendall(data[place : place + 1])
            if self.closing.wait(seconds):
                return

    def _start(self, work: Callable[[], None]) -> None:
        thread = Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(lambda connection=connection: self._serve(connection))  # type: ignore[misc]  # bound per turn

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open.add(connection)
            with connection, connection.makefile("rb") as reader:
                while (received := _receive(reader.readline, reader.read)) is not None:
                    self.requests.append(received)
                    if not self.script(connection, received):
                        break
        with self._lock:
            self._open.discard(connection)
        connection.close()


def _receive(readline: Callable[[], bytes], read: Callable[[int], bytes]) -> Received | None:
    first = readline().decode("latin-1").split()
    if len(first) != 3:
        return None
    headers = []
    while line := readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name, value.strip()))
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Received(first[0], first[1], tuple(headers), read(length))
