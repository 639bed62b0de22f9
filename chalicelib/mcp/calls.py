"""`tools/call`: by name to a meta-tool or a promoted tool, and whatever comes of it to an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Conflict, Reason, Refusal
from chalicelib.services import runs, toolbox

from .arguments import check_arguments
from .catalogue import find_meta_tool
from .jsonrpc import INVALID_PARAMS, RpcError
from .meta_tools import ACTIONS, outcome_answer
from .packing import ToolAnswer, refused

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.identity import Caller

NAME_CHARACTERS_MAX: Final = 256


def call_tool(deps: Deps, caller: Caller, params: Mapping[str, Any]) -> ToolAnswer:
    """Run a tool and answer. Raises RpcError for a call that names no listed tool."""
    name, arguments = _name(params), _arguments(params)
    try:
        return _dispatch(deps, caller, name, arguments)
    except Refusal as refusal:
        return refused(refusal)
    except Conflict as conflict:
        return refused(busy(conflict))


def busy(conflict: Conflict) -> Refusal:
    """The table was too busy: nothing is broken, and the same call can go through in a moment."""
    message = f"Graft is busy: {conflict}. Repeat the call."
    return Refusal(Reason.RATE_LIMITED, message, {"retryAfterSeconds": 1})


def _dispatch(deps: Deps, caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
    meta_tool = find_meta_tool(name)
    if meta_tool is not None:
        check_arguments(meta_tool, arguments)
        return ACTIONS[meta_tool.name](deps, caller, arguments)
    promoted = runs.find_promoted(caller, name)
    if promoted is None:
        raise RpcError(INVALID_PARAMS, toolbox.explain_unlisted(deps, caller, name))
    return outcome_answer(runs.call(deps, caller, *promoted, arguments))


def _name(params: Mapping[str, Any]) -> str:
    name = params.get("name")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "tools/call needs name, a string.")
    if len(name) > NAME_CHARACTERS_MAX:
        raise RpcError(INVALID_PARAMS, f"No tool has a name of {len(name)} characters. Use find_tool to search.")
    return name


def _arguments(params: Mapping[str, Any]) -> Mapping[str, Any]:
    arguments = params.get("arguments")
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments must be an object.")
    return arguments
