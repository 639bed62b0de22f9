"""What every page works with: one request, the services, and who is signed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .forms import Fields, first
from .guard import form_token_of
from .http import PageRequest, PageResponse
from .knocks import Knocks

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps
    from chalicelib.services.logins import SignedIn


class NotFound(Exception):
    """Nothing is there, or it is another person's: the same answer."""


class NotSignedIn(Exception):
    """The page is for a person, and nobody is signed in."""


@dataclass(frozen=True, slots=True)
class Visit:
    deps: Deps
    request: PageRequest
    parts: tuple[str, ...]
    """The variable parts of the path, in order."""
    found: SignedIn | None
    browser_key: str = field(repr=False)
    """Ties a form to this browser while nobody is signed in."""
    knocks: Knocks
    fields: Fields = field(default_factory=dict)
    """Of a POST, after its origin and its form token were found good."""
    begun: Any = None
    """What the route's `begin` has read beside the sign-in; None: nothing, or it has none."""
    notice: str = ""
    """What its page has to say first; empty: nothing."""

    @property
    def signed_in(self) -> SignedIn:
        if self.found is None:
            raise NotSignedIn
        return self.found

    @property
    def person_id(self) -> str:
        """Whose rows this page may touch. Raises `NotSignedIn`."""
        return self.signed_in.person.id

    @property
    def form_token(self) -> str:
        return self.found.form_token if self.found else form_token_of(self.browser_key)

    @property
    def browser(self) -> str:
        return self.request.header("user-agent")

    def field(self, name: str) -> str:
        return first(self.fields, name)

    def go(self, place: str, *, query: str = "", cookies: Sequence[str] = ()) -> PageResponse:
        """Lead the browser to another page of the console, by GET."""
        return PageResponse(303, {"Location": f"{self.request.root}{place}{query}"}, cookies=tuple(cookies))
