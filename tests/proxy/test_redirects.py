"""A redirect leads to a declared host by an allowed method, or nowhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.call import Call
from chalicelib.proxy.hosts import HostRules, parse_host, parse_hosts
from chalicelib.proxy.redirects import next_call

RULES = HostRules(
    declared=parse_hosts(["api.vendor.example", "files.vendor.example:8443", "127.0.0.1:8123"]),
    local=frozenset(parse_hosts(["127.0.0.1:8123"])),
)


def a_call(method: str = "GET", body: bytes | None = None) -> Call:
    headers = (("Content-Type", "text/plain"), ("X-Tag", "1"))
    return Call(method, "https", parse_host("api.vendor.example"), "/a/b?c=d", headers, body)


@pytest.mark.parametrize(
    ("location", "host", "target"),
    [
        ("/x", "api.vendor.example", "/x"),
        ("x?y=1", "api.vendor.example", "/a/x?y=1"),
        ("../x", "api.vendor.example", "/x"),
        ("?z", "api.vendor.example", "/a/b?z"),
        ("https://API.vendor.example:443/x#part", "api.vendor.example", "/x"),
        ("//files.vendor.example:8443/x", "files.vendor.example:8443", "/x"),
        ("https://files.vendor.example:8443", "files.vendor.example:8443", "/"),
        ("http://127.0.0.1:8123/x", "127.0.0.1:8123", "/x"),
        ("/caf\u00c3\u00a9 x", "api.vendor.example", "/caf%C3%A9%20x"),
        ("  /x\t", "api.vendor.example", "/x"),
    ],
)
def test_inside_the_declared_hosts_it_is_followed(location: str, host: str, target: str) -> None:
    followed = next_call(a_call(), 302, location, RULES)
    assert followed is not None
    assert (str(followed.host), followed.target) == (host, target)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://169.254.169.254/",
        "http://localhost/",
        "https://localhost:8123/",
        "http://127.0.0.1/",
        "http://127.1:8123/",
        "http://0x7f000001:8123/",
        "https://[::ffff:a9fe:a9fe]/",
        "https://evil.example/",
        "//evil.example/",
        "///evil.example/",
        "https:///evil.example/",
        "https://api.vendor.example@evil.example/",
        "https://user:pw@api.vendor.example/",
        "https://api.vendor.example:444/",
        "https://api.vendor.example.evil.example/",
        "http://api.vendor.example/",
        "http://api.vendor.example:443/",
        "\\\\evil.example",
        "/\\evil.example",
        "https://api.vendor.example\\@evil.example/",
        "ftp://api.vendor.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/plain,x",
        "gopher://api.vendor.example/",
        "https://[::1/",
        "https://api.vendor.example:x/",
        "https://api.vendor.example/\x00",
        "https://api.ven\ndor.example/",
        "https://api.vendor.example//evil",
        "/a/%2e%2e/b",
    ],
)
def test_anywhere_else_it_is_refused(status: int, location: str) -> None:
    """Report: modelcontextprotocol/servers#4838"""
    with pytest.raises(Refusal) as refused:
        next_call(a_call(), status, location, RULES)
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert "redirect" in refused.value.message
    assert "169.254" not in refused.value.message


@pytest.mark.parametrize(
    ("method", "status", "becomes"),
    [
        ("GET", 301, "GET"),
        ("GET", 307, "GET"),
        ("HEAD", 303, "HEAD"),
        ("HEAD", 302, "HEAD"),
        ("POST", 301, "GET"),
        ("POST", 302, "GET"),
        ("POST", 303, "GET"),
        ("POST", 307, "POST"),
        ("POST", 308, "POST"),
        ("PUT", 303, "GET"),
        ("DELETE", 303, "GET"),
        ("PUT", 302, "PUT"),
        ("DELETE", 301, "DELETE"),
        ("PATCH", 308, "PATCH"),
    ],
)
def test_the_method_stays_or_becomes_a_read(method: str, status: int, becomes: str) -> None:
    followed = next_call(a_call(method, b"x"), status, "/x", RULES)
    assert followed is not None
    assert followed.method == becomes
    if becomes != method:
        assert followed.body is None
        assert followed.headers == (("X-Tag", "1"),)
    else:
        assert followed.body == b"x"


@pytest.mark.parametrize(("status", "location"), [(200, "/x"), (304, "/x"), (300, "/x"), (302, None), (302, "")])
def test_other_answers_are_answers(status: int, location: str | None) -> None:
    assert next_call(a_call(), status, location, RULES) is None


@given(st.text(st.characters(max_codepoint=255), min_size=1, max_size=60))
def test_any_location_is_followed_inside_or_refused(location: str) -> None:
    try:
        followed = next_call(a_call("POST", b""), 307, location, RULES)
    except Refusal:
        return
    assert followed is not None
    assert followed.host in RULES.declared
    assert followed.target.startswith("/")
