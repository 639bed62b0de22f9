"""The id of what a form makes, chosen when the form is shown: sent twice, it makes one."""

from __future__ import annotations

import re
from typing import Final

from .visit import Visit

_ID: Final = re.compile(r"[a-z0-9]{13}")


def sent_id(visit: Visit, field: str) -> str:
    """As the form carries it; a form without one gets a new one, and makes something each time."""
    sent = visit.field(field)
    return sent if _ID.fullmatch(sent) else visit.deps.new_id()
