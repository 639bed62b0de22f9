"""A connection's access token: kept for one secret, fetched by one at a time, gone with the secret."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.model import Connection, ConnectionState, StoredToken
from chalicelib.storage.store import Store
from tests.storage.examples import NOW, PERSON, SECOND

LEASE = 15 * SECOND
TOKEN = StoredToken(NOW + timedelta(minutes=50), NOW + timedelta(minutes=59), "body", (b"first part", b"\x00second"))


@pytest.fixture
def connection(store: Store) -> Connection:
    made = Connection(
        person_id=PERSON,
        id="c1",
        vendor="vendor",
        display_name="Vendor",
        scheme="oauth2_client_credentials",
        scheme_config={"tokenUrl": "https://login.vendor.example/token"},
        primary_host="api.vendor.example",
        hosts=("api.vendor.example",),
        state=ConnectionState.LIVE,
        created_at=NOW,
        secret_revision=1,
        sealed_secret=b"sealed",
    )
    store.people.add(PERSON)
    assert store.grants.add_connection(made)
    return made


def claim(store: Store, connection: Connection, holder: str, *, after: timedelta = timedelta()) -> bool:
    return store.tokens.claim(connection, holder=holder, now=NOW + after, until=NOW + after + LEASE)


def rotate(store: Store, connection: Connection) -> Connection:
    new = replace(connection, secret_revision=2, sealed_secret=b"another")
    assert store.grants.replace_connection(connection, new)
    return new


def test_a_token_that_was_kept_is_found(store: Store, connection: Connection) -> None:
    assert store.tokens.find(connection) is None
    assert claim(store, connection, "one")
    assert store.tokens.find(connection) is None
    assert store.tokens.keep(connection, TOKEN, holder="one")
    assert store.tokens.find(connection) == TOKEN


def test_one_at_a_time_fetches(store: Store, connection: Connection) -> None:
    assert claim(store, connection, "one")
    assert not claim(store, connection, "two")
    assert not store.tokens.keep(connection, TOKEN, holder="two")
    assert store.tokens.keep(connection, TOKEN, holder="one")
    assert claim(store, connection, "two")
    assert store.tokens.find(connection) == TOKEN


def test_a_lease_whose_answer_was_lost_is_taken_again(store: Store, connection: Connection) -> None:
    assert claim(store, connection, "one")
    assert claim(store, connection, "one")
    assert not claim(store, connection, "two")


def test_a_fetch_that_failed_makes_room_at_once(store: Store, connection: Connection) -> None:
    assert claim(store, connection, "one")
    store.tokens.release(connection, holder="two")
    assert not claim(store, connection, "two")
    store.tokens.release(connection, holder="one")
    assert claim(store, connection, "two")


def test_a_fetch_whose_process_died_makes_room_in_time_and_leaves_nothing(store: Store, connection: Connection) -> None:
    assert claim(store, connection, "one")
    assert not claim(store, connection, "two", after=LEASE - SECOND)
    assert claim(store, connection, "two", after=LEASE)
    assert not store.tokens.keep(connection, TOKEN, holder="one")
    store.tokens.release(connection, holder="one")
    assert store.tokens.keep(connection, TOKEN, holder="two")


def test_a_new_secret_takes_the_token_and_the_lease_along(store: Store, connection: Connection) -> None:
    assert claim(store, connection, "one")
    assert store.tokens.keep(connection, TOKEN, holder="one")
    assert claim(store, connection, "two")
    new = rotate(store, connection)
    assert store.tokens.find(new) is None
    assert store.tokens.find(connection) is None
    assert not store.tokens.keep(connection, TOKEN, holder="two")
    assert not claim(store, connection, "three")
    assert claim(store, new, "three")


def test_a_revoke_takes_the_token_along_and_nothing_comes_after_it(store: Store, connection: Connection) -> None:
    assert claim(store, connection, "one")
    assert store.tokens.keep(connection, TOKEN, holder="one")
    assert claim(store, connection, "two")
    assert store.grants.begin_revoke(connection, NOW)
    assert store.tokens.find(connection) is None
    assert not store.tokens.keep(connection, TOKEN, holder="two")
    assert not claim(store, connection, "three")


def test_another_persons_connection_of_the_same_id_has_its_own(store: Store, connection: Connection) -> None:
    assert claim(store, connection, "one")
    assert store.tokens.keep(connection, TOKEN, holder="one")
    assert store.tokens.find(replace(connection, person_id="p2")) is None
    assert not claim(store, replace(connection, person_id="p2"), "two")


def test_the_token_does_not_show_itself() -> None:
    assert "part" not in repr(TOKEN)
