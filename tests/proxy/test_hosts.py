"""Host names are compared by what they mean; everything that is not plainly a name is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.hosts import Host, HostRules, parse_host, parse_hosts


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("API.Vendor.Example", "api.vendor.example"),
        ("api.vendor.example.", "api.vendor.example"),
        ("api.vendor.example:443", "api.vendor.example"),
        ("api.vendor.example.:443", "api.vendor.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "XN--BCHER-KVA.example"),
        ("例え。jp", "xn--r8jz45g.jp"),
        ("ａｐｉ.vendor.example", "api.vendor.example"),
        ("api.vendor.example:8443", "api.vendor.example:08443"),
        ("[::1]:8123", "[0:0:0:0:0:0:0:1]:8123"),
    ],
)
def test_spellings_of_one_host_are_one_host(text: str, same_as: str) -> None:
    assert parse_host(text) == parse_host(same_as)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a..example",
        ".a.example",
        "a.example..",
        "user@vendor.example",
        "user:pass@vendor.example",
        "vendor.example/path",
        "vendor.example\\evil",
        "vendor.example?x",
        "vendor.example#x",
        "vendor.example%2eevil",
        "//vendor.example",
        "https://vendor.example",
        "vendor.example:",
        "vendor.example:0",
        "vendor.example:65536",
        "vendor.example:80:80",
        "vendor.example:٤٤٣",
        "vendor.example:+443",
        "vendor.example: 443",
        " vendor.example",
        "vendor.example\r\nHost: evil",
        "vendor\x00.example",
        "vendor\u200b.example\u00a0",
        "vendor.exam\u2100ple",
        "vendor\uff0fevil.example",
        "-vendor.example",
        "vendor-.example",
        "faß.example",
        "ẞ.example",
        "ςas.example",
        "a\u200db.example",
        "\ud800.example",
        "x" * 64 + ".example",
        ".".join(["abcdefgh"] * 32),
        pytest.param("é" * 299, id="299 accents"),
        pytest.param("a" * 100_000, id="100,000 characters"),
        "[::1",
        "::1]",
        "[::1]x",
        "[fe80::1%eth0]",
        "fe80::1%25eth0",
        "[v1.x]",
        "1:2:3",
    ],
)
def test_what_is_not_plainly_a_host_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse_host(text)
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert refused.value.message.isascii() or "…" in refused.value.message
    assert len(refused.value.message) < 800


ADDRESS_SPELLINGS = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0X7F.1",
    "0177.0.0.1",
    "017700000001",
    "00000177.0.0.1",
    "0",
    "0x",
    "0.0.0.0",
    "１２７.0.0.1",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "a.0x7f",
    "93.184.216.34",
    "[::1]",
    "::1",
    "[::ffff:127.0.0.1]",
    "::ffff:7f00:1",
    "[::127.0.0.1]",
    "[fd00:ec2::254]",
    "[fe80::1%25eth0]",
    "[64:ff9b::7f00:1]",
    "127.0.0.1:443",
    "256.256.256.256",
]


@pytest.mark.parametrize("text", ADDRESS_SPELLINGS)
def test_an_address_in_any_spelling_is_never_called(text: str) -> None:
    """Report: praxis-proxy/ai#406"""
    with pytest.raises(Refusal) as refused:
        call_declared(text)
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED


def call_declared(text: str) -> None:
    host = parse_host(text)
    HostRules(declared=(host,), local=frozenset()).require(host, "https")


@pytest.mark.parametrize("text", ["0x7f.0.0.1:8123", "2130706433:8123", "127.1:8123", "0177.0.0.1:8123"])
def test_a_local_address_is_allowed_in_its_plain_spelling_only(text: str) -> None:
    local = parse_host("127.0.0.1:8123")
    rules = HostRules(declared=(local,), local=frozenset({local}))
    rules.require(local, "http")
    with pytest.raises(Refusal):
        rules.require(parse_host(text), "http")


def test_a_host_that_is_not_declared_is_refused_and_the_declared_ones_are_named() -> None:
    rules = HostRules(declared=parse_hosts(["api.vendor.example", "files.vendor.example:8443"]), local=frozenset())
    with pytest.raises(Refusal, match=r"evil\.example is not one of .*api\.vendor\.example, files\.vendor\.example"):
        rules.require(parse_host("evil.example"), "https")


@pytest.mark.parametrize("text", ["api.vendor.example:8443", "www.api.vendor.example", "vendor.example"])
def test_another_port_and_a_neighbouring_name_are_other_hosts(text: str) -> None:
    rules = HostRules(declared=parse_hosts(["api.vendor.example"]), local=frozenset())
    with pytest.raises(Refusal):
        rules.require(parse_host(text), "https")


def test_http_is_for_local_hosts_only() -> None:
    public, local = parse_host("api.vendor.example"), parse_host("localhost:8123")
    rules = HostRules(declared=(public, local), local=frozenset({local}))
    rules.require(local, "http")
    with pytest.raises(Refusal, match="https only"):
        rules.require(public, "http")


def test_a_name_without_a_dot_is_refused_even_when_declared() -> None:
    for text in ("localhost", "metadata", "localhost:8124"):
        host = parse_host(text)
        with pytest.raises(Refusal):
            HostRules(declared=(host,), local=frozenset({parse_host("localhost:8123")})).require(host, "https")


@given(st.text(max_size=300))
def test_any_text_is_a_plain_host_or_refused(text: str) -> None:
    try:
        host = parse_host(text)
    except Refusal:
        return
    assert str(host).isascii()
    assert not set(str(host)) & set("@\\/?# \r\n%")
    assert parse_host(str(host)) == host


@given(
    st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?(\.[a-z]([a-z0-9-]{0,20}[a-z0-9])?){1,4}", fullmatch=True),
    st.integers(1, 65535),
)
def test_a_host_survives_being_written_down(name: str, port: int) -> None:
    assert parse_host(str(Host(name, port))) == Host(name, port)
