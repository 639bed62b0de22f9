"""Hands of one connection that need a token at the same moment, each as a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from chalicelib.errors import Conflict
from chalicelib.model import Connection, ConnectionState
from chalicelib.proxy.access_tokens import AccessTokens, Need
from chalicelib.proxy.client_credentials import Granted
from tests.proxy.examples import VAULT, soon
from tests.races.arena import LiveArena
from tests.races.test_at_once import at_once
from tests.services.world import PERSON, World

HANDS = 8


class TokenServer:
    """Grants `token-1`, `token-2`, …; `fetching` is who is at it, and `together` whether two ever were."""

    def __init__(self) -> None:
        self.fetches = 0
        self.fetching = 0
        self.together = False
        self._lock = Lock()

    def __call__(self, style: str) -> Granted:
        with self._lock:
            self.fetches += 1
            self.fetching += 1
            self.together |= self.fetching > 1
            granted = Granted(f"token-{self.fetches}", 3600.0, style)
        time.sleep(0.01)  # for the others to run into it
        with self._lock:
            self.fetching -= 1
        return granted


def a_connection(arena: LiveArena) -> Connection:
    connection = Connection(
        person_id=PERSON,
        id="oauth",
        vendor="vendor",
        display_name="Vendor",
        scheme="oauth2_client_credentials",
        scheme_config={},
        primary_host="api.vendor.example",
        hosts=("api.vendor.example",),
        state=ConnectionState.LIVE,
        created_at=arena.clock(),
        secret_revision=1,
        sealed_secret=b"sealed",
    )
    assert arena.clean.deps.store.grants.add_connection(connection)
    return connection


def needs(world: World, connection: Connection, server: TokenServer, refused: str = "") -> Callable[[], str]:
    tokens = AccessTokens(world.deps.store.tokens, VAULT, now=world.clock, pause=lambda s: time.sleep(s / 10))

    def still_holds() -> None:
        found = world.deps.store.grants.find_connection(PERSON, connection.id)
        if found is None or found.state is not ConnectionState.LIVE:
            raise Conflict("revoked")

    return lambda: tokens.get(Need(connection, server, still_holds, soon(30), refused)).text


def test_one_of_many_hands_fetches_and_all_have_it(arena: LiveArena) -> None:
    connection, server = a_connection(arena), TokenServer()
    found = at_once(*[needs(arena.hand(), connection, server) for _ in range(HANDS)])
    assert not server.together
    assert set(found) <= {"token-1", None} or arena.faulty
    assert server.fetches == 1 or arena.faulty


def test_one_of_many_hands_that_were_refused_fetches_the_next(arena: LiveArena) -> None:
    connection, server = a_connection(arena), TokenServer()
    needs(arena.clean, connection, server)()
    found = at_once(*[needs(arena.hand(), connection, server, "token-1") for _ in range(HANDS)])
    assert not server.together
    assert "token-1" not in found
    assert server.fetches == 2 or arena.faulty


def test_whatever_is_fetched_when_a_revoke_comes_no_token_is_left(arena: LiveArena) -> None:
    connection, server = a_connection(arena), TokenServer()
    hands = [needs(arena.hand(), connection, server) for _ in range(HANDS)]
    store = arena.clean.deps.store
    at_once(*hands, lambda: store.grants.begin_revoke(connection, arena.clock()))
    assert store.tokens.find(connection) is None
    assert not store.tokens.claim(connection, holder="late", now=arena.clock(), until=arena.clock())
