"""What travels between a harness and Graft: a loopback relay that keeps the answers it passes on."""

from __future__ import annotations

from contextlib import closing
from http.client import HTTPConnection
from typing import ClassVar, Final
from urllib.parse import urlsplit

from .serving import Handler, Serving

RELAY_SECONDS: Final = 60.0
LIST_CHANGED: Final = "notifications/tools/list_changed"
OWN_HEADERS: Final = frozenset({"connection", "content-length", "date", "host", "server", "transfer-encoding"})


class Wire(Serving):
    """Relays to `target`, whose answers always come whole."""

    def __init__(self, target: str) -> None:
        super().__init__(_Handler)
        self.answers: list[str] = []
        """What the harness has got."""
        self._target = urlsplit(target)

    @property
    def url(self) -> str:
        return self.origin + self._target.path

    def heard(self) -> int:
        """How many answers told the harness of a list change."""
        return sum(LIST_CHANGED in answer for answer in list(self.answers))

    def forward(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of Graft's answer."""
        with closing(HTTPConnection(self._target.netloc, timeout=RELAY_SECONDS)) as graft:
            graft.request(method, path, body=body or None, headers=headers)
            response = graft.getresponse()
            return response.status, _others(dict(response.getheaders())), response.read()


def _others(headers: dict[str, str]) -> dict[str, str]:
    """The headers that mean the same on the other side."""
    return {name: value for name, value in headers.items() if name.lower() not in OWN_HEADERS}


class _Handler(Handler):
    owner: ClassVar[Wire]

    def _relay(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, headers, content = self.owner.forward(self.command, self.path, _others(dict(self.headers)), body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.owner.answers.append(content.decode())

    do_GET = do_HEAD = do_POST = do_DELETE = do_OPTIONS = _relay
