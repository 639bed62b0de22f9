"""A vendor call that passed every rule that needs no network."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import READING_METHODS, WRITING_METHODS, Connection, VendorRequest
from chalicelib.proxy.headers import Headers, carried
from chalicelib.proxy.hosts import Host, HostRules, parse_host
from chalicelib.proxy.params import without
from chalicelib.proxy.paths import build_target
from chalicelib.proxy.schemes import scheme_named

METHODS: Final = READING_METHODS | WRITING_METHODS
BODY_MAX: Final = 5 * 1024 * 1024
"""Bytes of a request body."""


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    scheme: str
    """`https`, or `http` to a local host."""
    host: Host
    target: str
    """Path and query, encoded for the request line, without the credential."""
    headers: Headers
    """The module's own, without the credential."""
    body: bytes | None = field(default=None, repr=False)
    own_params: frozenset[str] = frozenset()
    """The connection's own query parameters, in comparable form: neither module nor redirect sets them."""


def rules_of(connection: Connection, local: frozenset[Host]) -> HostRules:
    declared = dict.fromkeys(parse_host(text) for text in (connection.primary_host, *connection.hosts))
    return HostRules(declared=tuple(declared), local=local)


def judge(connection: Connection, request: VendorRequest, rules: HostRules) -> Call:
    """The call as it may go out. Refuses `host_not_allowed`, `method_not_declared` or `tool_failed`."""
    if request.method not in METHODS:
        message = f"{request.method[:20]!a} is not a method a tool can use ({', '.join(sorted(METHODS))})."
        raise Refusal(Reason.METHOD_NOT_DECLARED, message)
    host = parse_host(connection.primary_host if request.host is None else request.host)
    scheme = rules.scheme_for(host)
    rules.require(host, scheme)
    known = scheme_named(connection.scheme)
    own_params = known.own_params(connection.scheme_config)
    return Call(
        method=request.method,
        scheme=scheme,
        host=host,
        target=without(build_target(request.path, request.params), own_params),
        headers=carried(request.headers, known.own_headers(connection.scheme_config)),
        body=None if request.method in READING_METHODS else _encoded(request.body),
        own_params=own_params,
    )


def _encoded(body: str | None) -> bytes:
    try:
        encoded = (body or "").encode()
    except UnicodeEncodeError:
        message = "The body holds half of a surrogate pair, which UTF-8 cannot carry."
        raise Refusal(Reason.TOOL_FAILED, message) from None
    if len(encoded) > BODY_MAX:
        raise Refusal(Reason.TOOL_FAILED, f"A request body has at most {BODY_MAX} bytes; this one has {len(encoded)}.")
    return encoded
