"""The emulator's HTTP door: DynamoDB's JSON protocol and a sign of life, for programs of this machine only.

Anything a web page could send is refused: a page open in the user's browser reaches loopback too, and ministack's own
door answers it with `Access-Control-Allow-Origin: *`. `GET /` answers which process this is.
"""

import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from infra.local.emulator_tables import OFFERED, Answer, Tables

PROTOCOL = "DynamoDB_20120810."
BODY_LIMIT_BYTES = 20 * 1024 * 1024
"""Above DynamoDB's own limit of 16 MB for a batch."""
ACCOUNT = "000000000000"
LOOPBACK_NAMES = {"127.0.0.1", "localhost"}

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

logger = logging.getLogger("graft.emulator")

_CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/\d+/([a-z0-9-]+)/")


class TooLarge(Exception):
    """The body is over BODY_LIMIT_BYTES."""


class Door:
    """An ASGI application over `Tables`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.closed = False
        """Once true, nothing is answered any more: there is no journal to keep it."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            status, headers, body = await self._answer(scope, receive)
            headers["content-length"] = str(len(body))
            await send({"type": "http.response.start", "status": status, "headers": _encoded(headers)})
            await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Message, receive: Receive) -> Answer:
        headers = _decoded(scope["headers"])
        if not _is_program(headers):
            return _error(403, "AccessDeniedException", "The local emulator does not answer web pages.")
        if scope["method"] == "GET" and scope["path"] == "/":
            return 200, {"content-type": "application/json"}, json.dumps({"pid": os.getpid()}).encode()
        protocol, _, action = headers.get("x-amz-target", "").partition(".")
        if f"{protocol}." != PROTOCOL or action not in OFFERED:
            return _error(400, "UnknownOperationException", "The local emulator does not offer this operation.")
        try:
            return await self._pass_on(action, headers, await _read_body(receive))
        except TooLarge:
            return _error(413, "RequestEntityTooLarge", f"The request is over {BODY_LIMIT_BYTES} bytes.")

    async def _pass_on(self, action: str, headers: Mapping[str, str], body: bytes) -> Answer:
        if self.closed:
            return _error(503, "ServiceUnavailable", "The local emulator is stopping.")
        try:
            return await self._tables.answer(action, *_tenant(headers), headers, body)
        except Exception:
            logger.exception("%s failed", action)
            return _error(500, "InternalServerError", "The local emulator failed; its log says why.")


def _is_program(headers: Mapping[str, str]) -> bool:
    """A browser names an origin or the page's site; a name that is not loopback's was rebound to it."""
    name = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
    return name in LOOPBACK_NAMES and not {"origin", "sec-fetch-site"} & headers.keys()


def _tenant(headers: Mapping[str, str]) -> tuple[str, str]:
    """Account and region of a signed request: an access key of twelve digits names its account."""
    match = _CREDENTIAL.search(headers.get("authorization", ""))
    if match is None:
        return ACCOUNT, "us-east-1"
    key, region = match.groups()
    return (key if re.fullmatch(r"\d{12}", key) else ACCOUNT), region


async def _read_body(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    more = True
    while more:
        message = await receive()
        chunks.append(message.get("body", b""))
        more = message.get("more_body", False)
        if sum(map(len, chunks)) > BODY_LIMIT_BYTES:
            raise TooLarge
    return b"".join(chunks)


async def _live(receive: Receive, send: Send) -> None:
    """ASGI's lifespan protocol; there is nothing to do in it."""
    while True:
        phase = (await receive())["type"]
        await send({"type": f"{phase}.complete"})
        if phase == "lifespan.shutdown":
            return


def _error(status: int, kind: str, message: str) -> Answer:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{kind}", "message": message})
    return status, {"content-type": "application/x-amz-json-1.0", "x-amzn-errortype": kind}, body.encode()


def _decoded(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
