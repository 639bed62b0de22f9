"""Names: what a tool may be called, and how a name on the wire is read."""

from __future__ import annotations

import re
from typing import Final

WIRE_NAME_MAX: Final = 52
"""Hermes puts 12 characters in front, and Claude withholds a whole server for one name over 64."""
SEPARATOR: Final = "__"

_KEBAB: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def wire_name(vendor: str, name: str) -> str:
    return f"{vendor}{SEPARATOR}{name}"


def find_name_fault(vendor: str, name: str) -> str | None:
    """What is wrong with publishing under this name, as a sentence; None: nothing.

    Nothing is trimmed, folded or shortened here: a name is taken as it is or refused.
    """
    for part, value in (("vendor", vendor), ("name", name)):
        if not _KEBAB.fullmatch(value):
            return (
                f"{part} {_shown(value)} is not kebab-case: lower-case letters a-z and digits, "
                "in segments joined by single hyphens, for example list-open-orders."
            )
    length = len(wire_name(vendor, name))
    if length > WIRE_NAME_MAX:
        return (
            f"The wire name {_shown(wire_name(vendor, name))} has {length} characters; at most {WIRE_NAME_MAX} fit "
            f"(vendor, two underscores and name). Choose a shorter name; nothing is ever shortened for you."
        )
    return None


def read_name(value: str) -> str:
    """A name as a look-up takes it: trimmed, case folded."""
    return value.strip().lower()


def split_wire_name(value: str) -> tuple[str, str] | None:
    """(vendor, name) of a wire name as a look-up reads it; None: it has no `vendor__name` form."""
    vendor, separator, name = read_name(value).partition(SEPARATOR)
    return (vendor, name) if separator and vendor and name else None


def _shown(value: str) -> str:
    return repr(value if len(value) <= 80 else value[:77] + "…")
