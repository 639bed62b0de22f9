"""A fixed tool as it is listed, and how its schema is put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from chalicelib.model import Annotations

READS: Final = Annotations(read_only=True, destructive=False)
WRITES: Final = Annotations(read_only=False, destructive=False)
DESTROYS: Final = Annotations(read_only=False, destructive=True)


@dataclass(frozen=True, slots=True)
class MetaTool:
    name: str
    description: str
    input_schema: dict[str, Any]
    annotations: Annotations


def takes(properties: dict[str, Any], *, required: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text(characters_max: int, description: str = "") -> dict[str, Any]:
    bounded = {"type": "string", "maxLength": characters_max}
    return bounded | ({"description": description} if description else {})
