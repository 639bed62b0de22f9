"""One-time links: one signs its person in, the other lets them choose an address and a password."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chalicelib.errors import Refusal
from chalicelib.model import Link, LinkKind
from chalicelib.services import accounts, passwords

from .. import framing
from ..http import PageResponse
from ..places import HOME
from ..render import Frame, html
from ..visit import Visit
from .sign_in import PASSWORD_MAX, let_in


@dataclass(frozen=True, slots=True)
class SetUpPage:
    template: ClassVar[str] = "set_up.html"
    frame: Frame
    email: str
    fault: str
    shortest: int


@dataclass(frozen=True, slots=True)
class UsedLinkPage:
    """The same for a link that was used, one that has expired, and one that never was."""

    template: ClassVar[str] = "used_link.html"
    frame: Frame


def show(visit: Visit) -> PageResponse:
    link = accounts.find_link(visit.deps, visit.parts[0])
    if link is None:
        return used(visit)
    if link.kind is LinkKind.SET_UP:
        return html(_set_up_page(visit))
    return _signed_in(visit, accounts.sign_in_by_link(visit.deps, link, visit.browser))


def submit(visit: Visit) -> PageResponse:
    link = accounts.find_link(visit.deps, visit.parts[0])
    if link is None or link.kind is not LinkKind.SET_UP:
        return used(visit)
    email = visit.field("email")
    try:
        return _signed_in(visit, _set_up(visit, link, email))
    except Refusal as refusal:
        return html(_set_up_page(visit, email, refusal.message), status=422)


def _set_up(visit: Visit, link: Link, email: str) -> str | None:
    password = visit.field("password")[:PASSWORD_MAX]
    return accounts.set_up(visit.deps, link, email, password, visit.browser)


def _signed_in(visit: Visit, ticket: str | None) -> PageResponse:
    if ticket is None:
        return used(visit)
    return let_in(visit, ticket, HOME)


def used(visit: Visit) -> PageResponse:
    return html(UsedLinkPage(framing.narrow(visit)), status=404)


def _set_up_page(visit: Visit, email: str = "", fault: str = "") -> SetUpPage:
    return SetUpPage(framing.narrow(visit), email[: accounts.EMAIL_MAX], fault, passwords.LENGTH_MIN)
