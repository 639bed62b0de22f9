"""What DynamoDB does under load and no emulator does: conflicts, throttling, and answers that get lost.

Hooks of botocore, on one client each: they answer instead of the network, or drop an answer after the write took
effect, or stop the process between two requests.
"""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError

PLAIN_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
WRITES: Final = PLAIN_WRITES | {"TransactWriteItems"}
CONFLICTS: Final = 0.2
THROTTLED: Final = 0.1
UNPROCESSED: Final = 0.3
LOST: Final = 0.2

Answer = Callable[[AWSPreparedRequest, str], AWSResponse | None]


class Faults:
    """Injects into one client. `counts`: how often each fault was injected."""

    def __init__(self, client: Any, *, seed: int) -> None:
        self._random = random.Random(seed)
        self._lock = Lock()
        self._client = client
        self.counts: dict[str, int] = {}
        self._wanted: list[tuple[str, float, Answer]] = []
        client.meta.events.register("before-send.dynamodb", self._before_send)

    def conflicts(self, share: float = CONFLICTS) -> None:
        """Answer this share of all writes with a transaction conflict."""
        self._wanted.append(("conflict", share, _conflict))

    def throttling(self, share: float = THROTTLED) -> None:
        """Answer this share of all requests, reads too, with a throttling error."""
        self._wanted.append(("throttled", share, self._throttled))

    def unprocessed_keys(self, share: float = UNPROCESSED) -> None:
        """Leave some keys of this share of all batch reads to the caller's next request."""
        self._wanted.append(("unprocessed", share, self._some_unprocessed))

    def lost_answers(self, share: float = LOST) -> None:
        """Let this share of all writes take effect, and close the connection instead of answering."""
        self._wanted.append(("lost", share, self._lost))

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        operation = operation_of(request)
        for name, share, answer in self._wanted:
            if self._roll() >= share:
                continue
            response = answer(request, operation)
            if response is not None:
                self._count(name)
                return response
        return None

    def _roll(self) -> float:
        with self._lock:
            return self._random.random()

    def _count(self, name: str) -> None:
        with self._lock:
            self.counts[name] = self.counts.get(name, 0) + 1

    def _throttled(self, request: AWSPreparedRequest, operation: str) -> AWSResponse | None:
        """A transaction is throttled as a whole, or cancelled because one of its actions was."""
        if operation == "TransactWriteItems" and self._roll() < 0.5:
            return _cancelled(request, "ThrottlingError")
        return _error(request, "ProvisionedThroughputExceededException", {})

    def _some_unprocessed(self, request: AWSPreparedRequest, operation: str) -> AWSResponse | None:
        if operation != "BatchGetItem":
            return None
        body = json.loads(_text(request.body))
        (table, wanted), *_ = body["RequestItems"].items()
        left = [key for key in wanted["Keys"] if self._roll() < 0.5] or wanted["Keys"][:1]
        taken = [key for key in wanted["Keys"] if key not in left]
        answered: dict[str, Any] = {"Responses": {table: []}, "UnprocessedKeys": {}}
        if taken:
            body["RequestItems"][table] = wanted | {"Keys": taken}
            answered = json.loads(send(self._client, _with_body(request, body)).content)
        answered["UnprocessedKeys"] = {table: wanted | {"Keys": left}}
        return _answer(request, 200, answered)

    def _lost(self, request: AWSPreparedRequest, operation: str) -> AWSResponse | None:
        if operation not in WRITES:
            return None
        send(self._client, request)
        self._count("lost")
        raise ConnectionClosedError(endpoint_url=request.url)


class Interruption:
    """Calls `act` once: right before the first request of `operation` that this client sends with `about` in it."""

    def __init__(self, client: Any, operation: str, about: str, act: Callable[[], object]) -> None:
        self._operation = operation
        self._about = about
        self._act: Callable[[], object] | None = act
        client.meta.events.register_first("before-send.dynamodb", self._before_send)

    @property
    def happened(self) -> bool:
        return self._act is None

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> None:
        act = self._act
        if act is not None and operation_of(request) == self._operation and self._about in _text(request.body):
            self._act = None
            act()


