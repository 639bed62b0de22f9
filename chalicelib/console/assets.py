"""Stylesheets and drawings: text files only, under names that are listed here."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2] / "console_static"
TYPES: Final = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".js": "text/javascript; charset=utf-8"}


def find_asset(name: str) -> tuple[str, str] | None:
    """(content type, text) of a file in console_static/; None: there is no such file."""
    path = ROOT / name
    content_type = TYPES.get(path.suffix)
    if content_type is None or path.parent != ROOT or not path.is_file():
        return None
    return content_type, path.read_text(encoding="utf-8")
