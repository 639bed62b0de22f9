"""Answers as `tools/call` carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Json

from .jsonrpc import encode, encode_text


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered, before it is packed."""

    value: Json
    is_error: bool = False
    moved_list: bool = False
    """Whether this very call changed what `tools/list` answers."""


def pack(answer: ToolAnswer, closing: bytes = b"") -> bytes:
    """The result of a `tools/call`: one text block with the bare JSON, and the same as an object.

    `closing` is what the protocol revision adds, as JSON members that begin with a comma.
    """
    text = encode(encode_text(answer.value))
    structured = answer.value if isinstance(answer.value, Mapping) else {"result": answer.value}
    is_error = b"true" if answer.is_error else b"false"
    return b'{"content":[{"type":"text","text":%b}],"structuredContent":%b,"isError":%b%b}' % (
        text,
        encode(structured),
        is_error,
        closing,
    )


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
