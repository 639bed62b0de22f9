"""The token URL's host belongs to the vendor, or the person has confirmed it by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.hosts import parse_hosts
from chalicelib.proxy.token_url import (
    CONFIRMED,
    asked_config,
    foreign_token_host,
    parse_token_url,
    require_public,
    stored_config,
    token_url_of,
)
from tests.proxy.examples import a_connection

OAUTH = "oauth2_client_credentials"
API = "api.vendor.example"
OWN = {"tokenUrl": "https://login.vendor.example/oauth/token"}
FOREIGN = {"tokenUrl": "https://tenant.identity.example:8443/token", "scopes": "read"}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("https://login.vendor.example/oauth/token", ("https", "login.vendor.example", "/oauth/token")),
        ("HTTPS://Login.Vendor.Example:443", ("https", "login.vendor.example", "/")),
        ("https://login.vendor.example?tenant=1", ("https", "login.vendor.example", "/?tenant=1")),
        ("https://bücher.example:8443/ü", ("https", "xn--bcher-kva.example:8443", "/%C3%BC")),
        ("http://127.0.0.1:8123/token", ("http", "127.0.0.1:8123", "/token")),
        ("http://localhost/token", ("http", "localhost:80", "/token")),
    ],
)
def test_a_plain_address_is_read(text: str, parts: tuple[str, str, str]) -> None:
    url = parse_token_url(text)
    assert (url.scheme, str(url.host), url.target) == parts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "login.vendor.example/token",
        "//login.vendor.example/token",
        "ftp://login.vendor.example/token",
        "https:///token",
        "https://",
        "https://user:s3cr3t@login.vendor.example/token",
        "https://login.vendor.example@evil.example/token",
        "https://login.vendor.example\\@evil.example/token",
        "https://login.vendor.example:x/token",
        "https://login.vendor.example/token#part",
        "https://login.vendor.example//evil",
        "https://login.vendor.example/a/../b",
        "https://login.vendor.example/\r\nX: y",
        " https://login.vendor.example/token",
        "https://login.vendor.example\n/token",
        "javascript:alert(1)",
    ],
)
def test_what_is_no_plain_address_is_refused_without_its_user_name(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        parse_token_url(text)
    assert "s3cr3t" not in refused.value.message


@pytest.mark.parametrize(
    "text",
    ["http://login.vendor.example/", "https://127.0.0.1/", "https://0x7f.1/", "https://localhost/", "https://[::1]/"],
)
def test_it_is_public_and_https_or_a_named_local_host(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        require_public(parse_token_url(text), frozenset())
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    require_public(parse_token_url("http://127.0.0.1:8123/t"), frozenset(parse_hosts(["127.0.0.1:8123"])))


@pytest.mark.parametrize(
    ("config", "primary_host", "foreign"),
    [
        (OWN, API, None),
        (OWN, "vendor.example", None),
        (OWN, "login.vendor.example:8443", None),
        (FOREIGN, API, "tenant.identity.example:8443"),
        ({"tokenUrl": "https://vendor.example.evil.test/"}, API, "vendor.example.evil.test"),
        ({"tokenUrl": "https://bob.github.io/"}, "ana.github.io", "bob.github.io"),
        ({"tokenUrl": "https://vendоr.example/"}, API, "xn--vendr-mye.example"),  # a Cyrillic о
        ({"tokenUrl": "no address"}, API, None),
        ({}, API, None),
        (OWN, "no host", None),
    ],
)
def test_a_host_outside_the_vendors_domain_is_foreign(
    config: dict[str, str], primary_host: str, foreign: str | None
) -> None:
    assert foreign_token_host(OAUTH, config, primary_host) == foreign
    assert foreign_token_host("bearer", config, primary_host) is None


def test_a_foreign_host_is_stored_once_the_person_confirmed_it_by_name() -> None:
    stored = stored_config(OAUTH, FOREIGN, API, "tenant.identity.example:8443")
    assert stored == FOREIGN | {CONFIRMED: "tenant.identity.example:8443"}
    assert asked_config(stored) == FOREIGN
    for confirmed in ("", "true", "tenant.identity.example", API):
        with pytest.raises(Refusal) as refused:
            stored_config(OAUTH, FOREIGN, API, confirmed)
        assert refused.value.reason is Reason.INPUT_INVALID
        assert refused.value.details == {"tokenHost": "tenant.identity.example:8443"}
        assert "vendor.example" in refused.value.message


def test_a_marker_that_came_with_the_configuration_confirms_nothing() -> None:
    forged = FOREIGN | {CONFIRMED: "tenant.identity.example:8443"}
    with pytest.raises(Refusal):
        stored_config(OAUTH, forged, API, "")
    assert CONFIRMED not in stored_config(OAUTH, OWN | {CONFIRMED: "x"}, API, "")
    assert stored_config("bearer", {}, API, "") == {}


def test_a_token_is_never_fetched_from_a_host_that_nobody_confirmed() -> None:
    connection = a_connection(API, scheme=OAUTH, config=FOREIGN)
    with pytest.raises(Refusal, match="nobody has confirmed") as refused:
        token_url_of(connection, frozenset())
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    elsewhere = a_connection(API, scheme=OAUTH, config=FOREIGN | {CONFIRMED: "other.identity.example"})
    with pytest.raises(Refusal):
        token_url_of(elsewhere, frozenset())
    confirmed = a_connection(
        API, scheme=OAUTH, config=stored_config(OAUTH, FOREIGN, API, "tenant.identity.example:8443")
    )
    assert str(token_url_of(confirmed, frozenset()).host) == "tenant.identity.example:8443"


@given(st.text(max_size=80) | st.from_regex(r"https?://[a-z.@:\\/?#0-9]{0,40}", fullmatch=True))
def test_any_text_is_a_public_address_or_refused(text: str) -> None:
    try:
        url = parse_token_url(text)
        require_public(url, frozenset())
    except Refusal:
        return
    assert url.scheme == "https"
    assert not url.host.is_address
    assert url.target.startswith("/")
    assert not url.target.startswith("//")
