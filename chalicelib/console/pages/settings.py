"""What is the person's own: address and password, the browsers they are signed in with, invitations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from chalicelib.errors import Refusal
from chalicelib.model import LinkKind, Login
from chalicelib.services import accounts, logins, overview, passwords
from chalicelib.services.accounts import Locked, SignInFailed

from .. import framing
from ..cookies import login_cookie
from ..http import PageResponse
from ..render import Frame, html
from ..visit import Visit
from .sign_in import PASSWORD_MAX

BROWSERS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class SettingsPage:
    template: ClassVar[str] = "settings.html"
    frame: Frame
    public_url: str
    browsers: tuple[Login, ...]
    """This one, and the others that were opened last."""
    more_browsers: int
    """How many more there are."""
    here: str
    """The id of this browser's login."""
    faults: dict[str, str]
    is_changed: bool
    """Whether the password was changed just now."""
    shortest: int
    new_person_id: str
    """Of whoever is invited, so that a form that is sent twice invites one."""


def show(visit: Visit) -> PageResponse:
    return html(_page(visit, is_changed=visit.request.query.get("changed") == "1"))


def change_password(visit: Visit) -> PageResponse:
    """Every other browser is signed out."""
    me, old, new = visit.signed_in, visit.field("old_password"), visit.field("new_password")
    try:
        accounts.change_password(visit.deps, me.person, me.login.id, old[:PASSWORD_MAX], new[:PASSWORD_MAX])
    except Locked as locked:
        told = f"After too many wrong passwords there is a pause. Wait {locked.wait_seconds} s, then try again."
        return html(_page(visit, {"old_password": told}), status=422)
    except SignInFailed:
        return html(_page(visit, {"old_password": "That is not your password."}), status=422)
    except Refusal as refusal:
        return html(_page(visit, {"new_password": refusal.message}), status=422)
    return visit.go("/settings", query="?changed=1")


def choose_account(visit: Visit) -> PageResponse:
    """Whoever came by a link and has no address yet is led to the form that makes one."""
    me = visit.signed_in
    if me.person.email:
        return visit.go("/settings")
    return visit.go(f"/in/{accounts.new_link(visit.deps, me.person.id, LinkKind.SET_UP)}")


def end_browser(visit: Visit) -> PageResponse:
    """Sign one browser out. Another person's is the same as none."""
    logins.end(visit.deps, visit.person_id, visit.field("login")[:64])
    return visit.go("/settings")


def sign_out_everywhere(visit: Visit) -> PageResponse:
    logins.end_all(visit.deps, visit.person_id)
    return visit.go("/sign-in", cookies=[login_cookie(visit.request.origin).clear()])


def _page(visit: Visit, faults: dict[str, str] | None = None, *, is_changed: bool = False) -> SettingsPage:
    here = visit.signed_in.login.id
    browsers = sorted(overview.browsers(visit.deps, visit.person_id), key=lambda login: login.id != here)
    return SettingsPage(
        frame=framing.wide(visit),
        public_url=visit.deps.settings.public_base_url,
        browsers=tuple(browsers[:BROWSERS_SHOWN]),
        more_browsers=max(0, len(browsers) - BROWSERS_SHOWN),
        here=here,
        faults=faults or {},
        is_changed=is_changed,
        shortest=passwords.LENGTH_MIN,
        new_person_id=visit.deps.new_id(),
    )
