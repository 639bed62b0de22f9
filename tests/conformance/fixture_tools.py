"""The tools that the suite calls, as a catalogue for the door: Graft's meta-tools, then these.

Each does what the suite's scenario of the same name asks a server to have. The texts are the suite's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.mcp.asking_back import find_missing
from chalicelib.mcp.catalogue import GRAFT, Catalogue
from chalicelib.mcp.meta_tool import READS, WRITES, MetaTool
from chalicelib.mcp.packing import Answered, InputRequired, PlainResult, ToolAnswer
from chalicelib.mcp.tool_call import ToolCall
from chalicelib.model import JsonObject
from chalicelib.services import publishing
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller

if TYPE_CHECKING:
    from chalicelib.mcp.catalogue import Action

PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE: Final = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

TEXT: Final[JsonObject] = {"type": "text", "text": "This is a simple text response for testing."}
IMAGE: Final[JsonObject] = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO: Final[JsonObject] = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}
RESOURCE: Final[JsonObject] = {
    "type": "resource",
    "resource": {
        "uri": "test://embedded-resource",
        "mimeType": "text/plain",
        "text": "This is an embedded resource content.",
    },
}
LOGGED: Final = ("Tool execution started", "Tool processing data", "Tool execution completed")
PROGRESS: Final = (0, 50, 100)

EVERY_KEYWORD: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "required": [],
    "additionalProperties": False,
}
NO_ARGUMENTS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {},
    "required": [],
    "additionalProperties": False,
}


def elicitation(message: str, field: str, kind: str = "string") -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(prompt: str) -> JsonObject:
    message: JsonObject = {"role": "user", "content": {"type": "text", "text": prompt}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


ROOTS: Final[JsonObject] = {"method": "roots/list", "params": {}}
NAME: Final = elicitation("What is your name?", "name")
COLOUR: Final = elicitation("Step 2: What is your favorite color?", "color")
CONFIRM: Final = elicitation("Please confirm", "ok", "boolean")
CAPITAL: Final = sampling("What is the capital of France?")


def answering(*blocks: JsonObject) -> Action:
    return lambda _deps, _caller, _call: PlainResult({"content": blocks})


def fails(_deps: Deps, _caller: Caller, _call: ToolCall) -> Answered:
    raise Refusal(Reason.TOOL_FAILED, "This tool intentionally returns an error for testing")


def logs(_deps: Deps, _caller: Caller, _call: ToolCall) -> Answered:
    notices = tuple(("notifications/message", {"level": "info", "data": line}) for line in LOGGED)
    return PlainResult({"content": [TEXT]}, notices)


def reports_progress(_deps: Deps, _caller: Caller, call: ToolCall) -> Answered:
    if call.progress_token is None:
        return PlainResult({"content": [TEXT]})
    steps = [{"progressToken": call.progress_token, "progress": done, "total": 100} for done in PROGRESS]
    return PlainResult({"content": [TEXT]}, tuple(("notifications/progress", step) for step in steps))


def changes_the_list(deps: Deps, caller: Caller, _call: ToolCall) -> Answered:
    """As an agent does it: a new version of a tool that is promoted."""
    source = "def run(input, http):\n    return input\n"
    publishing.publish(deps, caller, publishing.Draft("demo", "echo", "Echo.", {"type": "object"}, source))
    return ToolAnswer("published", moved_list=True)


def asking(**asks: JsonObject) -> Action:
    """Asks back until every key is answered."""

    def act(_deps: Deps, _caller: Caller, call: ToolCall) -> Answered:
        if all(key in call.answers for key in asks):
            return ToolAnswer({key: call.answers[key] for key in asks})
        return InputRequired(asks)

    return act


def asking_what_it_may(**asks: JsonObject) -> Action:
    """Asks only what the client declared that it can be asked."""

    def act(deps: Deps, caller: Caller, call: ToolCall) -> Answered:
        allowed = {key: ask for key, ask in asks.items() if find_missing(call.capabilities, ask) is None}
        return asking(**allowed)(deps, caller, call)

    return act


def asks_with_memory(_deps: Deps, _caller: Caller, call: ToolCall) -> Answered:
    if "confirm" in call.answers and call.memory == "asked":
        return ToolAnswer("state-ok")
    return InputRequired({"confirm": CONFIRM}, memory="asked")


def asks_twice(_deps: Deps, _caller: Caller, call: ToolCall) -> Answered:
    match call.memory:
        case "step 1" if "step1" in call.answers:
            return InputRequired({"step2": COLOUR}, memory="step 2")
        case "step 2" if "step2" in call.answers:
            return ToolAnswer("done")
        case _:
            return InputRequired({"step1": NAME}, memory="step 1")


ACTIONS: Final[Mapping[str, Action]] = {
    "test_simple_text": answering(TEXT),
    "test_image_content": answering(IMAGE),
    "test_audio_content": answering(AUDIO),
    "test_embedded_resource": answering(RESOURCE),
    "test_multiple_content_types": answering(TEXT, IMAGE, RESOURCE),
    "test_error_handling": fails,
    "test_tool_with_logging": logs,
    "test_tool_with_progress": reports_progress,
    "test_logging_tool": answering(TEXT),
    "test_trigger_tool_change": changes_the_list,
    "test_missing_capability": asking(capital=CAPITAL),
    "test_streaming_elicitation": asking(user_name=NAME),
    "test_input_required_result_elicitation": asking(user_name=NAME),
    "test_input_required_result_sampling": asking(capital_question=CAPITAL),
    "test_input_required_result_list_roots": asking(client_roots=ROOTS),
    "test_input_required_result_multiple_inputs": asking(user_name=NAME, greeting=CAPITAL, client_roots=ROOTS),
    "test_input_required_result_capabilities": asking_what_it_may(user_name=NAME, capital=CAPITAL),
    "test_input_required_result_request_state": asks_with_memory,
    "test_input_required_result_tampered_state": asks_with_memory,
    "test_input_required_result_multi_round": asks_twice,
    "json_schema_2020_12_tool": answering(TEXT),
}


def _fixture(name: str) -> MetaTool:
    schema = EVERY_KEYWORD if name == "json_schema_2020_12_tool" else NO_ARGUMENTS
    annotations = WRITES if name == "test_trigger_tool_change" else READS
    return MetaTool(name, f"A fixture of the conformance suite: {name}.", schema, annotations)


FIXTURES: Final = Catalogue(
    (*GRAFT.tools, *(_fixture(name) for name in ACTIONS)),
    lambda: {**GRAFT.actions(), **ACTIONS},
)
