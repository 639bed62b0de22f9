"""Where a sign-in may lead: paths of the console itself, and nothing that a browser could read as another site."""

from __future__ import annotations

import re
from typing import Final

PLACE_MAX: Final = 200
HOME: Final = "/"
_PLACE: Final = re.compile(r"/|(?:/[A-Za-z0-9_-]+)+")


def read_place(text: str) -> str:
    """The path if it is one of the console's, else the front page: no scheme, no `//`, no `\\`, no query."""
    return text if len(text) <= PLACE_MAX and _PLACE.fullmatch(text) else HOME


def is_ask(place: str) -> bool:
    return place.startswith("/a/")
