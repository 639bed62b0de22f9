"""What the table of routes says of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .http import PageResponse
from .visit import Visit

Handler = Callable[[Visit], PageResponse]


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
    begins_with_agents: bool = False
    """Whether its page begins with which agents there are: they are then read beside the sign-in."""
    page: str = ""
    """The address of the page that holds its form, with `{}` for each variable part; empty: its own path."""
