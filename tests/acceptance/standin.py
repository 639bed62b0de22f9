"""A vendor that behaves as badly as vendors do, on loopback."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final

LARGE_BYTES: Final = 50 * 1024 * 1024
CHUNK: Final = b"x" * 65536
METADATA_URL: Final = "http://169.254.169.254/latest/meta-data/"


class StandIn:
    """A context manager: serves while inside. `host` is what a connection names."""

    def __enter__(self) -> StandIn:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def let_go(self) -> None:
        """Answer what waits at `/held`, and all that comes there later."""
        self._server.let_go.set()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True

    def __init__(self, *arguments: Any) -> None:
        self.closing = threading.Event()
        self.let_go = threading.Event()
        super().__init__(*arguments)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A proxy that hangs up in the middle is what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 60

    def do_GET(self) -> None:
        match self.path:
            case "/large":
                self._send(200, length=LARGE_BYTES)
                for _ in range(LARGE_BYTES // len(CHUNK)):
                    self.wfile.write(CHUNK)
            case "/endless":
                self._send(200)
                while not self.server.closing.is_set():
                    self.wfile.write(CHUNK)
            case "/held":
                self.server.let_go.wait(timeout=60)
                self._send(200, length=2)
                self.wfile.write(b"{}")
            case "/never":
                self.server.closing.wait()
            case "/metadata":
                self._send(302, location=METADATA_URL)
            case _:
                self._send(200, length=2)
                self.wfile.write(b"{}")

    def _send(self, status: int, *, length: int | None = None, location: str | None = None) -> None:
        self.send_response(status)
        if location is not None:
            self.send_header("Location", location)
            length = 0
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""
