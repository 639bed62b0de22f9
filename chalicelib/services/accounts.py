"""How persons get in: one-time links, e-mail and password, invitations."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Account, Link, LinkKind, Person
from chalicelib.rules.throttle import decide_lock
from chalicelib.services import logins, passwords
from chalicelib.services.deps import Deps
from chalicelib.services.logins import hash_secret, new_secret
from chalicelib.services.retries import attempts

EMAIL_MAX: Final = 254
"""Characters of an address that can be delivered to (RFC 5321)."""
LINK_OPEN: Final = {LinkKind.SIGN_IN: timedelta(days=1), LinkKind.SET_UP: timedelta(days=7)}


class SignInFailed(Exception):
    """The address and the password do not belong together; which of them is wrong, if any, is not told."""


class Locked(SignInFailed):
    """The account takes no attempt for a while. Only its owner may learn of that: it tells that there is one."""

    def __init__(self, wait_seconds: int) -> None:
        super().__init__("locked")
        self.wait_seconds = wait_seconds


def new_link(deps: Deps, person_id: str, kind: LinkKind) -> str:
    """A one-time link's secret: shown once, kept as a hash."""
    secret = new_secret(deps)
    deps.store.people.add_link(Link(hash_secret(secret), person_id, kind, deps.now() + LINK_OPEN[kind]))
    return secret


def invite(deps: Deps, person_id: str) -> str | None:
    """The secret of the link with which a new person of this Graft chooses address and password.

    `person_id`: theirs, chosen before, so that the same wish twice makes one person; None: it has been.
    """
    if not deps.store.people.add(person_id):
        return None
    return new_link(deps, person_id, LinkKind.SET_UP)


def find_link(deps: Deps, secret: str) -> Link | None:
    """A link that was not used and has not expired."""
    return deps.store.people.find_link(hash_secret(secret[:100]), deps.now())


def sign_in_by_link(deps: Deps, link: Link, browser: str) -> str | None:
    """The ticket of a new login; None: the link was used meanwhile."""
    if link.kind is not LinkKind.SIGN_IN or not deps.store.people.use_link(link):
        return None
    return logins.open_login(deps, link.person_id, browser)


def set_up(deps: Deps, link: Link, email: str, password: str, browser: str) -> str | None:
    """Give the link's person an account and sign them in; None: the link was used meanwhile.

    Refuses `input_invalid`: no address, an address that is taken, a password that is none.
    """
    email = _checked_email(email)
    _check_password(password, email)
    account = Account(email, link.person_id, passwords.hash_password(password))
    if deps.store.people.set_up(link, account):
        return logins.open_login(deps, link.person_id, browser)
    if deps.store.people.find_account(email) is not None:
        raise Refusal(Reason.INPUT_INVALID, "This address cannot be used. Sign in with it, or choose another.")
    return None


def sign_in(deps: Deps, email: str, password: str, browser: str) -> str:
    """The ticket of a new login. Raises `SignInFailed`, for a locked account as for none.

    The attempt is counted before the password is looked at, so that many at once are as slow as one after another.
    """
    try:
        account = _counted(deps, email)
    except Locked:
        account = None
    known = account.password_hash if account else passwords.no_hash()
    genuine = passwords.fits(known, password)
    if account is None or not genuine:
        raise SignInFailed
    deps.store.people.note_success(account)
    return logins.open_login(deps, account.person_id, browser)


def _counted(deps: Deps, email: str) -> Account | None:
    """The account with this attempt counted against it; None: there is none, and nothing was written.

    Raises `Locked`.
    """
    for _ in attempts(deps, "this account"):
        account = deps.store.people.find_account(email[:EMAIL_MAX])
        if account is None:
            return None
        now = deps.now()
        if account.locked_until is not None and now < account.locked_until:
            raise Locked(_seconds(account.locked_until, now))
        if deps.store.people.note_failure(account, decide_lock(account.failures + 1, now)):
            return account
    raise AssertionError("unreachable: attempts() ends with a refusal")


def change_password(deps: Deps, person: Person, login_id: str, old: str, new: str) -> None:
    """Replace the password and sign out every other browser.

    Refuses `input_invalid`; raises `SignInFailed`, and `Locked` before the old one was looked at.
    """
    _check_password(new, person.email)
    account = _counted(deps, person.email)
    if account is None or not passwords.fits(account.password_hash, old):
        raise SignInFailed
    if not deps.store.people.set_password(account, passwords.hash_password(new)):
        raise SignInFailed
    logins.end_all(deps, person.id, but=login_id)


def _checked_email(email: str) -> str:
    email = email.strip()
    name, at, domain = email.rpartition("@")
    fits = name and at and "." in domain.strip(".") and email.isprintable() and " " not in email
    if not fits or len(email) > EMAIL_MAX:
        raise Refusal(Reason.INPUT_INVALID, "Enter an e-mail address, such as name@example.org.")
    return email


def _check_password(password: str, email: str) -> None:
    fault = passwords.find_password_fault(password, email)
    if fault is not None:
        raise Refusal(Reason.INPUT_INVALID, fault)


def _seconds(until: datetime, now: datetime) -> int:
    return int((until - now).total_seconds()) + 1
