"""Fires a scheduled handler of app.py as EventBridge does."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any


class Context:
    """What a Lambda context says that our handlers ask for."""

    def __init__(self, seconds: float) -> None:
        self._milliseconds = int(seconds * 1000)

    def get_remaining_time_in_millis(self) -> int:
        return self._milliseconds


def fire(handler: Callable[[dict[str, Any], Context], Any], *, seconds: float) -> Any:
    """Call a handler with the event of a schedule that is due now, and so many seconds to answer."""
    event = {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": "us-east-1",
        "resources": [],
        "detail": {},
    }
    return handler(event, Context(seconds))
