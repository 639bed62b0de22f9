"""What may stand in `tools/list`."""

from __future__ import annotations

from chalicelib.model import ToolCard
from chalicelib.rules.names import find_name_fault
from chalicelib.rules.schema import find_shape_fault


def find_fault(card: ToolCard) -> str | None:
    """Why listing this tool would break the list; None: it would not. One bad tool never poisons the others."""
    return find_name_fault(card.vendor, card.name) or find_shape_fault(card.input_schema)
