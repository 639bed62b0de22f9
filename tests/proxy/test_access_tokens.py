"""An access token is fetched once, shared sealed, renewed in time, and gone with its secret."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Event, Lock

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, StoredToken
from chalicelib.proxy.access_tokens import LEASE, NO_USE_FOR, AccessTokens, Need
from chalicelib.proxy.client_credentials import ClientRejected, Granted
from chalicelib.proxy.deadline import DeadlinePassed
from chalicelib.proxy.sealed_tokens import NothingShared, TokenRows
from tests.proxy.examples import VAULT, a_connection, soon
from tests.proxy.shared_rows import SharedRows

SECRET = {"clientId": "id", "clientSecret": "s3cr3t"}


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 12, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def forward(self, **by: float) -> None:
        self.time += timedelta(**by)


class TokenServer:
    """Grants `token-1`, `token-2`, … for `lifetime` seconds, or raises `fails`."""

    def __init__(self, lifetime: float = 3600.0) -> None:
        self.lifetime = lifetime
        self.fails: Exception | None = None
        self.styles: list[str] = []
        self.open = Event()
        self.open.set()
        self._lock = Lock()

    def __call__(self, style: str) -> Granted:
        with self._lock:
            self.styles.append(style)
            count = len(self.styles)
        assert self.open.wait(5)
        if self.fails is not None:
            raise self.fails
        return Granted(f"token-{count}", self.lifetime, "body")

    @property
    def fetches(self) -> int:
        return len(self.styles)


class Process:
    """One process's tokens."""

    def __init__(self, rows: TokenRows, server: TokenServer, clock: Clock) -> None:
        self.tokens = AccessTokens(rows, VAULT, now=clock, pause=self.pause)
        self.server = server
        self.connection = a_connection(scheme="oauth2_client_credentials", secret=SECRET)
        self.still_holds: Callable[[], None] = lambda: None
        self.while_waiting: Callable[[], None] = lambda: None

    def pause(self, seconds: float) -> None:
        self.while_waiting()
        time.sleep(min(seconds, 0.01))

    def token(self, *, refused: str = "", seconds: float = 10.0) -> str:
        need = Need(self.connection, self.server, self.still_holds, soon(seconds), refused)
        return self.tokens.get(need).text


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server() -> TokenServer:
    return TokenServer()


@pytest.fixture
def rows() -> SharedRows:
    return SharedRows()


@pytest.fixture
def process(rows: SharedRows, server: TokenServer, clock: Clock) -> Process:
    return Process(rows, server, clock)


@pytest.fixture
def other(rows: SharedRows, server: TokenServer, clock: Clock) -> Process:
    return Process(rows, server, clock)


def unreachable() -> Refusal:
    return Refusal(Reason.VENDOR_UNREACHABLE, "gone")


def test_a_token_is_fetched_once_for_all_processes(process: Process, other: Process, rows: SharedRows) -> None:
    assert process.tokens.at_hand(process.connection) is None
    assert [process.token(), process.token(), other.token(), other.token()] == ["token-1"] * 4
    assert process.server.fetches == 1
    assert rows.journal == ["find", "claim", "find", "keep", "find"]
    at_hand = other.tokens.at_hand(other.connection)
    assert at_hand is not None
    assert at_hand.text == "token-1"


def test_what_another_process_cannot_open_it_fetches_anew(process: Process, other: Process, rows: SharedRows) -> None:
    process.token()
    stored = rows.rows[1].token
    assert stored is not None
    rows.rows[1].token = replace(stored, sealed=(b"junk",))
    assert other.token() == "token-2"


