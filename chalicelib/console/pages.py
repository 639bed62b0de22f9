"""The pages that need no sign-in: what answers at the root, and behind an ask's link."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"


def home() -> str:
    """What stands at the public URL: what this is, and where a harness connects."""
    return _render("home.html")


def ask() -> str:
    """The page behind an ask's link. The same for every code: a link that travelled through a chat shows nothing."""
    return _render("ask.html")


def _render(name: str) -> str:
    return _environment().get_template(name).render()


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
