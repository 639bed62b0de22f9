"""Who a host belongs to, so that a foreign token host and a vendor's look-alike are seen."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.proxy.domains import belong_together, registrable_domain
from chalicelib.proxy.hosts import parse_host


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("github.com", "github.com"),
        ("API.GitHub.com.", "github.com"),
        ("api.github.com:8443", "github.com"),
        ("api.vendor.co.uk", "vendor.co.uk"),
        ("ana.github.io", "ana.github.io"),
        ("files.ana.github.io", "ana.github.io"),
        ("vendor.s3.amazonaws.com", "vendor.s3.amazonaws.com"),
        ("api.bücher.example", "xn--bcher-kva.example"),
        ("api.vendor.no-such-ending", "vendor.no-such-ending"),
        ("github.com.evil.example", "evil.example"),
    ],
)
def test_the_registrable_domain_of_a_host(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


@pytest.mark.parametrize(
    "host", ["co.uk", "github.io", "com", "localhost", "127.0.0.1", "127.0.0.1:8123", "[::1]", "", "a@b.example", "a b"]
)
def test_a_suffix_an_address_and_nonsense_have_none(host: str) -> None:
    assert registrable_domain(host) is None


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("api.vendor.example", "login.vendor.example", True),
        ("vendor.example", "login.eu.vendor.example:8443", True),
        ("127.0.0.1:8123", "127.0.0.1:8124", True),
        ("localhost:1", "localhost:2", True),
        ("api.vendor.example", "vendor.example.evil.test", False),
        ("api.vendor.example", "vendor-example.test", False),
        ("ana.github.io", "bob.github.io", False),
        ("a.co.uk", "b.co.uk", False),
        ("127.0.0.1", "127.0.0.2", False),
        ("аpi.аpple.example", "api.apple.example", False),  # the first in Cyrillic
    ],
)
def test_hosts_of_one_domain_belong_together(first: str, second: str, together: bool) -> None:
    assert belong_together(parse_host(first), parse_host(second)) is together
    assert belong_together(parse_host(second), parse_host(first)) is together


@given(st.text(max_size=60))
def test_any_text_has_a_domain_or_none(text: str) -> None:
    domain = registrable_domain(text)
    assert domain is None or str(parse_host(text).name).endswith(domain)


def test_the_list_is_read_at_the_first_question_only() -> None:
    probe = "import sys, chalicelib.proxy.proxy, chalicelib.proxy.domains; print('publicsuffixlist' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
