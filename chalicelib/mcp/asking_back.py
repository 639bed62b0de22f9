"""`input_required`: a tool asks the client before it answers, and the client calls again with what it was asked for.

MCP 2026-07-28, multi round-trip requests. Nothing is kept between the rounds: what the tool has to remember travels
in `requestState`, sealed for this agent, tool and input, for a day.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from chalicelib.model import JsonObject

from . import sealed
from .jsonrpc import INVALID_PARAMS, MISSING_CAPABILITY, RpcError
from .packing import InputRequired
from .tool_call import ToolCall

LIFETIME: Final = timedelta(hours=24)
"""As long as an ask stays open."""
CAPABILITY_OF: Final = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}


def with_answers(call: ToolCall, params: Mapping[str, Any], *, bearer: str, now: datetime) -> ToolCall:
    """The call with the client's answers and what the tool remembered.

    Raises RpcError for answers that are no objects, and for a `requestState` that is not this call's or too old.
    """
    state = params.get("requestState")
    memory = None if state is None else _opened(state, call, bearer, now)
    return replace(call, answers=_answers(params), memory=memory)


def input_required(required: InputRequired, call: ToolCall, *, bearer: str, now: datetime) -> dict[str, Any]:
    """The members of the result. Raises RpcError when the client declared no such capability."""
    missing = [needed for ask in required.asks.values() if (needed := find_missing(call.capabilities, ask)) is not None]
    if missing:
        needed = {name: wanted for capability in missing for name, wanted in capability.items()}
        raise RpcError(
            MISSING_CAPABILITY,
            f"{call.name} asks back, and the client did not declare that it can be asked: {', '.join(needed)}.",
            {"requiredCapabilities": needed},
        )
    kept = [int((now + LIFETIME).timestamp()), required.memory]
    return {"inputRequests": required.asks, "requestState": sealed.seal(kept, bearer, _purpose(call))}


def find_missing(declared: Mapping[str, Any], ask: JsonObject) -> dict[str, Any] | None:
    """The client capability that this request needs and `declared` lacks; None: it may be sent."""
    name = CAPABILITY_OF[str(ask["method"])]
    capability = declared.get(name)
    params = ask.get("params")
    mode = str(params.get("mode", "form")) if isinstance(params, Mapping) and name == "elicitation" else None
    if isinstance(capability, Mapping) and (mode is None or _offers(capability, mode)):
        return None
    return {name: {} if mode is None else {mode: {}}}


def _offers(elicitation: Mapping[str, Any], mode: str) -> bool:
    """Whether the client can be asked in this mode; an empty capability means forms."""
    return elicitation.get(mode) is not None or (mode == "form" and not elicitation)


def _answers(params: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    answers = params.get("inputResponses", {})
    if not isinstance(answers, dict) or not all(isinstance(answer, dict) for answer in answers.values()):
        raise RpcError(INVALID_PARAMS, "inputResponses must be an object of objects, each under its request's key.")
    return answers


def _opened(state: object, call: ToolCall, bearer: str, now: datetime) -> Any:
    kept = sealed.find_sealed(state, bearer, _purpose(call)) if isinstance(state, str) else None
    if kept is None or kept[0] < now.timestamp():
        raise RpcError(INVALID_PARAMS, "requestState is not of this call, or too old. Call again without it.")
    return kept[1]


def _purpose(call: ToolCall) -> bytes:
    """The key is the agent's; the tool and its input are bound in here."""
    what = json.dumps([call.name, call.arguments], sort_keys=True)
    return b"graft mcp request state 1 " + hashlib.sha256(what.encode()).digest()
