"""A proxy on loopback that adds the bearer token: the suite has no option for one."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Final
from urllib.parse import urlsplit

from tests.mcp.loopback import Server

UPSTREAM_SECONDS: Final = 30.0
PER_CONNECTION: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"})


@contextmanager
def authorizing(url: str, token: str) -> Iterator[str]:
    """The address that stands for `url`. All else goes through as it is, Host and Origin included."""
    upstream = urlsplit(url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in PER_CONNECTION}
            headers["Authorization"] = f"Bearer {token}"
            connection = http.client.HTTPConnection(upstream.netloc, timeout=UPSTREAM_SECONDS)
            try:
                connection.request(self.command, self.path, body, headers)
                self._answer(connection.getresponse())
            finally:
                connection.close()

        def _answer(self, answer: http.client.HTTPResponse) -> None:
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in PER_CONNECTION:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_HEAD = do_DELETE = do_OPTIONS = forward

        def log_message(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{upstream.path}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
