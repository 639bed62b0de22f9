"""One `tools/call` as the tool that is called sees it, whichever era it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chalicelib.model import Json

from .jsonrpc import INVALID_PARAMS, RpcError

NAME_CHARACTERS_MAX: Final = 256


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    arguments: Mapping[str, Any]
    progress_token: int | str | None = None
    """What progress is told under; None: the client wants none."""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    """What the client declared with this very request: empty in the handshake era, which cannot be asked back."""
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The client's answers to what this tool asked back, by the keys it gave."""
    memory: Json = None
    """What the tool kept when it asked back."""


def read_tool_call(params: Mapping[str, Any]) -> ToolCall:
    """Raises RpcError for params that name no tool or hold no arguments."""
    return ToolCall(_name(params), _arguments(params), _progress_token(params))


def _name(params: Mapping[str, Any]) -> str:
    name = params.get("name")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "tools/call needs name, a string.")
    if len(name) > NAME_CHARACTERS_MAX:
        raise RpcError(INVALID_PARAMS, f"No tool has a name of {len(name)} characters. Use find_tool to search.")
    return name


def _arguments(params: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments = params.get("arguments")
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments must be an object.")
    return arguments


def _progress_token(params: Mapping[str, Any]) -> int | str | None:
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, (int, str)) and not isinstance(token, bool) else None
