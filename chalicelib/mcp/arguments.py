"""A meta-tool's arguments against the schema that is listed for it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.services.inputs import find_misfit

from .meta_tool import MetaTool

FIELD_MAX: Final = 120
"""Characters of a field's name that an answer shows."""


def check_arguments(tool: MetaTool, arguments: Mapping[str, Any]) -> None:
    """Refuse `input_invalid`, naming the field, unless the arguments fit the tool's listed schema."""
    known = tool.input_schema["properties"]
    unknown = next((name for name in arguments if name not in known), None)
    if unknown is not None:
        raise _invalid(tool, unknown, f"{tool.name} has no property {_shown(unknown)}. {_advice(unknown, known)}")
    missing = next((name for name in tool.input_schema["required"] if name not in arguments), None)
    if missing is not None:
        raise _invalid(tool, missing, f"{tool.name} needs {missing}.")
    misfit = find_misfit(tool.input_schema, arguments)
    if misfit is not None:
        raise _invalid(tool, misfit.field, f"{misfit.statement}.")


def with_schema(tool: MetaTool, refusal: Refusal) -> Refusal:
    """The refusal; one of the arguments that a use case made carries the schema as well as `check_arguments`' does."""
    if refusal.reason is not Reason.INPUT_INVALID or "schema" in refusal.details:
        return refusal
    return Refusal(refusal.reason, refusal.message, {**refusal.details, "schema": tool.input_schema})


def _invalid(tool: MetaTool, field: str, message: str) -> Refusal:
    details = {"field": field[:FIELD_MAX], "schema": tool.input_schema}
    return Refusal(Reason.INPUT_INVALID, f"{message} Correct the call and repeat it.", details)


def _advice(unknown: str, known: Mapping[str, Any]) -> str:
    spelling = {name.lower(): name for name in known}
    near = difflib.get_close_matches(unknown[:64].replace("_", "").lower(), spelling, n=1)
    return f"Did you mean {spelling[near[0]]}?" if near else f"It takes {', '.join(known)}."


def _shown(name: str) -> str:
    return repr(name if len(name) <= 64 else name[:63] + "…")
