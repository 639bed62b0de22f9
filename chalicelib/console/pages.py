"""The pages that need no sign-in: what answers at the root, and behind an ask's link."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.console.assets import asset_path

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"


def home(root: str) -> str:
    """What stands at the public URL: what this is, and where a harness connects.

    `root` stands before every path of ours, without a slash at its end: a gateway's stage, such as `/api`.
    """
    return _render("home.html", root)


def ask(root: str) -> str:
    """The page behind an ask's link. The same for every code: a link that travelled through a chat shows nothing."""
    return _render("ask.html", root)


def _render(name: str, root: str) -> str:
    """Templates link to a file of console_static/ as `{{ asset("console.css") }}`."""
    return _environment().get_template(name).render(asset=partial(asset_path, root))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
