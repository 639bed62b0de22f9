"""Loopback vendors and proxies that end with their test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from chalicelib.proxy.addresses import Resolver, system_resolve
from chalicelib.proxy.proxy import Proxy
from chalicelib.proxy.transport import Transport
from tests.proxy.examples import VAULT
from tests.proxy.raw_vendor import RawVendor, Script

Vendors = Callable[[Script], RawVendor]
Proxies = Callable[..., Proxy]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def vendor(stack: ExitStack) -> Vendors:
    return lambda script: stack.enter_context(closing(RawVendor(script)))


@pytest.fixture
def proxy(stack: ExitStack) -> Proxies:
    """A proxy that may call these `host:port` over http. Names ending in .test resolve to loopback."""

    def make(*local_hosts: str, resolve: Resolver = names_in_test) -> Proxy:
        transport = lambda: Transport(resolve=resolve)  # noqa: E731  # made at the proxy's first call
        made = Proxy(vault=VAULT, local_hosts=frozenset(local_hosts), transport=transport)
        return stack.enter_context(closing(made))

    return make


def names_in_test(name: str, port: int) -> list[str]:
    return ["127.0.0.1"] if name.endswith(".test") else system_resolve(name, port)
