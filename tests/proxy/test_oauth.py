"""Calls with OAuth client credentials, over the wire: the token URL asked once, the vendor called with its token."""

from __future__ import annotations

import logging
import socket
import traceback
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from urllib.parse import parse_qs

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, ConnectionState, VendorResponse
from chalicelib.proxy.gate import Gate
from chalicelib.proxy.proxy import Proxy
from chalicelib.proxy.transport import Transport
from tests.proxy.conftest import Proxies, Vendors, names_in_test
from tests.proxy.examples import VAULT, a_connection, get, post, soon
from tests.proxy.raw_vendor import RawVendor, Received, Script, ok, redirect, says
from tests.proxy.shared_rows import SharedRows

OAUTH = "oauth2_client_credentials"
SECRET = {"clientId": "the-id", "clientSecret": "cl13nt-s3cr3t/+"}
ALL = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})


class World:
    """A vendor and its token URL. `tokens` are those that the vendor takes; each fetch grants the next."""

    def __init__(self, start: Callable[[Script], RawVendor]) -> None:
        self.login = start(self._grant)
        self.api = start(self._serve)
        self.takes: str | None = None
        self.before_grant: Callable[[], None] = lambda: None
        self.before_answer: Callable[[], None] = lambda: None
        self.connection = a_connection(
            self.api.host, scheme=OAUTH, config={"tokenUrl": f"http://{self.login.host}/token"}, secret=SECRET
        )

    def _grant(self, connection: socket.socket, _: Received) -> bool:
        self.before_grant()
        token = f"t0k3n-{len(self.login.requests):04}"
        connection.sendall(ok(b'{"access_token": "%s", "token_type": "bearer"}' % token.encode()))
        return True

    def _serve(self, connection: socket.socket, received: Received) -> bool:
        self.before_answer()
        sent = received.header("authorization") or ""
        is_taken = self.takes is None or sent == f"Bearer {self.takes}"
        status = "200 OK" if is_taken else "401 Unauthorized"
        connection.sendall(ok(sent.encode(), f"X-Echo: {sent}", status=status))
        return True

    @property
    def hosts(self) -> tuple[str, str]:
        return self.api.host, self.login.host

    def sent(self) -> list[str | None]:
        return [received.header("authorization") for received in self.api.requests]

    def now_revoked(self) -> None:
        self.connection = replace(self.connection, state=ConnectionState.REVOKING, sealed_secret=None)

    def now_rotated(self) -> None:
        sealed = VAULT.seal(
            SECRET | {"clientSecret": "n3w"}, person_id=self.connection.person_id, connection_id=self.connection.id
        )
        self.connection = replace(self.connection, secret_revision=2, sealed_secret=sealed)


@pytest.fixture
def world(vendor: Vendors) -> World:
    return World(vendor)


def fetch(proxy: Proxy, world: World, **more: object) -> VendorResponse:
    return proxy.send(world.connection, get("/x", **more), deadline=soon(), reread=lambda: world.connection)


def a_gate(proxy: Proxy, world: World, *, dry_run: bool = False) -> Gate:
    return Gate(proxy, connection=lambda: world.connection, methods=ALL, dry_run=dry_run)


def test_the_token_is_fetched_once_and_carried_as_a_bearer_token(proxy: Proxies, world: World) -> None:
    sender = proxy(*world.hosts)
    assert [fetch(sender, world).status for _ in range(3)] == [200, 200, 200]
    assert world.sent() == ["Bearer t0k3n-0001"] * 3
    (asked,) = world.login.requests
    assert (asked.method, asked.target) == ("POST", "/token")
    assert parse_qs(asked.body.decode()) == {"grant_type": ["client_credentials"]}
    assert asked.header_names == {
        "host",
        "user-agent",
        "accept-encoding",
        "accept",
        "content-type",
        "content-length",
        "authorization",
    }


def test_scopes_are_asked_for(proxy: Proxies, world: World) -> None:
    config = dict(world.connection.scheme_config) | {"scopes": "read:all write"}
    world.connection = replace(world.connection, scheme_config=config)
    fetch(proxy(*world.hosts), world)
    assert parse_qs(world.login.requests[0].body.decode())["scope"] == ["read:all write"]


def test_a_modules_own_authorization_is_stripped(proxy: Proxies, world: World) -> None:
    fetch(proxy(*world.hosts), world, headers=(("Authorization", "forged"),))
    assert world.sent() == ["Bearer t0k3n-0001"]


def test_token_and_client_secret_come_back_redacted(proxy: Proxies, world: World) -> None:
    response = fetch(proxy(*world.hosts), world)
    assert response.text == "Bearer [redacted]"
    assert dict(response.headers)["x-echo"] == "Bearer [redacted]"