class Meanwhile:
    """Calls `act` once: right before the `at`-th request that this client sends."""

    def __init__(self, client: Any, at: int, act: Callable[[], object]) -> None:
        self._left = at
        self._act = act
        self._lock = Lock()
        client.meta.events.register_first("before-send.dynamodb", self._before_send)

    @property
    def happened(self) -> bool:
        return self._left <= 0

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> None:
        with self._lock:
            self._left -= 1
            now = self._left == 0
        if now:
            self._act()


class LostAnswer:
    """Loses one answer: that to the `at`-th write that this client sends, which takes effect."""

    def __init__(self, client: Any, at: int) -> None:
        self._client = client
        self._left = at
        self._lock = Lock()
        client.meta.events.register_first("before-send.dynamodb", self._before_send)

    @property
    def happened(self) -> bool:
        return self._left <= 0

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> None:
        if operation_of(request) not in WRITES:
            return
        with self._lock:
            self._left -= 1
            lost = self._left == 0
        if lost:
            send(self._client, request)
            raise ConnectionClosedError(endpoint_url=request.url)


class Death:
    """`kill -9` of this process at the `at`-th request of a client: before it is sent, or after it was answered."""

    def __init__(self, client: Any, at: int, *, after: bool) -> None:
        self._client = client
        self._left = at
        self._after = after
        self._lock = Lock()
        client.meta.events.register_first("before-send.dynamodb", self._before_send)

    def _before_send(self, request: AWSPreparedRequest, **_: Any) -> None:
        with self._lock:
            self._left -= 1
            last = self._left == 0
        if last:
            if self._after:
                send(self._client, request)
            os.kill(os.getpid(), signal.SIGKILL)


def operation_of(request: AWSPreparedRequest) -> str:
    return _text(request.headers["X-Amz-Target"]).rpartition(".")[2]


def send(client: Any, request: AWSPreparedRequest) -> AWSResponse:
    """What botocore does with a request when no hook answers it."""
    response: AWSResponse = client._endpoint.http_session.send(request)
    return response


def _conflict(request: AWSPreparedRequest, operation: str) -> AWSResponse | None:
    if operation in PLAIN_WRITES:
        return _error(request, "TransactionConflictException", {})
    if operation != "TransactWriteItems":
        return None
    return _cancelled(request, "TransactionConflict")


def _cancelled(request: AWSPreparedRequest, code: str) -> AWSResponse:
    actions = len(json.loads(_text(request.body))["TransactItems"])
    reasons = [{"Code": code}] + [{"Code": "None"}] * (actions - 1)
    return _error(request, "TransactionCanceledException", {"CancellationReasons": reasons})


def _with_body(request: AWSPreparedRequest, body: dict[str, Any]) -> AWSPreparedRequest:
    content = json.dumps(body).encode()
    headers = HTTPHeaders()
    for name, value in request.headers.items():
        headers[name] = value
    headers.replace_header("Content-Length", str(len(content)))
    return AWSPreparedRequest(request.method, request.url, headers, content, request.stream_output)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _error(request: AWSPreparedRequest, code: str, more: dict[str, Any]) -> AWSResponse:
    return _answer(request, 400, {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code, **more})


def _answer(request: AWSPreparedRequest, status: int, body: dict[str, Any]) -> AWSResponse:
    headers = HTTPHeaders()
    headers["Content-Type"] = "application/x-amz-json-1.0"
    return _Injected(request.url, status, headers, json.dumps(body).encode())


class _Injected(AWSResponse):
    """An answer that no network has seen."""

    def __init__(self, url: str, status: int, headers: HTTPHeaders, body: bytes) -> None:
        super().__init__(url, status, headers, None)
        self._body = body

    @property
    def content(self) -> bytes:
        return self._body
