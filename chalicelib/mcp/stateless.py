"""The stateless era: every request says in its headers and `_meta` all that there is to know.

MCP 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from chalicelib.services import presence

from .answers import CALL, LIST, Answer, Era, answer
from .catalogue import Catalogue
from .envelope import EnvelopeError, capabilities_of, check_envelope, harness_of, unsupported
from .events import event
from .http import HttpRequest, HttpResponse, event_stream, json_response
from .jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Batch,
    Incoming,
    Notification,
    Request,
    RpcError,
    encode,
    error_message,
    result_message,
)
from .limiting import find_limit
from .listing import list_tools
from .packing import InputRequired, pack, packed_notices
from .tool_call import read_tool_call
from .versions import CAPABILITIES, SERVER_INFO, STATELESS, SUPPORTED
from .words import INSTRUCTIONS

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

META: Final = {"io.modelcontextprotocol/serverInfo": SERVER_INFO}
CLOSING: Final = b',"resultType":"complete","_meta":%b' % encode(META)
ASKS_BACK: Final = {"resultType": "input_required", "_meta": META}
FRESH: Final = b',"ttlMs":0,"cacheScope":"private"'
"""A positive ttl made two SDKs serve a stale list right after a promote."""

_STATUS: Final = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}
_REFUSES_CALLS: Final = frozenset({HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION})


def _status_of(error: RpcError, method: str) -> int:
    """The statuses that the revision demands; a call that got as far as its tool is never answered 4xx."""
    if method == CALL and error.code not in _REFUSES_CALLS and not isinstance(error, EnvelopeError):
        return 200
    return _STATUS.get(error.code, 200)


ERA: Final = Era(closing=CLOSING, status_of=_status_of)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One POST of this era. `pause` waits so many seconds."""

    deps: Deps
    request: HttpRequest
    caller: Caller
    pause: Callable[[float], None]
    catalogue: Catalogue


def serve(exchange: Exchange, incoming: Incoming) -> HttpResponse:
    """Answer a POST. Raises Unauthorized only."""
    if isinstance(incoming, Notification):
        return _acknowledge(exchange.request, incoming)
    if isinstance(incoming, Batch):
        fault = RpcError(INVALID_REQUEST, f"MCP {STATELESS} has no batches: send each message by itself.")
        return json_response(error_message(None, fault), status=400)
    answered = answer(ERA, incoming, lambda request: _dispatch(exchange, request))
    if answered.headers.get("Content-Type") == "text/event-stream":
        return event_stream(answered.body)
    if answered.notices and exchange.request.accepts_event_stream():
        return event_stream(b"".join(event(frame) for frame in [*answered.notices, answered.body]))
    return json_response(answered.body, status=answered.status, headers=answered.headers)


def _acknowledge(request: HttpRequest, notification: Notification) -> HttpResponse:
    """The revision has no client notifications over HTTP, but clients send some; nothing waits for them."""
    requested = request.header("mcp-protocol-version") or ""
    if requested not in SUPPORTED:
        return json_response(error_message(None, unsupported(requested)), status=400)
    if not notification.method:
        return json_response(error_message(None, RpcError(INVALID_REQUEST, "No response was asked for.")), status=400)
    return HttpResponse(202, {})


def _dispatch(exchange: Exchange, request: Request) -> Answer:
    check_envelope(exchange.request, request)
    limit = find_limit(exchange.deps, exchange.caller, request)
    if limit is not None:
        return limit
    method = METHODS.get(request.method)
    if method is None:
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {request.method[:80]!r} in MCP {STATELESS} here.")
    if request.method == LIST:
        return method(exchange, request)
    return presence.beside(
        exchange.deps, exchange.caller, lambda: method(exchange, request), harness=harness_of(request)
    )


def _discover(_exchange: Exchange, request: Request) -> Answer:
    result: dict[str, Any] = {
        "supportedVersions": list(SUPPORTED),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }
    return Answer(result_message(request.id, encode(result)[:-1] + FRESH + CLOSING + b"}"))


def _list_tools(exchange: Exchange, request: Request) -> Answer:
    closing = FRESH + CLOSING
    result = list_tools(
        exchange.deps,
        exchange.caller,
        request.params,
        closing,
        catalogue=exchange.catalogue,
        harness=harness_of(request),
    )
    return Answer(result_message(request.id, result))


def _call_tool(exchange: Exchange, request: Request) -> Answer:
    from .asking_back import input_required, with_answers  # here: the first list of a process waits for none of it
    from .calls import call_tool

    bearer, now = exchange.caller.token, exchange.deps.now()
    call = replace(read_tool_call(request.params), capabilities=capabilities_of(request))
    call = with_answers(call, request.params, bearer=bearer, now=now)
    called = call_tool(exchange.deps, exchange.caller, call, exchange.catalogue)
    if isinstance(called, InputRequired):
        result = ASKS_BACK | input_required(called, call, bearer=bearer, now=now)
        return Answer(result_message(request.id, encode(result)))
    return Answer(result_message(request.id, pack(called, CLOSING)), notices=packed_notices(called))


def _listen(exchange: Exchange, request: Request) -> Answer:
    from .subscriptions import listen

    streams = exchange.request.accepts_event_stream()
    body = listen(exchange.deps, exchange.caller, request, META, exchange.pause if streams else None)
    return Answer(body, headers={"Content-Type": "text/event-stream"} if streams else {})


Method: TypeAlias = Callable[[Exchange, Request], Answer]
METHODS: Final[dict[str, Method]] = {
    "server/discover": _discover,
    LIST: _list_tools,
    CALL: _call_tool,
    "subscriptions/listen": _listen,
}
