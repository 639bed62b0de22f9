"""The demo vendor: notes over HTTP behind a bearer token, for one machine's loopback."""

from __future__ import annotations

import hmac
import json
import os
import re
import socket
import socketserver
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final, TypeAlias

NOTES_MAX: Final = 1000
TEXT_MAX: Final = 10_000
"""Characters of one note."""
BODY_BYTES_MAX: Final = 256 * 1024
IDLE_SECONDS: Final = 30
SAMPLES: Final = (
    "Renew the passport before March",
    "Ideas for the birthday: a kite, a day at the lake",
    "The boiler's service is due: call the plumber",
)

Note: TypeAlias = dict[str, str]
Reply: TypeAlias = tuple[int, Any]
"""Status and what is sent as JSON; None: no body."""


class NotesFull(Exception):
    """There are as many notes as may be kept."""


class Notes:
    """Notes in one JSON file, replaced whole at each change. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._notes: dict[str, Note] = {}
        self._next_id = 1
        if path.exists():
            self._read()
        else:
            for text in SAMPLES:
                self.add(text)

    def all(self) -> list[Note]:
        with self._lock:
            return list(self._notes.values())

    def find(self, note_id: str) -> Note | None:
        with self._lock:
            return self._notes.get(note_id)

    def add(self, text: str) -> Note:
        """The new note, kept. Raises NotesFull beyond 1,000."""
        with self._lock:
            if len(self._notes) >= NOTES_MAX:
                raise NotesFull
            created_at = datetime.now(UTC).isoformat(timespec="milliseconds")
            note = {"id": str(self._next_id), "text": text, "createdAt": created_at}
            self._notes[note["id"]] = note
            self._next_id += 1
            self._write()
            return note

    def remove(self, note_id: str) -> bool:
        """Whether there was such a note."""
        with self._lock:
            if self._notes.pop(note_id, None) is None:
                return False
            self._write()
            return True

    def _read(self) -> None:
        kept = json.loads(self._path.read_text("utf-8"))
        self._notes = {note["id"]: note for note in kept["notes"]}
        self._next_id = kept["nextId"]

    def _write(self) -> None:
        kept = {"nextId": self._next_id, "notes": list(self._notes.values())}
        beside = self._path.with_suffix(".new")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self._path)


class VendorServer:
    """A demo vendor that serves in a thread until `close`."""

    def __init__(self, host: str, port: int, token: str, path: Path) -> None:
        self._server = _Server((host, port), token, Notes(path))
        self.port: int = self._server.server_address[1]
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), name="demo vendor", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving and hang up every open connection."""
        self._server.shutdown()
        self._server.server_close()
        self._server.hang_up()
        self._thread.join()


def serve(host: str, port: int, token: str, path: Path) -> VendorServer:
    """Serve the notes kept at `path` to bearers of `token`. Port 0 takes a free one; the server says which."""
    return VendorServer(host, port, token, path)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], token: str, notes: Notes) -> None:
        self.notes = notes
        self._expected = f"Bearer {token}".encode()
        self._open: set[socket.socket] = set()
        self._lock = Lock()
        super().__init__(address, _Handler)

    def lets_in(self, authorization: str) -> bool:
        return hmac.compare_digest(authorization.encode("utf-8", "replace"), self._expected)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        with self._lock:
            for connection in self._open:
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hangs up in the middle is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "demo-vendor"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS
    wbufsize = -1
    """Head and body leave in one packet."""

    def _answer(self) -> None:
        body = self._read_body()
        if body is None:
            self.close_connection = True
            return self._send(413, _error(f"a body has at most {BODY_BYTES_MAX} bytes and says its length"))
        status, content = self._route(body)
        return self._send(status, content)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    def _read_body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "0")
        is_plain = length.isascii() and length.isdigit() and "Transfer-Encoding" not in self.headers
        if not is_plain or len(length) > 9 or int(length) > BODY_BYTES_MAX:
            return None
        return self.rfile.read(int(length))

    def _route(self, body: bytes) -> Reply:
        path = self.path.partition("?")[0]
        method = "GET" if self.command == "HEAD" else self.command
        if path == "/health":
            return 200, {"status": "ok"}
        if not self.server.lets_in(self.headers.get("Authorization", "")):
            return 401, _error("a valid bearer token is required")
        for pattern, methods in _ROUTES:
            if matched := pattern.fullmatch(path):
                handle = methods.get(method)
                return handle(self.server.notes, body, *matched.groups()) if handle else _not_allowed(methods)
        return 404, _error("no such path")

    def _send(self, status: int, content: Any) -> None:
        payload = b"" if content is None else json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        if content is not None:
            self.send_header("Content-Type", "application/json; charset=utf-8")
        if status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        if status != 204:
            self.send_header("Content-Length", str(len(payload)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: the caller's ledger tells what was called."""


def _list(notes: Notes, _: bytes) -> Reply:
    return 200, notes.all()


def _create(notes: Notes, body: bytes) -> Reply:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return 400, _error("the body is not JSON")
    text = content.get("text") if isinstance(content, dict) else None
    if not isinstance(text, str) or not text.strip():
        return 422, _error("text is required: a string that is not empty")
    if len(text) > TEXT_MAX:
        return 422, _error(f"text has {len(text)} characters; at most {TEXT_MAX} are kept")
    try:
        text.encode()
        return 201, notes.add(text)
    except UnicodeEncodeError:
        return 422, _error("text holds half of a surrogate pair")
    except NotesFull:
        return 409, _error(f"there are {NOTES_MAX} notes already: delete one first")


def _show(notes: Notes, _: bytes, note_id: str) -> Reply:
    note = notes.find(note_id)
    return (404, _error("no such note")) if note is None else (200, note)


def _delete(notes: Notes, _: bytes, note_id: str) -> Reply:
    return (204, None) if notes.remove(note_id) else (404, _error("no such note"))


def _not_allowed(methods: dict[str, Callable[..., Reply]]) -> Reply:
    return 405, _error(f"only {', '.join(sorted(methods))} here")


def _error(message: str) -> dict[str, str]:
    return {"error": message}


_ROUTES: Final[tuple[tuple[re.Pattern[str], dict[str, Callable[..., Reply]]], ...]] = (
    (re.compile(r"/notes/?"), {"GET": _list, "POST": _create}),
    (re.compile(r"/notes/([^/]+)"), {"GET": _show, "DELETE": _delete}),
)