class TestRenewal:
    def test_it_comes_before_the_end(self, process: Process, clock: Clock) -> None:
        process.token()
        clock.forward(seconds=3600 - 121)
        assert process.token() == "token-1"
        clock.forward(seconds=1)
        assert process.tokens.at_hand(process.connection) is None
        assert process.token() == "token-2"

    def test_a_short_life_keeps_a_part_of_it_in_hand(self, process: Process, clock: Clock) -> None:
        process.server.lifetime = 40
        process.token()
        clock.forward(seconds=29)
        assert process.token() == "token-1"
        clock.forward(seconds=1)
        assert process.token() == "token-2"

    def test_a_token_that_lives_for_no_time_serves_one_call(self, process: Process) -> None:
        process.server.lifetime = 0
        assert [process.token(), process.token()] == ["token-1", "token-2"]

    def test_while_another_process_fetches_the_usable_token_serves(
        self, process: Process, other: Process, rows: SharedRows, clock: Clock
    ) -> None:
        process.token()
        clock.forward(seconds=3600 - 100)
        assert rows.claim(other.connection, holder="other", now=clock(), until=clock() + LEASE)
        assert process.token() == "token-1"
        assert process.server.fetches == 1

    def test_a_failure_of_the_token_url_does_not_stop_the_usable_token_and_is_not_repeated_at_once(
        self, process: Process, other: Process, clock: Clock
    ) -> None:
        process.token()
        clock.forward(seconds=3600 - 100)
        process.server.fails = unreachable()
        assert [process.token(), process.token(), other.token()] == ["token-1"] * 3
        assert process.server.fetches == 2
        clock.forward(seconds=15)
        process.server.fails = None
        assert process.token() == "token-3"

    def test_past_its_margin_the_old_token_serves_no_more(self, process: Process, clock: Clock) -> None:
        process.token()
        clock.forward(seconds=3600 - 30)
        process.server.fails = unreachable()
        with pytest.raises(Refusal, match="gone"):
            process.token()

    def test_a_token_that_another_process_renewed_is_taken_over(
        self, process: Process, other: Process, clock: Clock
    ) -> None:
        process.token()
        clock.forward(seconds=3600 - 100)
        assert other.token() == "token-2"
        assert process.token() == "token-2"
        assert process.server.fetches == 2

    def test_the_way_the_client_was_proved_is_known_to_a_new_process(
        self, process: Process, other: Process, clock: Clock
    ) -> None:
        process.token()
        clock.forward(hours=2)
        other.token()
        assert process.server.styles == ["basic", "body"]


class TestWaiting:
    def test_many_threads_of_two_processes_fetch_once(self, process: Process, other: Process) -> None:
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda place: (process, other)[place % 2].token(), range(32)))
        assert found == ["token-1"] * 32
        assert process.server.fetches == 1

    def test_threads_that_need_a_renewal_do_not_wait_for_it(self, process: Process, clock: Clock) -> None:
        process.token()
        clock.forward(seconds=3600 - 100)
        process.server.open.clear()
        with ThreadPoolExecutor(1) as pool:
            renewing = pool.submit(process.token)
            while process.server.fetches < 2:
                time.sleep(0.001)
            assert process.token() == "token-1"
            process.server.open.set()
            assert renewing.result(timeout=5) == "token-2"

    def test_it_ends_at_the_deadline(self, process: Process, rows: SharedRows, clock: Clock) -> None:
        assert rows.claim(process.connection, holder="other", now=clock(), until=clock() + LEASE)
        with pytest.raises(DeadlinePassed):
            process.token(seconds=0.05)

    def test_behind_a_thread_that_fetches_it_ends_at_the_deadline_too(self, process: Process) -> None:
        process.server.open.clear()
        with ThreadPoolExecutor(1) as pool:
            fetching = pool.submit(process.token)
            while process.server.fetches < 1:
                time.sleep(0.001)
            with pytest.raises(DeadlinePassed):
                process.token(seconds=0.05)
            process.server.open.set()
            assert fetching.result(timeout=5) == "token-1"

    def test_a_process_that_died_while_it_fetched_is_waited_for_until_its_lease_ends(
        self, process: Process, rows: SharedRows, clock: Clock
    ) -> None:
        assert rows.claim(process.connection, holder="dead", now=clock(), until=clock() + LEASE)
        process.while_waiting = lambda: clock.forward(seconds=4)
        assert process.token() == "token-1"

    def test_a_fetch_that_failed_lets_the_next_one_try_at_once(self, process: Process, other: Process) -> None:
        process.server.fails = unreachable()
        with pytest.raises(Refusal, match="gone"):
            process.token()
        process.server.fails = None
        assert other.token() == "token-2"

    def test_what_was_kept_between_the_look_and_the_lease_is_not_fetched_again(
        self, process: Process, other: Process, rows: SharedRows
    ) -> None:
        other.token()

        class Late(SharedRows):
            """Its first look finds nothing."""

            def find(self, connection: Connection) -> StoredToken | None:
                found = rows.find(connection)
                self.journal.append("find")
                return None if self.journal == ["find"] else found

            def claim(self, connection: Connection, *, holder: str, now: datetime, until: datetime) -> bool:
                return rows.claim(connection, holder=holder, now=now, until=until)

            def release(self, connection: Connection, *, holder: str) -> None:
                rows.release(connection, holder=holder)

        late = Process(Late(), process.server, Clock())
        assert late.token() == "token-1"
        assert process.server.fetches == 1
        assert rows.rows[1].lease_until is None


