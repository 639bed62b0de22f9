"""Answers as `tools/call` carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Json, JsonObject

from .jsonrpc import encode, encode_text, notification_message


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered, before it is packed."""

    value: Json
    is_error: bool = False
    moved_list: bool = False
    """Whether this very call changed what `tools/list` answers."""


@dataclass(frozen=True, slots=True)
class PlainResult:
    """A result in MCP's own members, for a fixed tool whose answer is not JSON alone (an image, an embedded resource).

    `notices` are notifications (method, params) for the client that reads events: they go before the result, with it.
    """

    members: JsonObject
    notices: tuple[tuple[str, JsonObject], ...] = ()
    moved_list: bool = False


@dataclass(frozen=True, slots=True)
class InputRequired:
    """What a fixed tool needs from the client before it can answer: requests of the protocol, each under a key.

    `memory` comes back with the answers. It can be read on the way, and not changed.
    """

    asks: Mapping[str, JsonObject]
    memory: Json = None


Answered: TypeAlias = ToolAnswer | PlainResult | InputRequired


def pack(answer: ToolAnswer | PlainResult, closing: bytes = b"") -> bytes:
    """The result of a `tools/call`: one text block with the bare JSON, and the same as an object.

    `closing` is what the protocol revision adds, as JSON members that begin with a comma.
    """
    if isinstance(answer, PlainResult):
        return encode(answer.members)[:-1] + closing + b"}"
    text = encode(encode_text(answer.value))
    structured = answer.value if isinstance(answer.value, Mapping) else {"result": answer.value}
    is_error = b"true" if answer.is_error else b"false"
    return b'{"content":[{"type":"text","text":%b}],"structuredContent":%b,"isError":%b%b}' % (
        text,
        encode(structured),
        is_error,
        closing,
    )


def packed_notices(answer: ToolAnswer | PlainResult) -> tuple[bytes, ...]:
    notices = answer.notices if isinstance(answer, PlainResult) else ()
    return tuple(notification_message(method, params) for method, params in notices)


def refused(refusal: Refusal) -> ToolAnswer:
    """The one place where a refusal becomes a tool's answer."""
    stated = {"error": "refused", "reason": refusal.reason.value, "message": refusal.message}
    extra = {key: value for key, value in refusal.details.items() if key not in stated}
    return ToolAnswer(stated | extra, is_error=True)


def broken(log_id: str) -> ToolAnswer:
    """What a caller hears of an exception that nobody foresaw: where to find it, and nothing of it."""
    message = f"Something went wrong inside Graft. Repeat the call once; if it fails again, report log id {log_id}."
    return refused(Refusal(Reason.INTERNAL, message, {"logId": log_id}))


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and Z."""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


def without_none(**members: Any) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not None}
