"""The door behind a real HTTP server on loopback, for clients that want a URL."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chalicelib.mcp.catalogue import GRAFT, Catalogue
from chalicelib.mcp.door import handle
from chalicelib.mcp.http import HttpRequest
from chalicelib.services.deps import Deps


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that leaves while it is answered is no error."""


@contextmanager
def serving(deps: Deps, *, catalogue: Catalogue = GRAFT, waits: bool = False) -> Iterator[str]:
    """The URL of `/mcp`. Requests are served one after the other: the emulated table knows no threads."""
    one_at_a_time = threading.Lock()
    pause = time.sleep if waits else lambda _: None

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with one_at_a_time:
                request = HttpRequest(self.command, self.path, headers, body=body)
                response = handle(deps, request, pause=pause, catalogue=catalogue)
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)

        do_GET = do_POST = do_HEAD = do_DELETE = do_OPTIONS = answer

        def log_message(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