def test_the_client_secret_in_a_vendors_answer_is_redacted(proxy: Proxies, vendor: Vendors, world: World) -> None:
    api = vendor(says(ok(b'{"client_id": "the-id", "client_secret": "cl13nt-s3cr3t\\/+"}')))
    world.connection = replace(world.connection, primary_host=api.host, hosts=(api.host,))
    response = fetch(proxy(api.host, world.login.host), world)
    assert response.text == '{"client_id": "the-id", "client_secret": "[redacted]"}'


class TestUnauthorized:
    def test_a_token_that_the_vendor_refuses_is_replaced_and_the_call_repeated_once(
        self, proxy: Proxies, world: World
    ) -> None:
        sender = proxy(*world.hosts)
        world.takes = "t0k3n-0001"
        assert fetch(sender, world).status == 200
        world.takes = "t0k3n-0002"
        assert fetch(sender, world).status == 200
        assert world.sent() == ["Bearer t0k3n-0001", "Bearer t0k3n-0001", "Bearer t0k3n-0002"]
        assert fetch(sender, world).status == 200
        assert len(world.login.requests) == 2

    def test_a_write_is_repeated_with_its_body(self, proxy: Proxies, world: World) -> None:
        sender = proxy(*world.hosts)
        world.takes = "t0k3n-0002"
        answer = sender.send(world.connection, post("/x", "body"), deadline=soon(), reread=lambda: world.connection)
        assert answer.status == 200
        assert [received.body for received in world.api.requests] == [b"body", b"body"]

    def test_a_vendor_that_refuses_every_token_gets_its_401_through_and_the_token_url_is_spared(
        self, proxy: Proxies, world: World
    ) -> None:
        sender = proxy(*world.hosts)
        world.takes = "never"
        for _ in range(5):
            answer = fetch(sender, world)
            assert (answer.status, answer.text) == (401, "Bearer [redacted]")
        assert len(world.login.requests) == 2
        assert len(world.api.requests) == 6

    def test_another_schemes_401_is_the_answer(self, proxy: Proxies, vendor: Vendors) -> None:
        api = vendor(says(ok(b"no", status="401 Unauthorized")))
        connection = a_connection(api.host, scheme="bearer", secret={"token": "t0k3n-0001"})
        assert proxy(api.host).send(connection, get(), deadline=soon()).status == 401
        assert len(api.requests) == 1

    def test_the_401_of_another_host_that_was_redirected_to_says_nothing_of_the_token(
        self, proxy: Proxies, vendor: Vendors, world: World
    ) -> None:
        second = vendor(says(ok(b"", status="401 Unauthorized")))
        first = vendor(says(redirect(f"http://{second.host}/")))
        world.connection = replace(world.connection, primary_host=first.host, hosts=(first.host, second.host))
        assert fetch(proxy(first.host, second.host, world.login.host), world).status == 401
        assert second.requests[0].header("authorization") is None
        assert len(world.login.requests) == 1


