"""What a stateless request says of itself in its headers and `params._meta`, and whether the two agree."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

from .answers import CALL
from .http import HttpRequest
from .jsonrpc import HEADER_MISMATCH, INVALID_PARAMS, UNSUPPORTED_VERSION, Incoming, Request, RpcError
from .versions import HANDSHAKE, STATELESS, SUPPORTED

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SENTINEL: Final = re.compile(r"=\?base64\?(.*)\?=")


class EnvelopeError(RpcError):
    """The request's `_meta` lacks what the revision requires: 400 whatever the method."""


def is_stateless(request: HttpRequest, incoming: Incoming) -> bool:
    """Whether this POST is of the stateless era: by its header, or by an envelope that the header contradicts.

    `initialize` without an envelope opens a handshake whatever the header says: there the body negotiates.
    """
    header = request.header("mcp-protocol-version") or None
    envelope = _meta(incoming).get(VERSION_KEY) if isinstance(incoming, Request) else None
    if getattr(incoming, "method", "") == "initialize":
        return envelope is not None
    if envelope is not None and envelope != header:
        return True
    return header is not None and header not in HANDSHAKE


def check_envelope(http: HttpRequest, request: Request) -> None:
    """Raise what the revision demands of a request whose `_meta` or headers are wrong."""
    meta = _meta(request)
    version = meta.get(VERSION_KEY)
    header = http.header("mcp-protocol-version") or STATELESS
    if version is None and header != STATELESS:
        raise unsupported(header)
    if not isinstance(version, str):
        raise EnvelopeError(INVALID_PARAMS, f"params._meta needs {VERSION_KEY}, a string.")
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise EnvelopeError(INVALID_PARAMS, f"params._meta needs {CAPABILITIES_KEY}, an object.")
    if http.header("mcp-protocol-version") != version:
        raise RpcError(HEADER_MISMATCH, f"The header MCP-Protocol-Version is not {VERSION_KEY} of the body.")
    if http.header("mcp-method") != request.method:
        raise RpcError(HEADER_MISMATCH, "The header Mcp-Method is not the body's method.")
    if request.method == CALL and not _names_tool(http.header("mcp-name"), request.params.get("name")):
        raise RpcError(HEADER_MISMATCH, "The header Mcp-Name is not the body's params.name.")
    if version != STATELESS:
        raise unsupported(version)


def capabilities_of(request: Request) -> Mapping[str, Any]:
    """What the client declares with this request, whose envelope was checked."""
    capabilities: Mapping[str, Any] = _meta(request)[CAPABILITIES_KEY]
    return capabilities


def _names_tool(header: str | None, name: Any) -> bool:
    """Whether the header names this tool. A name that is no string is the call's own error."""
    return not isinstance(name, str) or (header is not None and decode_header(header) == name.strip())


def decode_header(value: str) -> str | None:
    """A header's value as it was before it was made fit for a header; None: a broken sentinel."""
    match = SENTINEL.fullmatch(value)
    if match is None:
        return value
    try:
        decoded = base64.b64decode(match[1], validate=True)
        text = decoded.decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    return text.strip() if base64.b64encode(decoded).decode() == match[1] else None


def harness_of(request: Request) -> tuple[str, str] | None:
    """The (name, version) that the client gives itself with this request; None: it gives none."""
    return announced(_meta(request).get(CLIENT_KEY))


def announced(client_info: object) -> tuple[str, str] | None:
    """The (name, version) of a `clientInfo`; anything malformed announces nothing."""
    if not isinstance(client_info, Mapping):
        return None
    name, version = client_info.get("name"), client_info.get("version", "")
    return (name, version) if isinstance(name, str) and isinstance(version, str) and name else None


def _meta(request: Request) -> Mapping[str, Any]:
    meta = request.params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def unsupported(requested: str) -> RpcError:
    data = {"supported": list(SUPPORTED), "requested": requested}
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
