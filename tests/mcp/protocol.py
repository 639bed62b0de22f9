"""Every message the door sends, held against the SDK's own types (`mcp_types`)."""

from __future__ import annotations

from typing import Any, Final

from mcp_types import methods
from mcp_types.jsonrpc import JSONRPCError, JSONRPCNotification, JSONRPCResponse, jsonrpc_message_adapter

UNTYPED: Final = {"ping", "logging/setLevel"}
"""Their results are empty in the handshake era and they do not exist in the other."""


def check_message(message: Any, *, method: str, version: str) -> None:
    """Raise unless this is a message that a server of `version` may send in answer to `method`."""
    parsed = jsonrpc_message_adapter.validate_python(message)
    assert isinstance(parsed, JSONRPCResponse | JSONRPCError | JSONRPCNotification), message
    if isinstance(parsed, JSONRPCNotification):
        methods.parse_server_notification(parsed.method, version, parsed.params)
    elif isinstance(parsed, JSONRPCResponse) and method not in UNTYPED:
        methods.validate_server_result(method, version, parsed.result)
        methods.parse_server_result(method, version, parsed.result)
