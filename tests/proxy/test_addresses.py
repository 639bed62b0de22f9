"""Only addresses of the public internet are connected to, and a name is looked up once."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.addresses import checked_addresses, is_loopback, is_public
from chalicelib.proxy.deadline import DeadlinePassed
from chalicelib.proxy.hosts import parse_host
from tests.proxy.examples import soon

HOST = parse_host("api.vendor.example")
PUBLIC = ["93.184.216.34", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "168.63.129.17"]
PUBLIC_V6 = ["2606:2800:220:1:248:1893:25c8:1946", "2a00:1450:4001::200e", "2001:4860:4860::8888"]
CLOSED = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:169.254.169.254",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "2606:2800:220:1::1%eth0",
    "fec0::1",
    "ff02::1",
    "not an address",
    "",
    "2130706433",
    "127.1",
]


@pytest.mark.parametrize("address", PUBLIC + PUBLIC_V6)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", CLOSED)
def test_everything_else_is_closed(address: str) -> None:
    """Report: praxis-proxy/ai#406"""
    assert not is_public(address)


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_nothing_is_public_that_python_calls_private_or_special(address: IPv4Address | IPv6Address) -> None:
    if is_public(str(address)):
        assert not address.is_private
        assert not address.is_loopback
        assert not address.is_link_local
        assert not address.is_multicast
        assert not address.is_reserved
        assert not address.is_unspecified


@given(st.ip_addresses(v=4))
def test_an_address_inside_an_ipv6_address_is_closed_whatever_it_is(inner: IPv4Address) -> None:
    as_bits = int(inner)
    for prefix in ("::", "::ffff:0:0", "64:ff9b::", "64:ff9b:1::", "::ffff:0:0:0"):
        assert not is_public(str(IPv6Address(int(IPv6Address(prefix)) | as_bits)))
    assert not is_public(str(IPv6Address(int(IPv6Address("2002::")) | as_bits << 80)))


@pytest.mark.parametrize("address", CLOSED)
@pytest.mark.parametrize("place", [0, 1])
def test_one_closed_address_among_public_ones_refuses_the_host(address: str, place: int) -> None:
    found = [PUBLIC[0]]
    found.insert(place, address)
    with pytest.raises(Refusal) as refused:
        checked_addresses(HOST, lambda *_: found, is_local=False, deadline=soon())
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert "api.vendor.example" in refused.value.message
    assert not address or address not in refused.value.message


def test_the_name_is_looked_up_once_and_its_addresses_come_back_in_order() -> None:
    asked = []

    def resolve(name: str, port: int) -> list[str]:
        asked.append((name, port))
        return [*PUBLIC[:3], PUBLIC[0], *PUBLIC_V6]

    found = checked_addresses(HOST, resolve, is_local=False, deadline=soon())
    assert found == (*PUBLIC[:3], PUBLIC_V6[0])
    assert asked == [("api.vendor.example", 443)]


@pytest.mark.parametrize("answer", [[], OSError("no such name"), UnicodeError("label too long")])
def test_a_name_that_does_not_resolve_is_an_unreachable_vendor(answer: list[str] | Exception) -> None:
    def resolve(_name: str, _port: int) -> list[str]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(Refusal) as refused:
        checked_addresses(HOST, resolve, is_local=False, deadline=soon())
    assert refused.value.reason is Reason.VENDOR_UNREACHABLE


def test_a_name_service_that_never_answers_ends_at_the_deadline() -> None:
    release = Event()

    def resolve(_name: str, _port: int) -> list[str]:
        release.wait(5)
        return PUBLIC

    try:
        with pytest.raises(DeadlinePassed):
            checked_addresses(HOST, resolve, is_local=False, deadline=soon(0.05))
    finally:
        release.set()


def test_a_local_host_leads_to_this_machine_or_nowhere() -> None:
    local = parse_host("vendor.test:8123")
    assert checked_addresses(local, lambda *_: ["127.0.0.1", "::1"], is_local=True, deadline=soon()) == (
        "127.0.0.1",
        "::1",
    )
    for elsewhere in ("10.0.0.1", "169.254.169.254", PUBLIC[0], "::ffff:10.0.0.1"):
        with pytest.raises(Refusal, match="does not lead to this machine"):
            checked_addresses(local, lambda *_, to=elsewhere: [to], is_local=True, deadline=soon())


def test_loopback_is_not_a_matter_of_spelling() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("localhost")
