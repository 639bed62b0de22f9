"""The browsers in which persons are signed in. Each is a row, so that it can be ended from anywhere."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from chalicelib.model import Login, Person
from chalicelib.services import trail
from chalicelib.services.deps import Deps

LOGIN_OPEN: Final = timedelta(days=30)
SECRET_BYTES: Final = 32
BROWSER_MAX: Final = 120

_TICKET: Final = re.compile(r"([a-z0-9]{1,32})\.([a-z0-9]{1,32})\.([A-Za-z0-9_-]{43})")
_NO_SUCH_HASH: Final = hashlib.sha256(b"no login").hexdigest()
_FORM_PURPOSE: Final = b"graft console form 1"
_OWNER_PURPOSE: Final = b"graft console whose form 1"
_TOKEN_CHARACTERS: Final = 32


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A person in one browser."""

    person: Person
    login: Login
    ticket: str = field(repr=False)
    """What the cookie carries."""

    @property
    def form_token(self) -> str:
        """What every form of this browser carries; derived from the ticket, so that it ends with it.

        Its end marks the person, so that a form that outlives its sign-in still tells whose it is.
        """
        derived = hmac.digest(self.ticket.encode(), _FORM_PURPOSE, hashlib.sha256).hex()
        return derived[:_TOKEN_CHARACTERS] + self.mark

    @property
    def mark(self) -> str:
        """Tells persons apart, and nothing else of them."""
        return hmac.digest(_OWNER_PURPOSE, self.person.id.encode(), hashlib.sha256).hex()[:16]

    def owns(self, form_token: str) -> bool:
        """Whether a form that carries this came from a page of this browser."""
        return hmac.compare_digest(self.form_token.encode(), form_token.encode("utf-8", "replace"))


def open_login(deps: Deps, person_id: str, browser: str) -> str:
    """Sign a person in; answers the ticket for the cookie, which is not kept."""
    secret = new_secret(deps)
    now = deps.now()
    login_id = deps.new_id()
    deps.store.people.open_login(
        Login(person_id, login_id, hash_secret(secret), now, now + LOGIN_OPEN, browser[:BROWSER_MAX])
    )
    trail.current().person_id = person_id
    return f"{person_id}.{login_id}.{secret}"


def find_login(deps: Deps, ticket: str) -> SignedIn | None:
    """Who is signed in with this ticket; None alike for unknown, ended, expired and malformed."""
    match = _TICKET.fullmatch(ticket)
    if match is None:
        return None
    found = deps.store.people.find_login(match[1], match[2])
    known = found[1].secret_hash if found else _NO_SUCH_HASH
    genuine = hmac.compare_digest(known, hash_secret(match[3]))
    if found is None or not genuine or deps.now() >= found[1].expires_at:
        return None
    trail.current().person_id = match[1]
    return SignedIn(found[0], found[1], ticket)


def person_of(ticket: str) -> str:
    """Whose a ticket says it is; empty: it is malformed. It proves nothing: `find_login` does."""
    match = _TICKET.fullmatch(ticket)
    return match[1] if match else ""


def end(deps: Deps, person_id: str, login_id: str) -> bool:
    """Sign the person out in one browser. False: they were already, or it is another person's."""
    return deps.store.people.end_login(person_id, login_id)


def end_all(deps: Deps, person_id: str, *, but: str | None = None) -> int:
    """Sign the person out everywhere, `but` in this login; answers how many logins ended."""
    ended = 0
    for login in deps.store.people.logins(person_id):
        if login.id != but:
            ended += deps.store.people.end_login(person_id, login.id)
    return ended


def owner_of(form_token: str) -> str:
    """The mark of the person to whose page a form belongs; empty: it tells none. It proves nothing."""
    return form_token[_TOKEN_CHARACTERS:]


def keep_form(deps: Deps, signed_in: SignedIn, kept: str) -> bool:
    """Hold a form, without its secrets, until it is sent again; empty: forget it. False: the login is over."""
    return deps.store.people.keep_form(signed_in.person.id, signed_in.login.id, kept)


def new_secret(deps: Deps) -> str:
    """32 random bytes in 43 characters that are safe in an address and in a cookie."""
    return base64.urlsafe_b64encode(deps.random_bytes(SECRET_BYTES)).decode().rstrip("=")


def hash_secret(secret: str) -> str:
    """32 random bytes need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()
