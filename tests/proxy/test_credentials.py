"""Credentials in the clear are kept by their revision, and not for ever."""

from __future__ import annotations

from functools import partial

from chalicelib.proxy.credentials import Credential, CredentialCache
from chalicelib.proxy.recent import REMEMBERED_MAX


def test_a_credential_is_opened_once_for_each_revision() -> None:
    cache = CredentialCache()
    opened: list[int] = []
    for revision in (1, 1, 2, 2, 1):
        assert cache.get(("p", "c", revision), partial(_open, revision, opened)).headers == (("X", str(revision)),)
    assert opened == [1, 2]


def test_the_least_recently_used_is_forgotten() -> None:
    cache = CredentialCache()
    opened: list[int] = []
    for revision in (*range(REMEMBERED_MAX), 0, REMEMBERED_MAX):
        cache.get(("p", "c", revision), partial(_open, revision, opened))
    opened.clear()
    for revision in (0, 1):
        cache.get(("p", "c", revision), partial(_open, revision, opened))
    assert opened == [1]


def _open(revision: int, opened: list[int]) -> Credential:
    opened.append(revision)
    return Credential(headers=(("X", str(revision)),))
