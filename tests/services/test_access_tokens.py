"""Access tokens over the real store: shared by processes, gone with a new secret and with a revoke."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace

import pytest

from chalicelib import wiring
from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection
from chalicelib.proxy.gate import Gate
from chalicelib.proxy.proxy import Proxy
from chalicelib.services import connections
from chalicelib.services.connections import NewConnection
from tests.proxy.examples import get, soon
from tests.proxy.raw_vendor import RawVendor, Received, ok, says
from tests.services.world import PERSON, World


@dataclass
class Vendor:
    """An API and its token URL, with as many processes of ours as are asked for."""

    world: World
    api: RawVendor
    login: RawVendor
    start: Callable[[Proxy], Proxy]

    def wanted(self, client_secret: str) -> NewConnection:
        return NewConnection(
            vendor="vendor",
            primary_host=self.api.host,
            scheme="oauth2_client_credentials",
            scheme_config={"tokenUrl": f"http://{self.login.host}/token"},
            secret={"clientId": "id", "clientSecret": client_secret},
        )

    def process(self) -> Proxy:
        deps = self.world.deps
        hosts = frozenset({self.api.host, self.login.host})
        return self.start(Proxy(vault=deps.vault, local_hosts=hosts, tokens=deps.store.tokens, now=deps.now))

    def call(self, proxy: Proxy, connection: Connection) -> int:
        gate = Gate(proxy, connection=lambda: self.now(connection), methods=frozenset({"GET"}), dry_run=False)
        return gate(get(), soon()).status

    def now(self, connection: Connection) -> Connection:
        found = self.world.deps.store.grants.find_connection(PERSON, connection.id)
        assert found is not None
        return found


@pytest.fixture
def vendor(world: World) -> Iterator[Vendor]:
    def grant(connection: socket.socket, _: Received) -> bool:
        connection.sendall(ok(b'{"access_token": "token-%d"}' % len(login.requests)))
        return True

    with ExitStack() as stack:
        login = stack.enter_context(closing(RawVendor(grant)))
        api = stack.enter_context(closing(RawVendor(says(ok()))))
        rules = wiring._ProxyConnections(frozenset({api.host, login.host}))
        world.deps = replace(world.deps, connections=rules)
        yield Vendor(world, api, login, lambda proxy: stack.enter_context(closing(proxy)))


def test_processes_share_one_token_through_the_table(vendor: Vendor) -> None:
    connection = connections.create_connection(vendor.world.deps, PERSON, vendor.wanted("first"))
    first, second = vendor.process(), vendor.process()
    assert [vendor.call(process, connection) for process in (first, second, first)] == [200, 200, 200]
    assert [r.header("authorization") for r in vendor.api.requests] == ["Bearer token-1"] * 3


def test_a_new_secret_brings_a_new_token_everywhere(vendor: Vendor) -> None:
    connection = connections.create_connection(vendor.world.deps, PERSON, vendor.wanted("first"))
    first, second = vendor.process(), vendor.process()
    vendor.call(first, connection)
    connections.replace_connection(vendor.world.deps, vendor.now(connection), vendor.wanted("second"))
    assert vendor.world.deps.store.tokens.find(vendor.now(connection)) is None
    vendor.call(second, connection)
    vendor.call(first, connection)
    assert [r.header("authorization") for r in vendor.api.requests] == [f"Bearer token-{n}" for n in (1, 2, 2)]


def test_after_a_revoke_no_process_sends_and_no_token_is_left(vendor: Vendor) -> None:
    connection = connections.create_connection(vendor.world.deps, PERSON, vendor.wanted("first"))
    first, second = vendor.process(), vendor.process()
    vendor.call(first, connection)
    before = vendor.now(connection)
    connections.revoke(vendor.world.deps, PERSON, connection.id)
    for process in (first, second):
        with pytest.raises(Refusal) as refused:
            vendor.call(process, connection)
        assert refused.value.reason is Reason.CONNECTION_REVOKED
    assert vendor.world.deps.store.tokens.find(before) is None
    assert (len(vendor.login.requests), len(vendor.api.requests)) == (1, 1)


def test_the_processs_own_proxy_shares_tokens_too(world: World) -> None:
    gate = world.deps.new_gate(connection=lambda: None, methods=frozenset(), dry_run=False)
    assert gate._proxy._source.tokens._rows is world.deps.store.tokens
