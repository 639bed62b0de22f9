"""The SSRF table: every way by which a connection, a module, a name service or a vendor could lead the proxy inside.

`test_the_ssrf_table` is what SECURITY.md names. Each row is tried through the whole proxy, and no socket may be opened
to any address but the public one that the allowed host resolves to.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, VendorRequest
from chalicelib.proxy.connection_check import check_connection
from chalicelib.proxy.proxy import Proxy
from chalicelib.proxy.transport import Transport
from tests.proxy.examples import VAULT, a_connection, get, soon
from tests.proxy.raw_vendor import RawVendor, ok, redirect, says

API: Final = "api.vendor.example"
PUBLIC: Final = "93.184.216.34"
PUBLIC_V6: Final = "2606:2800:220:1:248:1893:25c8:1946"

NOT_PUBLIC: Final = {
    "this network": "0.0.0.0",
    "this network, further in": "0.1.2.3",
    "private 10": "10.0.0.1",
    "private 172.16": "172.31.255.254",
    "private 192.168": "192.168.1.1",
    "shared": "100.64.0.1",
    "metadata of Alibaba": "100.100.100.200",
    "loopback": "127.0.0.1",
    "loopback, further in": "127.8.8.8",
    "link-local": "169.254.1.1",
    "metadata of AWS, GCP and Azure": "169.254.169.254",
    "credentials of ECS": "169.254.170.2",
    "host service of Azure": "168.63.129.16",
    "metadata of Oracle": "192.0.0.192",
    "documentation 1": "192.0.2.1",
    "documentation 2": "198.51.100.1",
    "documentation 3": "203.0.113.1",
    "6to4 relay": "192.88.99.1",
    "benchmarking": "198.18.0.1",
    "multicast": "224.0.0.1",
    "reserved": "240.0.0.1",
    "broadcast": "255.255.255.255",
    "v6 unspecified": "::",
    "v6 loopback": "::1",
    "v6 compatible": "::127.0.0.1",
    "v6 mapped loopback": "::ffff:7f00:1",
    "v6 mapped metadata": "::ffff:169.254.169.254",
    "v6 mapped public": "::ffff:93.184.216.34",
    "v6 translated": "::ffff:0:127.0.0.1",
    "NAT64": "64:ff9b::a9fe:a9fe",
    "NAT64 of a public address": "64:ff9b::5db8:d822",
    "NAT64, local": "64:ff9b:1::7f00:1",
    "discard": "100::1",
    "Teredo": "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "benchmarking v6": "2001:2::1",
    "ORCHID": "2001:20::1",
    "documentation v6": "2001:db8::1",
    "documentation v6, new": "3fff::1",
    "6to4": "2002:7f00:1::",
    "6to4 of metadata": "2002:a9fe:a9fe::1",
    "segment routing": "5f00::1",
    "unique-local": "fc00::1",
    "metadata of AWS over v6": "fd00:ec2::254",
    "link-local v6": "fe80::1",
    "link-local v6 with a zone": "fe80::1%eth0",
    "site-local": "fec0::1",
    "multicast v6": "ff02::1",
}
"""What a declared name may turn out to resolve to."""

HOSTS: Final = {
    "loopback": "127.0.0.1",
    "short": "127.1",
    "decimal": "2130706433",
    "hexadecimal": "0x7f000001",
    "hexadecimal parts": "0x7f.0x0.0x0.0x1",
    "octal": "0177.0.0.1",
    "octal whole": "017700000001",
    "padded": "127.000.000.001",
    "trailing dot": "127.0.0.1.",
    "fullwidth": "１２７.0.0.1",
    "circled": "①②⑦.⓪.⓪.①",
    "ideographic stops": "127。0。0。1",
    "metadata": "169.254.169.254",
    "metadata decimal": "2852039166",
    "metadata hexadecimal": "0xa9fea9fe",
    "public address": PUBLIC,
    "v6": "[::1]",
    "v6 bare": "::1",
    "v6 mapped": "[::ffff:127.0.0.1]",
    "v6 mapped hexadecimal": "[::ffff:7f00:1]",
    "v6 zone": "[fe80::1%25eth0]",
    "v6 public": f"[{PUBLIC_V6}]",
    "localhost": "localhost",
    "localhost capital": "LOCALHOST.",
    "no dot": "metadata",
    "user-info": f"{API}@127.0.0.1",
    "user and password": f"user:pw@{API}",
    "backslash": f"{API}\\@evil.test",
    "slash": f"{API}/@evil.test",
    "fragment": f"{API}#@evil.test",
    "percent": f"{API}%2f@evil.test",
    "space": f"{API} evil.test",
    "line break": f"{API}\r\nHost: evil.test",
    "NUL": f"{API}\x00.evil.test",
    "empty": "",
    "dots": "..",
    "port zero": f"{API}:0",
    "port too large": f"{API}:65536",
    "port twice": f"{API}:443:80",
    "scheme": f"http://{API}",
    "deviating": "faß.example",
    "joiner": "a\u200db.example",
    "slash look-alike": "vendor\uff0fevil.test",
    "not declared": "evil.test",
    "declared as a part": f"{API}.evil.test",
    "declared at the end": f"evil-{API}",
    "another port": f"{API}:8443",
    "homograph": "аpi.vendor.example",
    "homograph in xn--": "xn--pi-6kc.vendor.example",
}
"""What a module may name as `host=`, and what nobody may declare alone."""

ONLY_NOT_DECLARED: Final = frozenset(
    {"not declared", "declared as a part", "declared at the end", "another port", "homograph", "homograph in xn--"}
)
"""Of these: sound names that would be called if the connection declared them."""

PATHS: Final = {
    "absolute": "https://127.0.0.1/",
    "absolute http": "http://169.254.169.254/latest/",
    "network path": "//127.0.0.1/",
    "three slashes": "///127.0.0.1/",
    "backslashes": "\\\\127.0.0.1\\",
    "slash and backslash": "/\\127.0.0.1/",
    "user-info": "@127.0.0.1/",
    "port and user-info": ":80@127.0.0.1/",
    "file": "file:///etc/passwd",
    "gopher": "gopher://127.0.0.1:6379/_",
    "climbing": "/../../",
    "climbing, encoded": "/%2e%2e/",
    "line break": "/\r\nHost: 127.0.0.1",
    "second request": "/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /",
}

LOCATIONS: Final = {
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "metadata over https": "https://169.254.169.254/",
    "localhost": "https://localhost/",
    "loopback": "https://127.0.0.1/",
    "loopback decimal": "https://2130706433/",
    "loopback short": "https://127.1/",
    "v6 loopback": "https://[::1]/",
    "v6 mapped": "https://[::ffff:169.254.169.254]/",
    "undeclared": "https://evil.test/",
    "undeclared network path": "//evil.test/",
    "three slashes": "///evil.test/",
    "backslashes": "\\\\evil.test/",
    "user-info": f"https://{API}@evil.test/",
    "user-info of the declared one": f"https://x@{API}/",
    "backslash and user-info": f"https://{API}\\@evil.test/",
    "another port": f"https://{API}:8443/",
    "http": f"http://{API}/",
    "http on 443": f"http://{API}:443/",
    "file": "file:///etc/passwd",
    "ftp": f"ftp://{API}/",
    "script": "javascript:alert(1)",
    "climbing": f"https://{API}/a/%2e%2e/b",
}


@dataclass(frozen=True)
class Row:
    """One attempt. What is not named is as it should be."""

    declared: str = API
    request: VendorRequest = field(default_factory=get)
    resolved: Sequence[Sequence[str]] = ((PUBLIC,),)
    """What the name service answers, in turn."""
    location: str | None = None
    """Where the vendor redirects the first call to."""
    token_url: str | None = None
    dialled: tuple[str, ...] = ()
    """The addresses that a socket was opened to until the refusal."""


def rows() -> Iterator[tuple[str, Row]]:
    for name, address in NOT_PUBLIC.items():
        yield f"resolves to {name}", Row(resolved=[[address]])
        yield f"resolves to {name} too", Row(resolved=[[PUBLIC, address]])
        yield f"flips to {name}", Row(resolved=[[PUBLIC], [address]], location="/again", dialled=(PUBLIC,))
        yield f"token URL resolves to {name}", Row(token_url="https://login.vendor.example/", resolved=[[address]])
    for name, host in HOSTS.items():
        yield f"host= {name}", Row(request=get("/", host=host))
    for name in HOSTS.keys() - ONLY_NOT_DECLARED:
        yield f"declared {name}", Row(declared=HOSTS[name])
    for name in HOSTS.keys() - ONLY_NOT_DECLARED - {"slash"}:
        yield f"token URL {name}", Row(token_url=f"https://{HOSTS[name]}/")
    for name, path in PATHS.items():
        yield f"path {name}", Row(request=get(path))
    for name, location in LOCATIONS.items():
        yield f"redirect {name}", Row(location=location, dialled=(PUBLIC,))
    yield "token URL over http", Row(token_url="http://login.vendor.example/")
    yield "token URL of another domain", Row(token_url="https://login.evil.test/")


TABLE: Final = dict(sorted(rows()))


class Wire:
    """A name service and an internet: every public address leads to the one vendor. `dialled` is what was opened."""

    def __init__(self, resolved: Sequence[Sequence[str]], vendor: RawVendor | None = None) -> None:
        self._answers = [list(answer) for answer in resolved]
        self._vendor = vendor
        self.dialled: list[str] = []
        self.answered: list[str] = []

    def resolve(self, name: str, port: int) -> list[str]:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        self.answered += answer
        return answer

    def dial(self, address: str, port: int, seconds: float) -> socket.socket:
        self.dialled.append(address)
        if self._vendor is None:
            raise ConnectionRefusedError
        return socket.create_connection(("127.0.0.1", self._vendor.port), timeout=seconds)


class NoTls:
    """In the place of TLS, which only the certificate's own host would pass."""

    def wrap_socket(self, raw: socket.socket, server_hostname: str) -> socket.socket:
        return raw


