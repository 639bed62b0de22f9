"""Input schemas: which ones a tool may have, and whether a value fits one.

Validation is jsonschema-rs (JSON Schema 2020-12 by default): its regular expressions are bounded, so a schema
that an agent published cannot hang the server, and what its combinators could make it do is weighed before
(`schema_weight`). Nothing is ever fetched for a `$ref`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from chalicelib.rules.schema_weight import TooHeavy, is_too_much, weigh, work_each

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

SCHEMA_BYTES_MAX: Final = 8 * 1024
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
NUMBER_MAX: Final = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly (RFC 8259, section 6)."""
_PROPERTY_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
TOP_LEVEL_UNIONS: Final = ("oneOf", "anyOf", "allOf")
FAULTS_SHOWN: Final = 3
MESSAGE_MAX: Final = 300
QUOTED_MAX: Final = 60
"""Characters that a message longer than it may be shows of the value it quotes."""
KEY_MAX: Final = 64
"""Characters of one key in a path."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Where a value breaks its schema. `path` names the field, `$` is the input itself."""

    path: str
    message: str

    @property
    def field(self) -> str:
        """The field as answers name it: without `$.`; `$` alone is the input itself."""
        return self.path.removeprefix("$.")

    @property
    def statement(self) -> str:
        return self.message if self.path == "$" else f"{self.field}: {self.message}"


def find_schema_fault(schema: Any) -> str | None:
    """What is wrong with publishing this input schema, as a sentence; None: nothing."""
    try:
        text = _canonical(schema)
        size = len(text.encode())
    except (ValueError, RecursionError):
        return "inputSchema is not plain JSON: numbers must be finite, text valid Unicode, nesting moderate."
    if size > SCHEMA_BYTES_MAX:
        return f"inputSchema is {size} bytes of JSON; at most {SCHEMA_BYTES_MAX} fit. Shorten the descriptions."
    return find_shape_fault(schema) or _find_weight_fault(schema) or _find_compile_fault(text)


def find_shape_fault(schema: Any) -> str | None:
    """What would make a model's provider, or a client, refuse the whole list for this schema; None: nothing."""
    if not isinstance(schema, Mapping):
        return 'inputSchema must be a JSON object such as {"type": "object", "properties": {}}.'
    if schema.get("type") != "object":
        return 'inputSchema must have "type": "object" at its root: a tool\'s input is always a JSON object.'
    union = next((word for word in TOP_LEVEL_UNIONS if word in schema), None)
    if union:
        return f"inputSchema must not have {union} at its root: models' providers refuse it. Describe it in properties."
    if schema.get("$schema", DIALECT) != DIALECT:
        return f"inputSchema is read as JSON Schema 2020-12: leave $schema out, or make it {DIALECT}."
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        return "inputSchema.properties must be an object: property name to schema."
    odd = next((name for name in properties if not _PROPERTY_NAME.fullmatch(name)), None)
    if odd is not None:
        return (
            f"The property name {odd[:80]!r} is refused by models' providers: "
            "1 to 64 letters a-z, digits, dots, hyphens and underscores."
        )
    return _find_number_fault(schema)


def _find_number_fault(schema: Any) -> str | None:
    """Numbers that not every JSON reader can hold make some clients fail on the whole list."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, int) and abs(value) > NUMBER_MAX:
            return f"inputSchema holds a whole number beyond ±{NUMBER_MAX}, which many JSON readers cannot hold."
    return None


def _find_weight_fault(schema: Mapping[str, Any]) -> str | None:
    try:
        weigh(schema)
    except TooHeavy as heavy:
        return str(heavy)
    return None


def with_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as it is listed: `properties` always present, since some harnesses fail without it."""
    return {"type": "object", "properties": {}} | dict(schema)


def find_misfit(schema: Mapping[str, Any], value: Any) -> Misfit | None:
    """The first thing in which `value` breaks `schema`; None: it fits."""
    return next(iter(find_misfits(schema, value)), None)


def find_misfits(schema: Mapping[str, Any], value: Any) -> list[Misfit]:
    """Up to three things in which `value` breaks `schema`."""
    validator, each = _compiled(_canonical(schema))
    if is_too_much(each, value):
        return [Misfit("$", "is too large for this schema; send less at once")]
    return [_misfit(error) for error in islice(validator.iter_errors(value), FAULTS_SHOWN)]


def _misfit(error: ValidationError) -> Misfit:
    """A property that is missing, or not allowed, is named by the path, too."""
    named = getattr(error.kind, "property", None) or next(iter(getattr(error.kind, "unexpected", ())), None)
    path = [*error.instance_path, named] if isinstance(named, str) else error.instance_path
    return Misfit(_path(path), _stated(error))


def _stated(error: ValidationError) -> str:
    """The message. A long value that it quotes is cut short, never what is wrong with it, which comes after."""
    if len(error.message) <= MESSAGE_MAX:
        return error.message
    quoted = json.dumps(error.instance, ensure_ascii=False, separators=(",", ":"))
    if len(quoted) <= QUOTED_MAX:
        return _shortened(error.message)
    return _shortened(error.message.replace(quoted, f"{quoted[:QUOTED_MAX]}…{quoted[-1]}"))


def _find_compile_fault(text: str) -> str | None:
    import jsonschema_rs

    try:
        _compiled(text)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return f"inputSchema is not a valid JSON Schema: {_shortened(str(error).splitlines()[0])}"
    return None


@lru_cache(maxsize=512)
def _compiled(text: str) -> tuple[Validator, int]:
    """The validator of a schema, and at most how much it applies to one value."""
    import jsonschema_rs

    schema = json.loads(text)
    return jsonschema_rs.validator_for(schema, retriever=_refuse_to_fetch), work_each(schema)


def _refuse_to_fetch(uri: str) -> Any:
    raise ValueError(f"$ref to {uri[:80]} is not followed: only references inside the schema are")


def _canonical(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _path(parts: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{_key(part)}" for part in parts)


def _key(name: str) -> str:
    return name if len(name) <= KEY_MAX else name[: KEY_MAX - 1] + "…"


def _shortened(message: str) -> str:
    """Cut in the middle: a message begins or ends with what is wrong."""
    half = MESSAGE_MAX // 2
    return message if len(message) <= MESSAGE_MAX else f"{message[: half - 1]}…{message[-half:]}"
