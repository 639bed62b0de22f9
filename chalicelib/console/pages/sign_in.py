"""Signing in with e-mail and password, and signing out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from chalicelib.services import accounts, logins
from chalicelib.services.accounts import SignInFailed
from chalicelib.services.logins import LOGIN_OPEN

from .. import framing
from ..cookies import login_cookie
from ..http import PageResponse
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


def show(visit: Visit) -> PageResponse:
    to = read_place(visit.request.query.get("to", HOME))
    if visit.found is not None:
        return visit.go(to)
    return html(_page(visit, to))


def submit(visit: Visit) -> PageResponse:
    to, email = read_place(visit.field("to")), visit.field("email").strip()
    now, address = visit.deps.now(), visit.request.client
    wait = visit.knocks.seconds_to_wait(address, now)
    if wait:
        return html(_page(visit, to, email, wait_seconds=wait), status=429)
    try:
        ticket = accounts.sign_in(visit.deps, email, visit.field("password")[:PASSWORD_MAX], visit.browser)
    except SignInFailed as failed:
        visit.knocks.count_failure(address, now)
        return html(_page(visit, to, email, failed=True, wait_seconds=failed.wait_seconds), status=403)
    return visit.go(to, cookies=visit.signed_in_cookie(ticket, COOKIE_SECONDS))


def sign_out(visit: Visit) -> PageResponse:
    """`to`: where whoever signs in next goes on, such as the ask that was opened."""
    if visit.found is not None:
        logins.end(visit.deps, visit.found.person.id, visit.found.login.id)
    to = read_place(visit.field("to"))
    query = "" if to == HOME else f"?to={to}"
    return visit.go("/sign-in", query=query, cookies=[login_cookie(visit.request.origin).clear()])


def _page(visit: Visit, to: str, email: str = "", *, failed: bool = False, wait_seconds: int = 0) -> SignInPage:
    return SignInPage(framing.narrow(visit), to, is_ask(to), email[: accounts.EMAIL_MAX], failed, wait_seconds)
