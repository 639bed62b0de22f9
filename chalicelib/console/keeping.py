"""A form that was sent after its sign-in had ended: what of it is kept until its person is back, and how it travels.

Nothing that is secret is ever kept. What is kept waits in the page that asks to sign in, sealed with the key of the
browser that sent it, and then in the row of the new login; so it comes back in this browser and to this person only.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.services import logins

from .forms import Fields, first
from .guard import FORM_TOKEN
from .scheme_words import SCHEMES

SECRETS: Final = frozenset({"password", "old_password", "new_password"}) | frozenset(
    f"{scheme.name}.{word.name}" for scheme in SCHEMES for word in scheme.secret
)
"""The fields of any form that are never kept."""
KEPT_MAX: Final = 16 * 1024
"""Characters. A longer form is not kept: its person is only led back to its page."""
SEAL_CHARACTERS: Final = 64
RESTORED: Final = "restored"
"""In the address of a page that shows what was kept."""
_PURPOSE: Final = b"graft console form that waits for a sign-in 1"


@dataclass(frozen=True, slots=True)
class Kept:
    form: str
    """The path that the form was sent to."""
    page: str
    """The address of the page that holds it, below the root."""
    owner: str
    """Marks whose it is, as `logins.owner_of` tells."""
    fields: Mapping[str, list[str]]
    had_secret: bool
    """Whether a secret was typed, which has to be typed again."""

    @property
    def address(self) -> str:
        """Of the page, filled in. It is seen from its beginning, where the notice is."""
        return f"{self.page}{'&' if '?' in self.page else '?'}{RESTORED}=1"

    @property
    def notice(self) -> str:
        """What stands above the form when it is back."""
        back = "Whatever you typed is back, except a secret" if self.had_secret else "Whatever you typed is back"
        return f"Nothing was saved: your sign-in had ended before you sent this. {back}; send it again."


def kept_of(fields: Fields, *, form: str, page: str) -> Kept:
    return Kept(
        form=form,
        page=page,
        owner=logins.owner_of(first(fields, FORM_TOKEN)),
        fields={name: list(values) for name, values in fields.items() if name not in SECRETS | {FORM_TOKEN}},
        had_secret=any(first(fields, name) for name in SECRETS),
    )


def write(kept: Kept) -> str:
    """As text; empty: it is too long to be kept."""
    told = [kept.form, kept.page, kept.owner, kept.fields, kept.had_secret]
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= KEPT_MAX else ""


def read(text: str) -> Kept | None:
    """Of what `write` made; None: nothing was kept."""
    told: list[Any] = json.loads(text) if text else []
    return Kept(*told) if told else None


def seal(text: str, browser_key: str) -> str:
    return f"{_mac(text, browser_key)}{text}" if text else ""


def unseal(sealed: str, browser_key: str) -> str:
    """What was sealed for this browser; empty: nothing, or not here."""
    mac, text = sealed[:SEAL_CHARACTERS], sealed[SEAL_CHARACTERS:]
    return text if hmac.compare_digest(mac.encode("utf-8", "replace"), _mac(text, browser_key).encode()) else ""


def _mac(text: str, browser_key: str) -> str:
    key = hmac.digest(browser_key.encode(), _PURPOSE, hashlib.sha256)
    return hmac.digest(key, text.encode("utf-8", "replace"), hashlib.sha256).hex()
