"""What DynamoDB does under load and no emulator does: conflicts, throttling, and answers that get lost.

Hooks of botocore: they answer instead of the network, or drop an answer after the write took effect.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

PLAIN_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
Answer = Callable[[AWSPreparedRequest, str], AWSResponse | None]


class Faults:
    """Injects into one client. `counts`: how often each fault was injected."""

    def __init__(self, client: Any, *, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._lock = Lock()
        self._client = client
        self.counts: dict[str, int] = {}
        self._wanted: list[tuple[str, float, Answer]] = []
        client.meta.events.register("before-send.dynamodb", self._before_send)

    def conflicts(self, share: float) -> None:
        """Answer this share of all writes with a transaction conflict."""
        self._wanted.append(("conflict", share, _conflict))

    def throttling(self, share: float) -> None:
        """Answer this share of all requests, reads too, with a throttling error."""
        self._wanted.append(("throttled", share, _throttled))

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        operation = _text(request.headers["X-Amz-Target"])
        operation = operation.rpartition(".")[2]
        for name, share, answer in self._wanted:
            with self._lock:
                hit = self._random.random() < share
            response = answer(request, operation) if hit else None
            if response is not None:
                self.counts[name] = self.counts.get(name, 0) + 1
                return response
        return None


def _conflict(request: AWSPreparedRequest, operation: str) -> AWSResponse | None:
    if operation in PLAIN_WRITES:
        return _error(request, "TransactionConflictException", {})
    if operation != "TransactWriteItems":
        return None
    actions = len(json.loads(_text(request.body))["TransactItems"])
    reasons = [{"Code": "TransactionConflict"}] + [{"Code": "None"}] * (actions - 1)
    return _error(request, "TransactionCanceledException", {"CancellationReasons": reasons})


def _throttled(request: AWSPreparedRequest, operation: str) -> AWSResponse | None:
    if operation == "CreateTable":
        return None
    return _error(request, "ProvisionedThroughputExceededException", {})


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _error(request: AWSPreparedRequest, code: str, more: dict[str, Any]) -> AWSResponse:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code, **more}).encode()
    headers = HTTPHeaders()
    headers["Content-Type"] = "application/x-amz-json-1.0"
    return _Injected(request.url, headers, body)


class _Injected(AWSResponse):
    """An answer that no network has seen."""

    def __init__(self, url: str, headers: HTTPHeaders, body: bytes) -> None:
        super().__init__(url, 400, headers, None)
        self._body = body

    @property
    def content(self) -> bytes:
        return self._body
