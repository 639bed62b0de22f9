"""`tools/call`: by name to a fixed tool or a promoted one, and whatever comes of it to an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalicelib.errors import Conflict, Reason, Refusal
from chalicelib.services import pace, runs, toolbox, trail

from .arguments import check_arguments, with_schema
from .jsonrpc import INVALID_PARAMS, RpcError
from .meta_tools import outcome_answer
from .packing import Answered, refused

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

    from .catalogue import Action, Catalogue
    from .meta_tool import MetaTool
    from .tool_call import ToolCall


def call_tool(deps: Deps, caller: Caller, call: ToolCall, catalogue: Catalogue) -> Answered:
    """Run a tool and answer. Raises RpcError for a call that names no listed tool."""
    try:
        pace.refuse_when_spent(caller.agent, deps.now())
        return _dispatch(deps, caller, call, catalogue)
    except Refusal as refusal:
        return refused(_noted(refusal))
    except Conflict as conflict:
        return refused(_noted(busy(conflict)))


def _noted(refusal: Refusal) -> Refusal:
    trail.message().outcome = refusal.reason.value
    return refusal


def busy(conflict: Conflict) -> Refusal:
    """The table was too busy: nothing is broken, and the same call can go through in a moment."""
    message = f"Graft is busy: {conflict}. Repeat the call."
    return Refusal(Reason.RATE_LIMITED, message, {"retryAfterSeconds": 1})


def _dispatch(deps: Deps, caller: Caller, call: ToolCall, catalogue: Catalogue) -> Answered:
    fixed = catalogue.find(call.name)
    if fixed is not None:
        trail.message().tool = fixed.name
        check_arguments(fixed, call.arguments)
        return _act(deps, caller, call, fixed, catalogue.actions()[fixed.name])
    promoted = runs.find_promoted(caller, call.name)
    if promoted is None:
        raise RpcError(INVALID_PARAMS, toolbox.explain_unlisted(deps, caller, call.name))
    trail.message().tool = "__".join(promoted)
    return outcome_answer(call, runs.call(deps, caller, *promoted, call.arguments))


def _act(deps: Deps, caller: Caller, call: ToolCall, fixed: MetaTool, action: Action) -> Answered:
    try:
        return action(deps, caller, call)
    except Refusal as refusal:
        raise with_schema(fixed, refusal) from None
