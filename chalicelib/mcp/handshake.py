"""The handshake era: `initialize`, then requests that may name the session it opened.

MCP 2025-03-26, 2025-06-18 and 2025-11-25.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from chalicelib.services import identity, presence

from . import changes
from .answers import CALL, LIST, Answer, Era, answer
from .catalogue import Catalogue
from .envelope import announced
from .events import LIST_CHANGED, event
from .http import HttpRequest, HttpResponse, event_stream, json_response
from .jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Batch,
    Incoming,
    Malformed,
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
from .session import Session, capability_bits, seal
from .tool_call import read_tool_call
from .versions import ASSUMED, BATCHING, HANDSHAKE, initialize_result, negotiate

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

BATCH_MAX: Final = 20
ACCEPTED: Final = HttpResponse(202, {})
INITIALIZE: Final = "initialize"
NOTES_ITSELF: Final = frozenset({INITIALIZE, LIST})
"""They tell more of the harness than that it was here."""


def _status_of(error: RpcError, method: str) -> int:
    """A harness may hang for its whole time-out on a call that is answered 4xx."""
    return 400 if error.code in (PARSE_ERROR, INVALID_REQUEST) and method != CALL else 200


ERA: Final = Era(closing=b"", status_of=_status_of)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One POST of this era."""

    deps: Deps
    request: HttpRequest
    caller: Caller
    session: Session | None
    """None: no session, or an id that this door never gave to this token. Served all the same."""
    catalogue: Catalogue

    @property
    def version(self) -> str:
        header = self.request.header("mcp-protocol-version")
        if header in HANDSHAKE:
            return header or ASSUMED
        return self.session.version if self.session else ASSUMED


def serve(exchange: Exchange, incoming: Incoming) -> HttpResponse:
    """Answer a POST. Raises Unauthorized, and whatever reading the caller anew in a batch raises."""
    if isinstance(incoming, Notification):
        return ACCEPTED
    if isinstance(incoming, Batch):
        return _serve_batch(exchange, incoming)
    answered = _answer(exchange, incoming)
    if incoming.method == CALL and (frames := _frames_before(exchange, answered)):
        return event_stream(b"".join(event(frame) for frame in [*frames, answered.body]))
    return json_response(answered.body, status=answered.status, headers=answered.headers)


def _serve_batch(exchange: Exchange, batch: Batch) -> HttpResponse:
    fault = _find_batch_fault(exchange, batch)
    if fault is not None:
        return json_response(error_message(None, RpcError(INVALID_REQUEST, fault)), status=400)
    answers: list[bytes] = []
    for message in batch.messages:
        if isinstance(message, Notification):
            continue
        answered = _answer(exchange, message)
        answers.append(answered.body)
        if answered.moved_list:
            exchange = replace(exchange, caller=identity.refresh(exchange.deps, exchange.caller))
    return json_response(b"[%b]" % b",".join(answers)) if answers else ACCEPTED


def _answer(exchange: Exchange, message: Request | Malformed) -> Answer:
    return answer(ERA, message, lambda request: _dispatch(exchange, request))


def _dispatch(exchange: Exchange, request: Request) -> Answer:
    limit = find_limit(exchange.deps, exchange.caller, request)
    if limit is not None:
        return limit
    method = METHODS.get(request.method, _unknown)
    if request.method in NOTES_ITSELF:
        return method(exchange, request)
    return presence.beside(exchange.deps, exchange.caller, lambda: method(exchange, request))


def _find_batch_fault(exchange: Exchange, batch: Batch) -> str | None:
    if exchange.version != BATCHING:
        return f"MCP {exchange.version} has no batches: send each message by itself."
    if not 1 <= len(batch.messages) <= BATCH_MAX:
        return f"A batch holds 1 to {BATCH_MAX} messages, not {len(batch.messages)}."
    if any(isinstance(m, (Request, Malformed)) and m.method == INITIALIZE for m in batch.messages):
        return "initialize is sent by itself, not in a batch."
    return None


def _frames_before(exchange: Exchange, answered: Answer) -> list[bytes]:
    """What the client has to hear with the answer to a call, if it can."""
    if not exchange.request.accepts_event_stream():
        return []
    return [*answered.notices, *([LIST_CHANGED] if _is_change_due(exchange, answered) else [])]


def _is_change_due(exchange: Exchange, answered: Answer) -> bool:
    if answered.moved_list or exchange.session is None:
        return answered.moved_list
    return changes.is_behind(exchange.deps, exchange.caller, changes.seen_by(exchange.caller, exchange.session))


def _initialize(exchange: Exchange, request: Request) -> Answer:
    version = negotiate(request.params.get("protocolVersion"))
    caller = exchange.caller
    session = Session(
        id=exchange.deps.new_id(),
        version=version,
        capabilities=capability_bits(request.params.get("capabilities")),
        list_revision=caller.agent.list_revision,
        toolbox_revision=caller.person.toolbox_revision,
    )
    body = presence.beside(
        exchange.deps,
        caller,
        lambda: result_message(request.id, encode(initialize_result(version))),
        harness=announced(request.params.get("clientInfo")),
    )
    return Answer(body, headers={"Mcp-Session-Id": seal(session, caller.token)})


def _list_tools(exchange: Exchange, request: Request) -> Answer:
    body = result_message(
        request.id, list_tools(exchange.deps, exchange.caller, request.params, catalogue=exchange.catalogue)
    )
    if exchange.session is not None:
        changes.remember(exchange.deps, exchange.caller)
    return Answer(body)


def _call_tool(exchange: Exchange, request: Request) -> Answer:
    from .calls import call_tool  # here: the first list of a process waits for none of it

    called = call_tool(exchange.deps, exchange.caller, read_tool_call(request.params), exchange.catalogue)
    if isinstance(called, InputRequired):
        raise RpcError(INVALID_PARAMS, "This tool asks back, which needs MCP 2026-07-28.")
    body = result_message(request.id, pack(called))
    return Answer(body, moved_list=called.moved_list, notices=packed_notices(called))


def _nothing(_exchange: Exchange, request: Request) -> Answer:
    """`ping`, and `logging/setLevel` from clients that send it to a server that declared no logging."""
    return Answer(result_message(request.id, b"{}"))


def _unknown(_exchange: Exchange, request: Request) -> Answer:
    raise RpcError(METHOD_NOT_FOUND, f"There is no method {request.method[:80]!r} here.")


Method: TypeAlias = Callable[[Exchange, Request], Answer]
METHODS: Final[dict[str, Method]] = {
    INITIALIZE: _initialize,
    "ping": _nothing,
    "logging/setLevel": _nothing,
    LIST: _list_tools,
    CALL: _call_tool,
}
