"""The handlers of app.py behind HTTP on loopback, as Chalice's own local server has them.

Three things differ from `chalice local`: Nagle's algorithm is off (it costs 44 ms a request), bodies are read as
HTTP/1.1 allows them to come (chunked, and never more than a gateway would take), and `/{proxy+}` takes a path of
several parts, as it does on a gateway.
"""

from __future__ import annotations

import functools
import json
import logging
import re
import sys
import threading
from http.server import HTTPServer
from socketserver import ThreadingMixIn
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from chalice import Chalice
from chalice.config import Config
from chalice.local import ChaliceRequestHandler, LocalChalice, LocalGatewayException, MatchResult, RouteMatcher

log = logging.getLogger("graft")

BODY_BYTES_MAX: Final = 10 * 1024 * 1024
IDLE_SECONDS: Final = 120.0
GREEDY: Final = "/{proxy+}"
_CHUNK_SIZE: Final = re.compile(rb"[0-9A-Fa-f]{1,8}")


class _TooLarge(Exception):
    """The body is beyond what a gateway takes."""


class _Unreadable(Exception):
    """The body is not what its headers or chunks say."""


class GatewayMatcher(RouteMatcher):
    """Finds a path's route as a gateway does: what no other route has goes to `/{proxy+}`, however many its parts."""

    def match_route(self, url: str) -> MatchResult:
        try:
            found = super().match_route(url)
        except ValueError:
            found = None
        if found is not None and found.route != GREEDY:
            return found
        parts = urlsplit(url)
        return MatchResult(GREEDY, {"proxy": parts.path.strip("/")}, parse_qs(parts.query, keep_blank_values=True))


class Handler(ChaliceRequestHandler):
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS

    def __init__(self, *args: Any, app_object: Chalice, **more: Any) -> None:
        self._matcher = GatewayMatcher(list(app_object.routes))
        super().__init__(*args, app_object=app_object, **more)

    def handle_one_request(self) -> None:
        self.local_gateway.event_converter._route_matcher = self._matcher
        super().handle_one_request()

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: their headers and paths are the caller's business."""

    def _parse_payload(self) -> tuple[dict[str, str], bytes | None]:
        headers = dict(self.headers)
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            return headers, self._read_chunks()
        length = self.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12:
            raise _Unreadable
        return headers, self._read(int(length)) if int(length) else None

    def _read_chunks(self) -> bytes:
        """RFC 9112, section 7.1."""
        body = bytearray()
        while size := self._read_chunk_size():
            body += self._read(size, already=len(body))
            if self.rfile.readline(8).strip():
                raise _Unreadable
        while self.rfile.readline(1024).strip():
            continue
        return bytes(body)

    def _read_chunk_size(self) -> int:
        size = self.rfile.readline(64).split(b";")[0].strip()
        if not _CHUNK_SIZE.fullmatch(size):
            raise _Unreadable
        return int(size, 16)

    def _read(self, size: int, *, already: int = 0) -> bytes:
        """Exactly so many bytes; a body that ends before is nobody's request."""
        if already + size > BODY_BYTES_MAX:
            raise _TooLarge
        body = bytes(self.rfile.read(size))
        if len(body) < size:
            raise _Unreadable
        return body

    def _generic_handle(self) -> None:
        try:
            super()._generic_handle()
        except _TooLarge:
            self._hang_up(413, "The body is larger than 10 MB.")
        except _Unreadable:
            self._hang_up(400, "The body is not framed as HTTP says, or ended too early.")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send_error_response(self, error: LocalGatewayException) -> None:
        """What no route has. A gateway's own 403 would show the request's headers."""
        self._send_http_response(404 if error.CODE == 403 else error.CODE, {}, json.dumps({"message": "Not found"}))

    def _hang_up(self, status: int, message: str) -> None:
        self.close_connection = True
        self._send_http_response(status, {"Connection": "close"}, json.dumps({"message": message}))

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = do_PATCH = do_OPTIONS = _generic_handle


class Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is nobody's fault; anything else goes to the log."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            log.exception("a request could not be answered")


class LocalServer:
    """Serves until `close`. Raises `OSError` when the port is taken."""

    def __init__(self, app: Chalice, *, port: int) -> None:
        app.__class__ = LocalChalice
        config = Config.create(lambda_timeout=60, chalice_app=app)
        self._server = Server(("127.0.0.1", port), functools.partial(Handler, app_object=app, config=config))
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="http", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join(timeout=5)
        self._server.server_close()
