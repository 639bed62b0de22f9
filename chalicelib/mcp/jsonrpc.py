"""JSON-RPC 2.0 messages: what a POST body holds, and the answers to it.

https://www.jsonrpc.org/specification, narrowed by MCP: an id is a string or an integer, params an object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import JSONEncoder
from typing import Any, Final, TypeAlias

from .reading import Unreadable, read_json, salvage

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
UNAUTHORIZED: Final = -32003
ORIGIN_REFUSED: Final = -32004
RATE_LIMITED: Final = -32005
HEADER_MISMATCH: Final = -32020
MISSING_CAPABILITY: Final = -32021
UNSUPPORTED_VERSION: Final = -32022

RequestId: TypeAlias = int | str


class RpcError(Exception):
    """An answer in JSON-RPC's own error form. `message` is for the caller."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True, slots=True)
class Request:
    id: RequestId
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Notification:
    """A message nobody waits for, a posted response included."""

    method: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message that is none, or one that could not be read. `id` and `method` are what could be told of it."""

    id: RequestId | None
    method: str
    error: RpcError


@dataclass(frozen=True, slots=True)
class Batch:
    messages: tuple[Request | Notification | Malformed, ...]


Message: TypeAlias = Request | Notification | Malformed
Incoming: TypeAlias = Message | Batch


def read(body: bytes) -> Incoming:
    """What this body holds. Never raises."""
    try:
        value = read_json(body)
    except Unreadable as unreadable:
        request_id, method = salvage(body)
        return Malformed(request_id, method, RpcError(PARSE_ERROR, unreadable.message))
    if isinstance(value, list):
        return Batch(tuple(_message(item) for item in value))
    return _message(value)


def _message(value: Any) -> Message:
    if not isinstance(value, dict):
        return _invalid(None, "", "A JSON-RPC message is an object.")
    method = value.get("method")
    request_id = value.get("id")
    known_id = request_id if _is_id(request_id) else None
    if value.get("jsonrpc") != "2.0":
        return _invalid(known_id, method, 'A JSON-RPC message has "jsonrpc": "2.0".')
    if method is None and ("result" in value or "error" in value):
        return Notification("")
    if not isinstance(method, str):
        return _invalid(known_id, "", "A JSON-RPC message names its method as a string.")
    if "id" not in value:
        return Notification(method)
    if known_id is None:
        return _invalid(None, method, "A request's id is a string or an integer.")
    params = value.get("params")
    if params is not None and not isinstance(params, dict):
        return Malformed(known_id, method, RpcError(INVALID_PARAMS, "params must be an object."))
    return Request(known_id, method, params or {})


def _is_id(value: Any) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _invalid(request_id: RequestId | None, method: Any, message: str) -> Malformed:
    return Malformed(request_id, method if isinstance(method, str) else "", RpcError(INVALID_REQUEST, message))


_ascii = JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_text = JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False, ensure_ascii=False)


def encode(value: Any) -> bytes:
    """Compact ASCII JSON. Raises TypeError, ValueError or RecursionError for what JSON cannot carry."""
    return _ascii.encode(value).encode("ascii")


def encode_text(value: Any) -> str:
    """Compact JSON as a reader sees it: letters of every script as themselves."""
    return _text.encode(value)


def result_message(request_id: RequestId, result: bytes) -> bytes:
    """The response that carries a result which is JSON already."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode(request_id), result)


def error_message(request_id: RequestId | None, error: RpcError) -> bytes:
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return encode({"jsonrpc": "2.0", "id": request_id, "error": body})


def notification_message(method: str, params: Mapping[str, Any] | None = None) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return encode(message if params is None else message | {"params": params})
