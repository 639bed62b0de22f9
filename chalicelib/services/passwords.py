"""Passwords: what may be one, and how it is kept (argon2id, RFC 9106's second recommended setting)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LENGTH_MIN: Final = 10
LENGTH_MAX: Final = 256
"""Characters: a longer one would be work for nothing."""


def find_password_fault(password: str, email: str = "") -> str | None:
    """Why this may not be a password, as a sentence; None: it may."""
    if not LENGTH_MIN <= len(password) <= LENGTH_MAX:
        return f"A password has {LENGTH_MIN} to {LENGTH_MAX} characters; a few unrelated words make a good one."
    if len(set(password)) < 4:
        return "This password repeats a few characters only; a few unrelated words make a good one."
    if email and password.casefold() in (email.casefold(), email.casefold().partition("@")[0]):
        return "The password must not be the e-mail address."
    return None


def hash_password(password: str) -> str:
    return _hasher().hash(password)


def fits(password_hash: str, password: str) -> bool:
    """Whether this is the password, in a time that does not depend on the answer."""
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        return _hasher().verify(password_hash, password[: LENGTH_MAX + 1])
    except (VerificationError, InvalidHashError):
        return False


@lru_cache(maxsize=1)
def no_hash() -> str:
    """A hash that no password fits, so that an unknown address takes as long as a known one."""
    return hash_password("nobody has this password")


@lru_cache(maxsize=1)
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher
    from argon2.profiles import RFC_9106_LOW_MEMORY

    return PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
