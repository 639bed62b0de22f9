"""Where a sign-in may lead: pages of the console itself, and nothing that a browser could read as another site."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlencode

PLACE_MAX: Final = 2_000
"""Characters: what was searched for may be 200, spelled out in up to twelve each."""
HOME: Final = "/"
_PLACE: Final = re.compile(r"(?:/|(?:/[A-Za-z0-9_-]+)+)(?:\?[A-Za-z0-9_.~*%+=&-]+)?")


def read_place(text: str) -> str:
    """The address if it is one of the console's, else the front page: no scheme, no `//`, no `\\`, no fragment."""
    return text if len(text) <= PLACE_MAX and _PLACE.fullmatch(text) else HOME


def sign_in_for(path: str, query: Mapping[str, str]) -> str:
    """The query of the page that asks to sign in and then leads here; what was searched for here is kept."""
    path = path.rstrip("/") or HOME
    place = f"{path}?{urlencode(query, errors='replace')}" if query else path
    return f"?to={quote(place if len(place) <= PLACE_MAX else path)}"


def is_ask(place: str) -> bool:
    return place.startswith("/a/")
