"""What the table of routes says of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .http import PageResponse
from .visit import Visit

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps

Handler = Callable[[Visit], PageResponse]
Begin = Callable[["Deps", str, tuple[str, ...]], Any]
"""Reads something of the person whose ticket it is said to be, by the variable parts of the path."""


@dataclass(frozen=True, slots=True)
class Route:
    path: str
    """An expression for the whole path; its groups are the variable parts."""
    get: Handler | None = None
    """Answers GET, and HEAD without the body."""
    post: Handler | None = None
    is_open: bool = False
    """Whether a form of it is taken from whoever is not signed in."""
    changes_on_get: bool = False
    """A one-time link: a HEAD of it is answered without looking."""
    begin: Begin | None = None
    """What its page reads first: read beside the sign-in, and kept only if that holds."""
    page: str = ""
    """The address of the page that holds its form, with `{}` for each variable part; empty: its own path."""
