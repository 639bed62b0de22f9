"""`/mcp`: one HTTP request in, one finished HTTP answer out. Both protocol eras, and nothing kept between requests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Unauthorized
from chalicelib.services import identity, trail
from chalicelib.services.trail import Trail

from . import envelope, handshake, jsonrpc, request_lines, stateless
from .answers import Era, broke
from .catalogue import GRAFT, Catalogue
from .http import HttpRequest, HttpResponse, json_response
from .jsonrpc import Batch, Incoming, Malformed, Notification, RpcError, error_message
from .origin import PREFLIGHT, is_bad_origin, is_loopback_url, with_cors
from .session import find_session
from .versions import STATELESS

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps

PROBED: Final = json_response(b"")
"""HEAD. Hermes asks before it connects and gives MCP 1.5 s in all, so nothing is looked up."""
NOT_ALLOWED: Final = json_response(
    error_message(None, RpcError(jsonrpc.INVALID_REQUEST, "Send JSON-RPC messages by POST.")),
    status=405,
    headers={"Allow": "POST, HEAD, OPTIONS"},
)
FORBIDDEN: Final = json_response(
    error_message(None, RpcError(jsonrpc.ORIGIN_REFUSED, "This origin may not talk to this server.")), status=403
)
UNAUTHORIZED: Final = json_response(
    error_message(None, RpcError(jsonrpc.UNAUTHORIZED, "Send Authorization: Bearer with this agent's Graft token.")),
    status=401,
    headers={"WWW-Authenticate": 'Bearer realm="graft"'},
)
METHODS: Final = frozenset({*handshake.METHODS, *stateless.METHODS})


@dataclass(frozen=True, slots=True)
class Door:
    """What every request meets: the services, the fixed tools, and a way to wait so many seconds."""

    deps: Deps
    catalogue: Catalogue
    pause: Callable[[float], None]


def handle(
    deps: Deps,
    request: HttpRequest,
    *,
    pause: Callable[[float], None] = time.sleep,
    catalogue: Catalogue = GRAFT,
) -> HttpResponse:
    """Answer one request to `/mcp`. Never raises, never answers 5xx. `pause` waits so many seconds."""
    started = time.perf_counter()
    with trail.following(Trail(request.id or os.urandom(8).hex())) as followed:
        response = with_cors(_route(Door(deps, catalogue, pause), request))
        ms = (time.perf_counter() - started) * 1000
        request_lines.write(followed, request, response, ms, METHODS)
    return response


def _route(door: Door, request: HttpRequest) -> HttpResponse:
    if request.method == "HEAD":
        return PROBED
    if request.method == "OPTIONS":
        return PREFLIGHT
    if is_bad_origin(request, is_loopback=is_loopback_url(door.deps.settings.public_base_url)):
        return FORBIDDEN
    try:
        match request.method:
            case "POST":
                return _post(door, request)
            case "GET":
                return _get(door.deps, request)
            case _:
                return NOT_ALLOWED
    except Unauthorized:
        return UNAUTHORIZED


def _get(deps: Deps, request: HttpRequest) -> HttpResponse:
    bearer = _bearer(request)
    session = find_session(request.header("mcp-session-id"), bearer)
    if session is None or request.header("mcp-protocol-version") == STATELESS:
        return NOT_ALLOWED
    from .polling import poll

    return poll(deps, request, session, bearer)


def _post(door: Door, request: HttpRequest) -> HttpResponse:
    deps, catalogue = door.deps, door.catalogue
    bearer = _bearer(request)
    if not bearer:
        raise Unauthorized
    incoming = jsonrpc.read(request.body)
    stateless_era = envelope.is_stateless(request, incoming)
    session = None if stateless_era else find_session(request.header("mcp-session-id"), bearer)
    try:
        caller = identity.identify(deps, bearer, session.id if session else None)
        if stateless_era:
            return stateless.serve(stateless.Exchange(deps, request, caller, door.pause, catalogue), incoming)
        return handshake.serve(handshake.Exchange(deps, request, caller, session, catalogue), incoming)
    except Unauthorized:
        raise
    except Exception as error:
        return _unavailable(stateless.ERA if stateless_era else handshake.ERA, incoming, error)


def _unavailable(era: Era, incoming: Incoming, error: Exception) -> HttpResponse:
    """The table could not be asked who is calling, or what that caller's facts are now."""
    if isinstance(incoming, (Batch, Notification)):
        incoming = Malformed(None, "", RpcError(jsonrpc.INTERNAL_ERROR, ""))
    answered = broke(era, incoming, error)
    trail.current().end_message(incoming.method)
    return json_response(answered.body, status=answered.status)


def _bearer(request: HttpRequest) -> str:
    """The presented bearer token (RFC 6750 §2.1); empty: none, or another scheme."""
    scheme, _, token = (request.header("authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
