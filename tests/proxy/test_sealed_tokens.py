"""What lies in the table opens as this connection's token under this secret, or not at all."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.model import StoredToken
from chalicelib.proxy.sealed_tokens import PART_CHARACTERS, AccessToken, opened, sealed
from tests.proxy.examples import VAULT, a_connection

NOW = datetime(2026, 12, 1, tzinfo=UTC)
CONNECTION = a_connection(scheme="oauth2_client_credentials", secret={"clientId": "id", "clientSecret": "s3cr3t"})
header_text = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=8192)


def a_token(text: str = "t0k3n") -> AccessToken:
    return AccessToken(text, NOW, NOW + timedelta(hours=1), "body")


def stored(text: str = "t0k3n") -> StoredToken:
    return sealed(VAULT, CONNECTION, a_token(text))


@given(header_text)
def test_a_token_of_any_length_opens_again(text: str) -> None:
    assert opened(VAULT, CONNECTION, stored(text)) == a_token(text)


@pytest.mark.parametrize("text", ['"' * 8192, "\\" * 2000])
def test_what_json_makes_twice_as_long_fits_all_the_same(text: str) -> None:
    assert opened(VAULT, CONNECTION, stored(text)) == a_token(text)


def test_a_token_does_not_show_itself() -> None:
    assert "t0k3n" not in repr((a_token(), stored()))


def test_no_part_shows_the_token() -> None:
    assert len(stored("t0k3n" * 1600).sealed) == 4
    assert all(b"t0k3n" not in part for part in stored("t0k3n" * 1600).sealed)


@pytest.mark.parametrize(
    "connection",
    [
        replace(CONNECTION, id="c2"),
        replace(CONNECTION, person_id="p2"),
        replace(CONNECTION, secret_revision=2),
        replace(CONNECTION, secret_revision=0),
    ],
)
def test_it_does_not_open_for_anybody_else(connection: object) -> None:
    assert opened(VAULT, connection, stored()) is None  # type: ignore[arg-type]  # it is a connection


def test_parts_that_are_not_all_or_not_in_order_do_not_open() -> None:
    whole = stored("x" * (2 * PART_CHARACTERS + 1))
    parts = whole.sealed
    others = stored("y" * (2 * PART_CHARACTERS + 1)).sealed
    assert (
        opened(VAULT, CONNECTION, replace(whole, sealed=(others[0], *parts[1:]))) is not None
    )  # same secret, same place
    for wrong in (parts[::-1], parts[:2], parts[1:], (*parts, parts[2]), (), (b"junk",), (b"",)):
        assert opened(VAULT, CONNECTION, replace(whole, sealed=wrong)) is None


def test_the_connections_own_secret_is_no_token() -> None:
    assert CONNECTION.sealed_secret is not None
    assert opened(VAULT, CONNECTION, replace(stored(), sealed=(CONNECTION.sealed_secret,))) is None
    as_token = VAULT.seal({"token": "x"}, person_id=CONNECTION.person_id, connection_id=CONNECTION.id)
    assert opened(VAULT, CONNECTION, replace(stored(), sealed=(as_token,))) is None