class TestTokenUrl:
    def given(self, world: World, vendor: Vendors, *answers: bytes) -> RawVendor:
        login = vendor(says(*answers))
        config = {"tokenUrl": f"http://{login.host}/token"}
        world.connection = replace(world.connection, scheme_config=config)
        return login

    def refusal(self, proxy: Proxies, world: World, *hosts: str) -> Refusal:
        with pytest.raises(Refusal) as refused:
            fetch(proxy(*world.hosts, *hosts), world)
        assert world.api.requests == []
        return refused.value

    def test_a_rejected_client_asks_for_the_credential(self, proxy: Proxies, vendor: Vendors, world: World) -> None:
        echo = b'{"error": "invalid_client", "error_description": "cl13nt-s3cr3t/+ is wrong"}'
        login = self.given(world, vendor, ok(echo, status="401 Unauthorized"))
        refusal = self.refusal(proxy, world, login.host)
        assert refusal.reason is Reason.CREDENTIAL_MISSING
        assert "request_credential" in refusal.message
        assert len(login.requests) == 2

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_no_redirect_is_followed(self, proxy: Proxies, vendor: Vendors, world: World, status: int) -> None:
        login = self.given(world, vendor, redirect(f"http://{world.api.host}/steal", status))
        refusal = self.refusal(proxy, world, login.host)
        assert (refusal.reason, f"answered {status}" in refusal.message) == (Reason.VENDOR_UNREACHABLE, True)

    @pytest.mark.parametrize(
        "answer",
        [
            ok(b"", status="500 Oops"),
            ok(b"<html>cl13nt-s3cr3t/+</html>"),
            b"nonsense\r\n\r\n",
            ok(bytes(6 * 1024 * 1024)),
            ok(b'{"error": "invalid_scope"}', status="400 Bad"),
        ],
    )
    def test_what_brings_no_token_is_an_unreachable_vendor(
        self, proxy: Proxies, vendor: Vendors, world: World, answer: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        login = self.given(world, vendor, answer)
        refusal = self.refusal(proxy, world, login.host)
        assert refusal.reason is Reason.VENDOR_UNREACHABLE
        assert "No access token could be fetched" in refusal.message
        trace = "".join(traceback.format_exception(refusal))
        assert "cl13nt" not in trace + repr(refusal.details) + caplog.text

    def test_one_that_never_answers_ends_with_the_run(self, proxy: Proxies, vendor: Vendors, world: World) -> None:
        silent = vendor(lambda *_: not silent.closing.wait(5))
        world.connection = replace(world.connection, scheme_config={"tokenUrl": f"http://{silent.host}/token"})
        with pytest.raises(Refusal) as refused:
            proxy(*world.hosts, silent.host).send(world.connection, get(), deadline=soon(0.2))
        assert refused.value.reason is Reason.RUN_TIMEOUT

    def test_one_that_is_slow_ends_before_the_run(
        self, proxy: Proxies, vendor: Vendors, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("chalicelib.proxy.token_fetch.FETCH_SECONDS_MAX", 0.1)
        silent = vendor(lambda *_: not silent.closing.wait(5))
        world.connection = replace(world.connection, scheme_config={"tokenUrl": f"http://{silent.host}/token"})
        refusal = self.refusal(proxy, world, silent.host)
        assert refusal.reason is Reason.VENDOR_UNREACHABLE

    def test_a_name_that_leads_inside_is_not_asked(self, proxy: Proxies, world: World) -> None:
        world.connection = replace(
            world.connection,
            primary_host="api.vendor.example",
            hosts=("api.vendor.example",),
            scheme_config={"tokenUrl": "https://login.vendor.example/token"},
        )
        with pytest.raises(Refusal, match="not on the public internet") as refused:
            fetch(proxy(resolve=lambda *_: ["169.254.169.254"]), world)
        assert refused.value.reason is Reason.HOST_NOT_ALLOWED

    def test_a_local_host_that_no_setting_names_is_not_asked(self, proxy: Proxies, world: World) -> None:
        with pytest.raises(Refusal) as refused:
            fetch(proxy(world.api.host), world)
        assert refused.value.reason is Reason.HOST_NOT_ALLOWED
        assert world.login.connections == 0

    def test_a_foreign_host_that_nobody_confirmed_is_not_asked(self, proxy: Proxies, world: World) -> None:
        foreign = world.login.named("login.test")
        config = {"tokenUrl": f"http://{foreign}/token"}
        world.connection = replace(world.connection, scheme_config=config)
        assert self.refusal(proxy, world, foreign).reason is Reason.HOST_NOT_ALLOWED
        assert world.login.connections == 0
        world.connection = replace(world.connection, scheme_config=config | {"tokenHostConfirmed": foreign})
        assert fetch(proxy(*world.hosts, foreign), world).status == 200


class TestNothingLeavesAfterARevoke:
    """The connection is read strongly before each thing that leaves."""

    def refused(self, gate: Gate) -> None:
        with pytest.raises(Refusal) as refused:
            gate(get("/x"), soon())
        assert refused.value.reason is Reason.CONNECTION_REVOKED

    def test_before_the_first_call(self, proxy: Proxies, world: World) -> None:
        gate = a_gate(proxy(*world.hosts), world)
        gate(get("/x"), soon())
        world.now_revoked()
        self.refused(gate)
        assert (len(world.login.requests), len(world.api.requests)) == (1, 1)

    def test_while_the_token_is_fetched(self, proxy: Proxies, world: World) -> None:
        world.before_grant = world.now_revoked
        self.refused(a_gate(proxy(*world.hosts), world))
        assert (len(world.login.requests), len(world.api.requests)) == (1, 0)

    def test_between_the_401_and_the_new_token(self, proxy: Proxies, world: World) -> None:
        world.takes, world.before_answer = "another", world.now_revoked
        self.refused(a_gate(proxy(*world.hosts), world))
        assert (len(world.login.requests), len(world.api.requests)) == (1, 1)

    def test_between_the_new_token_and_the_repeated_call(self, proxy: Proxies, world: World) -> None:
        world.takes = "another"
        world.before_answer = lambda: setattr(world, "before_grant", world.now_revoked)
        self.refused(a_gate(proxy(*world.hosts), world))
        assert (len(world.login.requests), len(world.api.requests)) == (2, 1)

    def test_between_the_two_ways_to_prove_the_client(self, proxy: Proxies, vendor: Vendors, world: World) -> None:
        def reject(connection: socket.socket, _: Received) -> bool:
            world.now_revoked()
            connection.sendall(ok(b"", status="401 Unauthorized"))
            return True

        login = vendor(reject)
        world.connection = replace(world.connection, scheme_config={"tokenUrl": f"http://{login.host}/token"})
        self.refused(a_gate(proxy(*world.hosts, login.host), world))
        assert len(login.requests) == 1

    @pytest.mark.parametrize("scheme", ["none", "bearer", "api_key_query", OAUTH])
    @pytest.mark.parametrize("hop", [1, 2, 3])
    def test_at_every_hop_of_a_redirect(
        self, proxy: Proxies, vendor: Vendors, world: World, scheme: str, hop: int
    ) -> None:
        def on(connection: socket.socket, _: Received) -> bool:
            if len(api.requests) == hop:
                world.now_revoked()
            connection.sendall(redirect(f"/{len(api.requests)}"))
            return True

        api = vendor(on)
        config = {"tokenUrl": f"http://{world.login.host}/token", "queryParam": "key"}
        secret = SECRET | {"token": "t0k3n", "key": "k3y"}
        world.connection = a_connection(api.host, scheme=scheme, config=config, secret=secret)
        self.refused(a_gate(proxy(api.host, world.login.host), world))
        assert len(api.requests) == hop


def test_a_new_secret_in_the_middle_of_a_fetch_is_the_one_that_is_used(proxy: Proxies, world: World) -> None:
    def rotate() -> None:
        if len(world.login.requests) == 1:
            world.now_rotated()

    world.before_grant = rotate
    assert fetch(proxy(*world.hosts), world).status == 200
    assert world.sent() == ["Bearer t0k3n-0002"]


def test_a_host_that_was_taken_away_meanwhile_is_not_redirected_to(
    proxy: Proxies, vendor: Vendors, world: World
) -> None:
    def narrowed(connection: socket.socket, _: Received) -> bool:
        world.connection = replace(world.connection, hosts=(first.host,))
        connection.sendall(redirect(f"http://{second.host}/"))
        return True

    second = vendor(says(ok()))
    first = vendor(narrowed)
    world.connection = a_connection(first.host, second.host)
    with pytest.raises(Refusal) as refused:
        a_gate(proxy(first.host, second.host), world)(get("/x"), soon())
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert second.requests == []


def test_a_stopped_call_of_a_dry_run_fetches_and_opens_nothing() -> None:
    class Closed:
        def __getattr__(self, name: str) -> object:
            raise AssertionError(name)

    closed = Closed()
    proxy = Proxy(vault=closed, tokens=closed, local_hosts=frozenset())  # type: ignore[arg-type]  # nothing is asked
    connection = a_connection(
        "api.vendor.example", scheme=OAUTH, config={"tokenUrl": "https://login.vendor.example/"}, secret=SECRET
    )
    gate = Gate(proxy, connection=lambda: connection, methods=ALL, dry_run=True)
    assert gate(post("/x", "{}"), soon()).status == 202
    assert "uthorization" not in str(gate.previews)


def test_two_processes_share_one_token(stack: ExitStack, world: World) -> None:
    rows = SharedRows()
    first, second = (
        stack.enter_context(
            closing(
                Proxy(
                    vault=VAULT,
                    tokens=rows,
                    local_hosts=frozenset(world.hosts),
                    transport=lambda: Transport(resolve=names_in_test),
                )
            )
        )
        for _ in range(2)
    )
    assert [fetch(sender, world).status for sender in (first, second, first)] == [200, 200, 200]
    assert len(world.login.requests) == 1


def test_a_secret_that_is_another_schemes_is_missing(proxy: Proxies, world: World) -> None:
    stray = a_connection(scheme=OAUTH, secret={"token": "x"}).sealed_secret
    world.connection = replace(world.connection, sealed_secret=stray)
    with pytest.raises(Refusal) as refused:
        fetch(proxy(*world.hosts), world)
    assert refused.value.reason is Reason.CREDENTIAL_MISSING


def test_no_repr_shows_secret_or_token(proxy: Proxies, world: World) -> None:
    sender: Proxy = proxy(*world.hosts)
    fetch(sender, world)
    connection: Connection = world.connection
    tokens = sender._source.tokens
    shown = repr((sender, vars(sender), vars(sender._source), vars(tokens), tokens.at_hand(connection), connection))
    assert "cl13nt" not in shown
    assert "t0k3n" not in shown
