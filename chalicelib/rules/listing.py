"""What may stand in `tools/list`."""

from __future__ import annotations

from chalicelib.model import ToolCard
from chalicelib.rules.names import find_name_fault
from chalicelib.rules.schema import find_shape_fault


def find_fault(card: ToolCard | None) -> str | None:
    """Why a list leaves this tool out; None: it does not. One bad tool never poisons the others.

    `card` None: a tool that is promoted and cannot be read.
    """
    if card is None:
        return "its current version is not in the toolbox"
    return find_name_fault(card.vendor, card.name) or find_shape_fault(card.input_schema)
