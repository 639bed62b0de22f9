"""A meta-tool's arguments against the schema that is listed for it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Reason, Refusal

from .catalogue import META_TOOLS, MetaTool

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MESSAGE_CHARACTERS_MAX: Final = 300


def check_arguments(tool: MetaTool, arguments: Mapping[str, Any]) -> None:
    """Refuse `input_invalid`, naming the field, unless the arguments fit the tool's listed schema."""
    known = tool.input_schema["properties"]
    unknown = next((name for name in arguments if name not in known), None)
    if unknown is not None:
        raise _invalid(tool, unknown, f"{tool.name} has no property {_shown(unknown)}. {_advice(unknown, known)}")
    missing = next((name for name in tool.input_schema["required"] if name not in arguments), None)
    if missing is not None:
        raise _invalid(tool, missing, f"{tool.name} needs {missing}.")
    error = next(_validator(tool.name).iter_errors(arguments), None)
    if error is not None:
        field = ".".join(map(str, error.instance_path))
        raise _invalid(tool, field, f"{field}: {error.message[:MESSAGE_CHARACTERS_MAX]}.")


@cache
def _validator(name: str) -> Validator:
    import jsonschema_rs

    return jsonschema_rs.validator_for(next(tool for tool in META_TOOLS if tool.name == name).input_schema)


def _invalid(tool: MetaTool, field: str, message: str) -> Refusal:
    details = {"field": field[:MESSAGE_CHARACTERS_MAX], "schema": tool.input_schema}
    return Refusal(Reason.INPUT_INVALID, f"{message} Correct the call and repeat it.", details)


def _advice(unknown: str, known: Mapping[str, Any]) -> str:
    spelling = {name.lower(): name for name in known}
    near = difflib.get_close_matches(unknown[:64].replace("_", "").lower(), spelling, n=1)
    return f"Did you mean {spelling[near[0]]}?" if near else f"It takes {', '.join(known)}."


def _shown(name: str) -> str:
    return repr(name if len(name) <= 64 else name[:63] + "…")
