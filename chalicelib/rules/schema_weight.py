"""How much work a schema can make, and which ones make too much.

A schema of a few hundred bytes can keep a validator busy for years: references that branch, recursion through
`anyOf`, nested `unevaluatedProperties`. Validation holds the whole process, so such a schema is refused when it is
published, and an input that is too large for its schema when it comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

WEIGHT_MAX: Final = 5_000
"""Subschemas once every reference is written out."""
WORK_MAX: Final = 20_000_000
"""Values of an input times what may be applied to each: about two seconds."""
DEPTH_MAX: Final = 64
PLAIN: Final = 2
"""Subschemas applied to one value where nothing branches: its own, and what `additionalProperties` says."""

_IN_PLACE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "$ref")
_APPLICATORS: Final = (*_IN_PLACE, "patternProperties", "contains", "propertyNames", "unevaluatedProperties")
_SUBSCHEMAS: Final = (
    "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "contentSchema",
)  # fmt: skip
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")
_REFUSED: Final = (
    "$dynamicRef",
    "$recursiveRef",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$anchor",
    "$id",
    "$vocabulary",
)


class TooHeavy(Exception):
    """The schema may not be published; the message says why, as a sentence."""


def weigh(schema: Mapping[str, Any]) -> int:
    """Subschemas once every reference is written out, twice for what is looked at twice. Raises `TooHeavy`."""
    return _weight(schema, schema, {}, ())


def work_each(schema: Mapping[str, Any]) -> int:
    """At most how much is applied to one value; a schema that may not be published makes any value too much."""
    if not _branches(schema):
        return PLAIN
    try:
        return weigh(schema)
    except TooHeavy:
        return WORK_MAX + 1


def is_too_much(each: int, value: Any) -> bool:
    """Whether validating this value could take longer than a call may."""
    return count_values(value, WORK_MAX // each) * each > WORK_MAX


def count_values(value: Any, most: int) -> int:
    """Values in a JSON value, itself included; counting stops just past `most`."""
    count, waiting = 0, [value]
    while waiting and count <= most:
        current = waiting.pop()
        count += 1
        if isinstance(current, Mapping):
            waiting += current.values()
        elif isinstance(current, list):
            waiting += current
    return count


def _weight(root: Any, schema: Any, known: dict[str, int], path: tuple[str, ...]) -> int:
    if not isinstance(schema, Mapping):
        return 1
    refused = next((word for word in _REFUSED if word in schema), None)
    if refused:
        raise TooHeavy(f"inputSchema must not use {refused}. Write the part out, or use $ref with #/$defs/….")
    if len(path) > DEPTH_MAX:
        raise TooHeavy(f"inputSchema is nested more than {DEPTH_MAX} levels deep. Describe less of it.")
    weight = 1 + sum(_weight(root, part, known, (*path, "")) for part in _parts(schema))
    if "$ref" in schema:
        weight += _referred(root, schema["$ref"], known, path)
    if "unevaluatedProperties" in schema or "unevaluatedItems" in schema:
        weight *= 2
    if weight > WEIGHT_MAX:
        raise TooHeavy("inputSchema branches too often once its references are written out. Describe it more simply.")
    return weight


def _referred(root: Any, reference: Any, known: dict[str, int], path: tuple[str, ...]) -> int:
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        raise TooHeavy("In inputSchema a $ref must point inside the schema, as in #/$defs/address.")
    if reference in path or reference == "#":
        raise TooHeavy(f"inputSchema refers to itself through {reference[:80]}. Write out the levels that are needed.")
    if reference not in known:
        known[reference] = _weight(root, _pointed(root, reference), known, (*path, reference))
    return known[reference]


def _pointed(root: Any, reference: str) -> Any:
    """What a JSON pointer names (RFC 6901); the validator reports one that names nothing."""
    current = root
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(current, Mapping):
            current = current.get(key)
        elif isinstance(current, Sequence) and not isinstance(current, str) and key.isdecimal():
            current = current[int(key)] if int(key) < len(current) else None
        else:
            return None
    return current


def _parts(schema: Mapping[str, Any]) -> Iterator[Any]:
    for word in _SUBSCHEMAS:
        if word in schema:
            yield schema[word]
    for word in _LISTS:
        if isinstance(schema.get(word), list):
            yield from schema[word]
    for word in _MAPS:
        if isinstance(schema.get(word), Mapping):
            yield from schema[word].values()


def _branches(schema: Any) -> bool:
    """Whether more than one subschema may be applied to one value."""
    if not isinstance(schema, Mapping):
        return False
    return any(word in schema for word in _APPLICATORS) or any(map(_branches, _parts(schema)))
