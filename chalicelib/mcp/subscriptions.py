"""`subscriptions/listen`: one short look at the list, as a finished stream.

The answer is buffered whole and a client waits for all of it, so the hold is short. This era has no session and so
nothing that was seen before: the list is compared with itself as it was when the request came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from chalicelib.services import identity, list_changes

from .events import event
from .jsonrpc import INVALID_PARAMS, Request, RpcError, encode, notification_message, result_message

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

HOLD_SECONDS: Final = 0.4
READS: Final = 2
SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"


def listen(
    deps: Deps,
    caller: Caller,
    request: Request,
    result_meta: Mapping[str, Any],
    pause: Callable[[float], None] | None,
) -> bytes:
    """The stream of one subscription, from acknowledgement to result; the bare result if there is no `pause`.

    Raises RpcError for a request without a filter.
    """
    wanted = request.params.get("notifications")
    if not isinstance(wanted, dict):
        raise RpcError(INVALID_PARAMS, "subscriptions/listen needs notifications, an object.")
    tag = {SUBSCRIPTION_KEY: request.id}
    result = result_message(request.id, encode({"resultType": "complete", "_meta": {**result_meta, **tag}}))
    if pause is None:
        return result
    honoured = {"toolsListChanged": True} if wanted.get("toolsListChanged") is True else {}
    acknowledged = {"notifications": honoured, "_meta": tag}
    frames = [notification_message("notifications/subscriptions/acknowledged", acknowledged)]
    if honoured and _moves_meanwhile(deps, caller, pause):
        frames.append(notification_message("notifications/tools/list_changed", {"_meta": tag}))
    return b"".join(event(frame) for frame in [*frames, result])


def _moves_meanwhile(deps: Deps, caller: Caller, pause: Callable[[float], None]) -> bool:
    """Whether the list moves while the stream is held open: at most two reads, and no longer than it takes."""
    seen = list_changes.current(deps, caller)
    for _ in range(READS):
        pause(HOLD_SECONDS / READS)
        caller = identity.refresh(deps, caller)
        if list_changes.has_moved(deps, caller, seen):
            return True
    return False