def a_proxy(wire: Wire) -> Proxy:
    def transport() -> Transport:
        return Transport(resolve=wire.resolve, dial=wire.dial, tls=cast("Callable[[], ssl.SSLContext]", NoTls))

    return Proxy(vault=VAULT, local_hosts=frozenset(), transport=transport)


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE.keys())
def test_the_ssrf_table(row: Row) -> None:
    with closing(RawVendor(says(redirect(row.location or "/on", 307)))) as vendor:
        wire = Wire(row.resolved, vendor)
        with closing(a_proxy(wire)) as proxy, pytest.raises(Refusal) as refused:
            proxy.send(connection_of(row), row.request, deadline=soon())
    assert refused.value.reason in {Reason.HOST_NOT_ALLOWED, Reason.TOOL_FAILED}
    assert tuple(wire.dialled) == row.dialled
    told = refused.value.message + repr(refused.value.details)
    assert not any(address in told for address in wire.answered if address != PUBLIC)


def connection_of(row: Row) -> Connection:
    if row.token_url is None:
        return a_connection(row.declared)
    secret = {"clientId": "id", "clientSecret": "s3cr3t"}
    return a_connection(
        row.declared, scheme="oauth2_client_credentials", config={"tokenUrl": row.token_url}, secret=secret
    )


