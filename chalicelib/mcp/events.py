"""Server-sent events, each answer a finished stream.

https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

from typing import Final

from .jsonrpc import notification_message

LIST_CHANGED: Final = notification_message("notifications/tools/list_changed")


def event(data: bytes) -> bytes:
    """One message. Without an id: a POST body that ends in an error must not look resumable."""
    return b"data: %b\n\n" % data


def polled(event_id: str, retry_ms: int, *, data: bytes | None) -> bytes:
    """What a poll hears: where it stands, when to ask again, and a message or (`data` empty) none.

    None leaves the data field out, for clients that would take an empty one for a broken message.
    """
    lines = b"id: %b\nretry: %d\n" % (event_id.encode("ascii"), retry_ms)
    return lines + (b"\n" if data is None else b"data: %b\n\n" % data)


def retry_later(retry_ms: int) -> bytes:
    """Nothing could be told this time; the client keeps its place and asks again."""
    return b"retry: %d\n\n" % retry_ms
