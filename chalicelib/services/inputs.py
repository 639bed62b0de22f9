"""Whether a call's input fits its schema: one validator for authored tools and meta-tools alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.rules import schema as schema_rule
from chalicelib.rules.schema import Misfit

__all__ = ["Misfit", "find_misfit"]


def find_misfit(schema: Mapping[str, Any], value: Any) -> Misfit | None:
    """The first thing in which `value` breaks `schema`; None: it fits."""
    return schema_rule.find_misfit(schema, value)