@pytest.mark.parametrize("host", [host for name, host in HOSTS.items() if name not in ONLY_NOT_DECLARED], ids=ascii)
def test_what_the_table_refuses_cannot_be_declared_either(host: str) -> None:
    assert check_connection("none", {}, None, host, [], [])
    assert check_connection("none", {}, None, API, [host], [])


any_address = (
    st.ip_addresses(v=4).map(str) | st.ip_addresses(v=6).map(str) | st.sampled_from([*NOT_PUBLIC.values(), PUBLIC])
)
some_addresses = st.lists(any_address, max_size=3)
some_headers = st.lists(st.tuples(st.text(max_size=20), st.text(max_size=30)), max_size=3)
host_text = (
    st.sampled_from([API, f"{API}:443", f"{API}.", API.upper(), "files.vendor.example:8443", *HOSTS.values()])
    | st.text(max_size=40)
    | st.from_regex(r"[a-z0-9.:@\[\]%/\\-]{1,30}", fullmatch=True)
)
path_text = (
    st.sampled_from(list(PATHS.values()))
    | st.text(max_size=60)
    | st.from_regex(r"[/\\@:.%a-f0-9?#;&=-]{0,40}", fullmatch=True)
)
location_text = st.sampled_from(list(LOCATIONS.values())) | st.text(
    st.characters(max_codepoint=255, exclude_characters="\r\n"), max_size=40
)


def is_safe(address: str) -> bool:
    """Python's own word for it, beside our table's."""
    parsed: IPv4Address | IPv6Address = ip_address(address)
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


def test_what_is_allowed_goes_out_over_the_same_wire() -> None:
    with closing(RawVendor(says(ok(b"hello")))) as vendor:
        wire = Wire([[PUBLIC, PUBLIC_V6]], vendor)
        with closing(a_proxy(wire)) as proxy:
            assert proxy.send(a_connection(API), get("/x", host=API.upper()), deadline=soon()).text == "hello"
    assert wire.dialled == [PUBLIC]


@settings(max_examples=300, deadline=None)
@given(host_text, st.none() | host_text, path_text, some_headers, some_addresses)
@example(API, None, "/", [], [PUBLIC])
def test_whatever_is_asked_for_ends_in_a_refusal_or_at_an_allowed_address(
    declared: str, host: str | None, path: str, headers: list[tuple[str, str]], resolved: list[str]
) -> None:
    wire = Wire([resolved])
    request = VendorRequest("GET", path, headers=tuple(headers), params=tuple(headers), host=host)
    with closing(a_proxy(wire)) as proxy, pytest.raises(Refusal):
        proxy.send(a_connection(API, declared), request, deadline=soon())
    assert set(wire.dialled) <= set(resolved)
    assert all(map(is_safe, wire.dialled))


@settings(max_examples=60, deadline=None)
@given(location_text, st.sampled_from([301, 302, 303, 307, 308]), some_addresses)
@example("https://api.vendor.example/x", 302, [PUBLIC])
def test_wherever_a_vendor_redirects_to_it_ends_in_a_refusal_or_at_an_allowed_address(
    location: str, status: int, resolved: list[str]
) -> None:
    with closing(RawVendor(says(redirect(location, status)))) as vendor:
        wire = Wire([[PUBLIC], resolved], vendor)
        with closing(a_proxy(wire)) as proxy, suppress(Refusal):
            proxy.send(a_connection(API), VendorRequest("POST", "/", body="x"), deadline=soon())
    assert set(wire.dialled) <= {PUBLIC, *resolved}
    assert all(map(is_safe, wire.dialled))
