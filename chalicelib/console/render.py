"""Pages from templates. A template gets the fields of one dataclass, and nothing else that varies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from . import moments
from .assets import asset_path
from .browser_names import browser_name
from .http import PageResponse
from .names import name_shown
from .unseen import pieces

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around every page."""

    root: str
    """Before every path of ours, without a slash at its end."""
    now: datetime
    form_token: str
    email: str | None
    """Who is signed in; empty: they have chosen no address yet. None: nobody is."""
    here: str
    """The path of this page, below `root`."""
    waiting: int | None = None
    """Asks that wait, for the navigation; None: the page has none."""
    notice: str = ""
    """What the page says first; empty: nothing."""
    address_note: str = ""
    """What is wrong with the public address; empty: nothing."""


class Page(Protocol):
    """A frozen dataclass whose fields are what its template may use."""

    template: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def frame(self) -> Frame: ...


def html(page: Page, *, status: int = 200, cookies: tuple[str, ...] = ()) -> PageResponse:
    return PageResponse(status, {"Content-Type": "text/html; charset=utf-8"}, render(page), cookies)


def render(page: Page) -> str:
    """Templates link to a file of console_static/ as `asset("console.css")`, to a page as `url("/asks")`."""
    values = {field.name: getattr(page, field.name) for field in fields(page)}
    return _environment().get_template(page.template).render(values, **_spoken_at(page.frame))


def _spoken_at(frame: Frame) -> Mapping[str, Callable[..., str]]:
    return {
        "asset": partial(asset_path, frame.root),
        "url": lambda place: f"{frame.root}{place}",
        "ago": lambda then: moments.ago(then, frame.now),
        "until": lambda then: moments.until(then, frame.now),
    }


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "browser_name": browser_name,
        "exact": moments.exact,
        "iso": moments.iso,
        "named": name_shown,
        "pieces": pieces,
        "seconds": moments.seconds,
    }
    return environment
