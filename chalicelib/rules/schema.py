"""Input schemas: which ones a tool may have, and whether a value fits one.

Validation is jsonschema-rs (JSON Schema 2020-12 by default): its regular expressions are bounded, so a schema
that an agent published cannot hang the server. Nothing is ever fetched for a `$ref`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jsonschema_rs import Validator

SCHEMA_BYTES_MAX: Final = 8 * 1024
TOP_LEVEL_UNIONS: Final = ("oneOf", "anyOf", "allOf")
FAULTS_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Misfit:
    """Where a value breaks its schema. `path` names the field, `$` is the input itself."""

    path: str
    message: str


def find_schema_fault(schema: Any) -> str | None:
    """What is wrong with publishing this input schema, as a sentence; None: nothing."""
    fault = find_shape_fault(schema)
    if fault is not None:
        return fault
    try:
        text = _canonical(schema)
        size = len(text.encode())
    except (ValueError, RecursionError):
        return "inputSchema is not plain JSON: numbers must be finite, text valid Unicode, nesting moderate."
    if size > SCHEMA_BYTES_MAX:
        return f"inputSchema is {size} bytes of JSON; at most {SCHEMA_BYTES_MAX} fit. Shorten the descriptions."
    return _find_compile_fault(text)


def find_shape_fault(schema: Any) -> str | None:
    """What would make a model's provider refuse the whole list for this schema; None: nothing."""
    if not isinstance(schema, Mapping):
        return 'inputSchema must be a JSON object such as {"type": "object", "properties": {}}.'
    if schema.get("type") != "object":
        return 'inputSchema must have "type": "object" at its root: a tool\'s input is always a JSON object.'
    union = next((word for word in TOP_LEVEL_UNIONS if word in schema), None)
    if union:
        return f"inputSchema must not have {union} at its root: models' providers refuse it. Describe it in properties."
    if not isinstance(schema.get("properties", {}), Mapping):
        return "inputSchema.properties must be an object: property name to schema."
    return None


def with_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as it is listed: `properties` always present, since some harnesses fail without it."""
    return {"type": "object", "properties": {}} | dict(schema)


def find_misfit(schema: Mapping[str, Any], value: Any) -> Misfit | None:
    """The first thing in which `value` breaks `schema`; None: it fits."""
    return next(iter(find_misfits(schema, value)), None)


def find_misfits(schema: Mapping[str, Any], value: Any) -> list[Misfit]:
    """Up to three things in which `value` breaks `schema`."""
    misfits: list[Misfit] = []
    for error in _validator(_canonical(schema)).iter_errors(value):
        misfits.append(Misfit(_path(error.instance_path), _shortened(error.message)))
        if len(misfits) == FAULTS_SHOWN:
            break
    return misfits


def _find_compile_fault(text: str) -> str | None:
    import jsonschema_rs

    try:
        _validator(text)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return f"inputSchema is not a valid JSON Schema: {_shortened(str(error).splitlines()[0])}"
    return None


@lru_cache(maxsize=512)
def _validator(text: str) -> Validator:
    import jsonschema_rs

    return jsonschema_rs.validator_for(json.loads(text), retriever=_refuse_to_fetch)


def _refuse_to_fetch(uri: str) -> Any:
    raise ValueError(f"$ref to {uri[:80]} is not followed: only references inside the schema are")


def _canonical(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _path(parts: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)


def _shortened(message: str) -> str:
    return message if len(message) <= 300 else message[:297] + "…"
