"""What an agent hears at the door while its rate is spent, beside its calls (`calls`), which get a tool's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason
from chalicelib.services import pace, trail

from .answers import CALL, Answer
from .jsonrpc import RATE_LIMITED, Request, RpcError, error_message

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

FREE: Final = frozenset({"initialize", "server/discover", "ping", "logging/setLevel", CALL})
"""What opens a connection and keeps it alive, at no read of its own: refused, a harness would give the server up."""


def find_limit(deps: Deps, caller: Caller, request: Request) -> Answer | None:
    """The 429 that this request gets; None: it is served."""
    wait = pace.seconds_to_wait(caller.agent, deps.now())
    if not wait or request.method in FREE:
        return None
    trail.message().outcome = Reason.RATE_LIMITED.value
    details = {"reason": Reason.RATE_LIMITED.value, "retryAfterSeconds": wait}
    error = RpcError(RATE_LIMITED, f"{pace.describe(wait)}, then ask again.", details)
    return Answer(error_message(request.id, error), 429, {"Retry-After": str(wait)})
