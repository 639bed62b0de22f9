"""The answer to one JSON-RPC message, and the one place where what went wrong becomes one."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from chalicelib.errors import Reason, Refusal, Unauthorized
from chalicelib.services import trail

from .jsonrpc import INTERNAL_ERROR, Malformed, Request, RequestId, RpcError, error_message, result_message
from .packing import broken, pack

CALL: Final = "tools/call"
LIST: Final = "tools/list"

log = logging.getLogger("graft.mcp")


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON-RPC response and how HTTP carries it."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    moved_list: bool = False
    """Whether this message changed what `tools/list` answers."""
    notices: tuple[bytes, ...] = ()
    """Notifications that go before the response, to a client that reads events."""


@dataclass(frozen=True, slots=True)
class Era:
    """How one of the two eras says the same things."""

    closing: bytes
    """The members that end every result, beginning with a comma."""
    status_of: Callable[[RpcError, str], int]
    """The HTTP status of an error, by the method it answers."""


def answer(era: Era, message: Request | Malformed, serve: Callable[[Request], Answer]) -> Answer:
    """Serve a message, whatever happens. Only Unauthorized comes through: it is no JSON-RPC matter."""
    answered = _answer(era, message, serve)
    trail.current().end_message(message.method)
    return answered


def _answer(era: Era, message: Request | Malformed, serve: Callable[[Request], Answer]) -> Answer:
    if isinstance(message, Malformed):
        return failed(era, message.id, message.method, message.error)
    try:
        return serve(message)
    except RpcError as error:
        return failed(era, message.id, message.method, error)
    except Refusal as refusal:
        trail.message().outcome = refusal.reason.value
        return failed(era, message.id, message.method, RpcError(INTERNAL_ERROR, refusal.message))
    except Unauthorized:
        raise
    except Exception as error:
        return broke(era, message, error)


def failed(era: Era, request_id: RequestId | None, method: str, error: RpcError) -> Answer:
    message = trail.message()
    message.outcome = message.outcome or str(error.code)
    return Answer(error_message(request_id, error), era.status_of(error, method))


def broke(era: Era, message: Request | Malformed, error: Exception) -> Answer:
    """What nobody foresaw: the trace goes to the log, and the caller gets an id to find it by.

    A call gets a tool's answer, since a harness may hang on anything else; a list gets an error, never an empty list.
    """
    log_id = os.urandom(6).hex()
    served = trail.message()
    served.outcome, served.log_id = Reason.INTERNAL.value, log_id
    log.error("a request failed, log id %s", log_id, exc_info=error)
    if message.method == CALL and message.id is not None:
        return Answer(result_message(message.id, pack(broken(log_id), era.closing)))
    stated = RpcError(INTERNAL_ERROR, f"Something went wrong inside Graft (log id {log_id}). Try again.")
    return failed(era, message.id, message.method, stated)