class TestRefusedByTheVendor:
    def test_another_token_is_fetched(self, process: Process) -> None:
        assert process.token(refused=process.token()) == "token-2"
        assert process.token() == "token-2"

    def test_one_that_another_process_has_fetched_meanwhile_will_do(self, process: Process, other: Process) -> None:
        process.token()
        assert other.token(refused="token-1") == "token-2"
        assert process.token(refused="token-1") == "token-2"
        assert process.server.fetches == 2

    def test_many_threads_that_were_refused_fetch_one(self, process: Process, other: Process) -> None:
        process.token()
        other.token()
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda place: (process, other)[place % 2].token(refused="token-1"), range(32)))
        assert found == ["token-2"] * 32
        assert process.server.fetches == 2

    def test_a_new_token_that_did_not_help_is_not_followed_by_another_for_a_while(
        self, process: Process, clock: Clock
    ) -> None:
        assert process.tokens.may_renew(process.connection)
        process.tokens.did_not_help(process.connection)
        assert not process.tokens.may_renew(process.connection)
        assert process.tokens.may_renew(replace(process.connection, secret_revision=2))
        clock.time += NO_USE_FOR
        assert process.tokens.may_renew(process.connection)


class TestRejectedClient:
    def test_it_asks_for_the_credential(self, process: Process) -> None:
        process.server.fails = ClientRejected()
        with pytest.raises(Refusal, match="request_credential") as refused:
            process.token()
        assert refused.value.reason is Reason.CREDENTIAL_MISSING
        assert "c1" in refused.value.message
        assert "s3cr3t" not in refused.value.message

    def test_the_token_url_is_left_in_peace_for_a_while(self, process: Process, clock: Clock) -> None:
        process.server.fails = ClientRejected()
        for _ in range(3):
            with pytest.raises(Refusal):
                process.token()
        assert process.server.fetches == 1
        clock.time += NO_USE_FOR
        process.server.fails = None
        assert process.token() == "token-2"

    def test_another_secret_is_tried_at_once(self, process: Process, rows: SharedRows) -> None:
        process.server.fails = ClientRejected()
        with pytest.raises(Refusal):
            process.token()
        process.server.fails = None
        rows.live_revision = 2
        process.connection = replace(process.connection, secret_revision=2)
        assert process.token() == "token-2"


class TestRevoked:
    def test_while_it_waits(self, process: Process, rows: SharedRows, clock: Clock) -> None:
        assert rows.claim(process.connection, holder="other", now=clock(), until=clock() + LEASE)
        process.still_holds = revoked
        with pytest.raises(Refusal, match="revoked"):
            process.token()
        assert process.server.fetches == 0

    def test_while_it_fetches_the_token_is_kept_nowhere(self, process: Process, rows: SharedRows) -> None:
        def fetch(style: str) -> Granted:
            rows.live_revision = 0
            return process.server(style)

        process.still_holds = revoked
        need = Need(process.connection, fetch, revoked, soon())
        with pytest.raises(Refusal, match="revoked"):
            process.tokens.get(need)
        assert rows.rows[1].token is None
        assert process.tokens.at_hand(process.connection) is None

    def test_where_only_the_lease_was_lost_the_token_serves(self, process: Process, rows: SharedRows) -> None:
        def fetch(style: str) -> Granted:
            rows.rows[1].holder = "another"
            return process.server(style)

        assert process.tokens.get(Need(process.connection, fetch, lambda: None, soon())).text == "token-1"


def revoked() -> None:
    raise Refusal(Reason.CONNECTION_REVOKED, "revoked")


def test_a_process_on_its_own_shares_nothing(server: TokenServer, clock: Clock) -> None:
    alone = Process(NothingShared(), server, clock)
    assert [alone.token(), alone.token(), alone.token(refused="token-1")] == ["token-1", "token-1", "token-2"]
