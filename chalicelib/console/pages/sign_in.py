"""Signing in with e-mail and password, and signing out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final
from urllib.parse import urlsplit

from chalicelib.services import accounts, logins
from chalicelib.services.accounts import SignInFailed
from chalicelib.services.logins import LOGIN_OPEN

from .. import framing, keeping
from ..cookies import login_cookie
from ..http import PageResponse
from ..keeping import Kept
from ..places import HOME, is_ask, read_place
from ..render import Frame, html
from ..visit import Visit

COOKIE_SECONDS: Final = int(LOGIN_OPEN.total_seconds())
PASSWORD_MAX: Final = 1000
"""Characters that are looked at; no password is that long."""


@dataclass(frozen=True, slots=True)
class SignInPage:
    template: ClassVar[str] = "sign_in.html"
    frame: Frame
    to: str
    """Where the sign-in leads."""
    for_ask: bool
    email: str
    failed: bool
    wait_seconds: int
    kept: str
    """A form that was sent after its sign-in had ended, sealed; empty: none waits."""
    is_interrupted: bool
    """Whether a form led here instead of being taken."""


def show(visit: Visit) -> PageResponse:
    to = read_place(visit.request.query.get("to", HOME))
    if visit.found is not None:
        return visit.go(to)
    return html(_page(visit, to))


def interrupted(visit: Visit, kept: Kept) -> PageResponse:
    """In answer to a form whose sign-in has ended. It changed nothing, and comes back after the next sign-in."""
    sealed = keeping.seal(keeping.write(kept), visit.browser_key)
    return html(replace(_page(visit, urlsplit(kept.page).path), kept=sealed, is_interrupted=True), status=403)


def submit(visit: Visit) -> PageResponse:
    email = visit.field("email").strip()
    now, address = visit.deps.now(), visit.request.client
    wait = visit.knocks.seconds_to_wait(address, now)
    if wait:
        return html(_tried(visit, email, wait_seconds=wait), status=429)
    try:
        ticket = accounts.sign_in(visit.deps, email, visit.field("password")[:PASSWORD_MAX], visit.browser)
    except SignInFailed:
        visit.knocks.count_failure(address, now)
        return html(_tried(visit, email, failed=True), status=403)
    return let_in(visit, ticket, _next(visit, ticket))


def let_in(visit: Visit, ticket: str, place: str) -> PageResponse:
    """Lead on whoever has signed in. What this browser was signed in with until now ends: no cookie names it any more.

    The browser's own key stays, so that a form waiting in another tab is still taken.
    """
    if visit.found is not None:
        logins.end(visit.deps, visit.person_id, visit.found.login.id)
    return visit.go(place, cookies=[login_cookie(visit.request.origin).set(ticket, seconds=COOKIE_SECONDS)])


def _next(visit: Visit, ticket: str) -> str:
    """Where whoever has signed in goes on. What somebody else typed is not shown to them, nor is its page."""
    text = keeping.unseal(visit.field("kept"), visit.browser_key)
    kept = keeping.read(text)
    if kept is None:
        return read_place(visit.field("to"))
    came = logins.find_login(visit.deps, ticket)
    if came is None or kept.owner != came.mark:
        return HOME
    return kept.address if logins.keep_form(visit.deps, came, text) else urlsplit(kept.page).path


def sign_out(visit: Visit) -> PageResponse:
    """`to`: where whoever signs in next goes on, such as the ask that was opened."""
    if visit.found is not None:
        logins.end(visit.deps, visit.found.person.id, visit.found.login.id)
    to = read_place(visit.field("to"))
    query = "" if to == HOME else f"?to={to}"
    return visit.go("/sign-in", query=query, cookies=[login_cookie(visit.request.origin).clear()])


def _page(visit: Visit, to: str) -> SignInPage:
    return SignInPage(
        framing.narrow(visit), to, is_ask(to), "", failed=False, wait_seconds=0, kept="", is_interrupted=False
    )


def _tried(visit: Visit, email: str, *, failed: bool = False, wait_seconds: int = 0) -> SignInPage:
    """The page after a try that failed; a form that waits goes on waiting."""
    page = _page(visit, read_place(visit.field("to")))
    kept = visit.field("kept")[: keeping.KEPT_MAX + keeping.SEAL_CHARACTERS]
    email = email[: accounts.EMAIL_MAX]
    return replace(page, email=email, failed=failed, wait_seconds=wait_seconds, kept=kept)
