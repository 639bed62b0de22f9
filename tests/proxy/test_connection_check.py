"""What is wrong with a connection is said in clear text, without the secret."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Refusal
from chalicelib.proxy.connection_check import check_connection, secret_hosts, stored_hosts
from chalicelib.proxy.params import with_params
from chalicelib.proxy.schemes import SCHEMES

HOST = "api.vendor.example"
OAUTH = "oauth2_client_credentials"
TOKEN_URL = {"tokenUrl": "https://login.vendor.example/oauth/token"}
CONFIG_FIELDS = ["headerName", "prefix", "queryParam", "tokenUrl", "scopes", "x"]
SECRET_FIELDS = ["token", "key", "username", "password", "clientId", "clientSecret"]
CLIENT = {"clientId": "id", "clientSecret": "s3cr3t"}


@pytest.mark.parametrize(
    ("scheme", "config", "secret"),
    [
        ("none", {}, {}),
        ("bearer", {}, {"token": "abc.DEF-1~+/="}),
        ("api_key_header", {"headerName": "X-Api-Key"}, {"key": "abc def"}),
        ("api_key_header", {"headerName": "Authorization", "prefix": "Token "}, {"key": "abc"}),
        ("basic", {}, {"username": "ana", "password": "pä:ss wörd"}),
        ("basic", {}, {"username": "live_key"}),
        ("bearer", {}, None),
        (OAUTH, TOKEN_URL, CLIENT),
        (
            OAUTH,
            TOKEN_URL | {"scopes": "read:a https://vendor.example/auth/b"},
            {"clientId": "a:b c", "clientSecret": "%"},
        ),
        (OAUTH, {"tokenUrl": "https://foreign.example/"}, CLIENT),
        ("api_key_query", {"queryParam": "api_key"}, {"key": "abc/def+=="}),
        ("api_key_query", {"queryParam": "$subscription-key"}, None),
    ],
)
def test_a_sound_connection_has_no_problem(scheme: str, config: dict[str, str], secret: dict[str, str] | None) -> None:
    assert check_connection(scheme, config, secret, HOST, [HOST, "files.vendor.example:8443"], []) == []


@pytest.mark.parametrize(
    ("scheme", "config", "secret", "problem"),
    [
        ("kerberos", {}, {}, "scheme must be one of none, bearer"),
        ("bearer", {}, {}, "secret.token is required"),
        ("bearer", {}, {"token": ""}, "secret.token is required"),
        ("bearer", {}, {"token": "s3cr3t\n"}, "secret.token holds a line break"),
        ("bearer", {}, {"token": "s3cr3t x"}, "secret.token holds a space"),
        ("bearer", {}, {"token": " s3cr3t"}, "space at one of its ends"),
        ("bearer", {}, {"token": "s3cr3t\u200b"}, "outside ASCII"),
        ("bearer", {}, {"token": "s3cr3t" * 400}, "longer than 2000"),
        ("bearer", {}, {"token": "s3cr3t", "pin": "s3cr3t"}, "secret.pin is not a field"),
        ("bearer", {"headerName": "X"}, {"token": "s3cr3t"}, "schemeConfig.headerName is not a field"),
        ("none", {}, {"token": "s3cr3t"}, "secret.token is not a field"),
        ("api_key_header", {}, {"key": "s3cr3t"}, "schemeConfig.headerName is required"),
        ("api_key_header", {"headerName": "X Key"}, {"key": "s3cr3t"}, "is not a header name"),
        ("api_key_header", {"headerName": "Host"}, {"key": "s3cr3t"}, "the proxy or HTTP itself sets"),
        ("api_key_header", {"headerName": "X-Forwarded-For"}, {"key": "s3cr3t"}, "the proxy or HTTP itself sets"),
        ("api_key_header", {"headerName": "transfer_encoding"}, {"key": "s3cr3t"}, "the proxy or HTTP itself sets"),
        ("api_key_header", {"headerName": "Content-Type"}, {"key": "s3cr3t"}, "the proxy or HTTP itself sets"),
        ("api_key_header", {"headerName": "X", "prefix": "a\r\nb"}, {"key": "s3cr3t"}, "schemeConfig.prefix holds"),
        ("api_key_header", {"headerName": "X", "prefix": " a"}, {"key": "s3cr3t"}, "schemeConfig.prefix holds"),
        ("api_key_query", {}, {"key": "s3cr3t"}, "schemeConfig.queryParam is required"),
        ("api_key_query", {"queryParam": "a b"}, {"key": "s3cr3t"}, "schemeConfig.queryParam is not the plain name"),
        ("api_key_query", {"queryParam": "k&x=s3cr3t"}, {"key": "s3cr3t"}, "schemeConfig.queryParam is not the plain"),
        ("api_key_query", {"queryParam": "key[]"}, {"key": "s3cr3t"}, "schemeConfig.queryParam is not the plain name"),
        ("api_key_query", {"queryParam": "_method"}, {"key": "s3cr3t"}, "schemeConfig.queryParam is not the plain"),
        ("api_key_query", {"queryParam": "key", "headerName": "X"}, {"key": "s3cr3t"}, "headerName is not a field"),
        ("api_key_query", {"queryParam": "key"}, {"key": ""}, "secret.key is required"),
        ("api_key_query", {"queryParam": "key"}, {"key": "s3cr3t\n"}, "secret.key holds a line break"),
        ("api_key_query", {"queryParam": "key"}, {"key": "s3cr3t’"}, "secret.key holds a character outside ASCII"),
        (OAUTH, {}, CLIENT, "schemeConfig.tokenUrl is required"),
        (OAUTH, {"tokenUrl": "login.vendor.example"}, CLIENT, "schemeConfig.tokenUrl is not a plain address"),
        (
            OAUTH,
            {"tokenUrl": "https://a:s3cr3t@vendor.example/"},
            CLIENT,
            "schemeConfig.tokenUrl is not a plain address",
        ),
        (OAUTH, {"tokenUrl": "http://login.vendor.example/"}, CLIENT, "schemeConfig.tokenUrl: The token URL cannot be"),
        (OAUTH, {"tokenUrl": "https://127.0.0.1/"}, CLIENT, "An IP address is not allowed"),
        (OAUTH, {"tokenUrl": "https://localhost/"}, CLIENT, "localhost is not a public host name"),
        (OAUTH, TOKEN_URL | {"scopes": "a  b"}, CLIENT, "schemeConfig.scopes is not a list"),
        (OAUTH, TOKEN_URL | {"scopes": 'a"b'}, CLIENT, "schemeConfig.scopes is not a list"),
        (OAUTH, TOKEN_URL | {"scope": "a"}, CLIENT, "schemeConfig.scope is not a field"),
        (OAUTH, TOKEN_URL | {"tokenHostConfirmed": "x"}, CLIENT, "schemeConfig.tokenHostConfirmed is not a field"),
        (OAUTH, TOKEN_URL, {"clientId": "id"}, "secret.clientSecret is required"),
        (OAUTH, TOKEN_URL, {"clientSecret": "s3cr3t"}, "secret.clientId is required"),
        (OAUTH, TOKEN_URL, CLIENT | {"clientSecret": "s3cr3t\u2028"}, "secret.clientSecret holds a character outside"),
        ("bearer", TOKEN_URL, {"token": "s3cr3t"}, "schemeConfig.tokenUrl is not a field"),
        ("basic", {}, {"password": "s3cr3t"}, "secret.username is required"),
        ("basic", {}, {"username": "a:b", "password": "s3cr3t"}, "secret.username holds a ':'"),
        ("basic", {}, {"username": "a", "password": "s3cr3t\x00"}, "secret.password holds"),
    ],
)
def test_each_fault_is_named_and_no_secret_is_quoted(
    scheme: str, config: dict[str, str], secret: dict[str, str], problem: str
) -> None:
    """Report: google-gemini/gemini-cli#25668"""
    problems = check_connection(scheme, config, secret, HOST, [HOST], [])
    assert any(problem in found for found in problems), problems
    assert "s3cr3t" not in " ".join(problems)


@pytest.mark.parametrize("host", ["", "127.0.0.1", "localhost", "http://a.example", "a@b.example", "0x7f.1", "[::1]"])
def test_a_host_that_could_never_be_called_is_a_problem(host: str) -> None:
    assert check_connection("none", {}, None, host, [], [])
    assert check_connection("none", {}, None, HOST, [host], [])


def test_a_local_host_is_fine_where_the_setting_names_it() -> None:
    assert check_connection("none", {}, None, "127.0.0.1:8123", [], ["127.0.0.1:8123"]) == []
    assert check_connection("none", {}, None, "127.0.0.1:8124", [], ["127.0.0.1:8123"])


def test_a_token_url_may_be_a_local_host_where_the_setting_names_it() -> None:
    config = {"tokenUrl": "http://127.0.0.1:8124/token"}
    local = ["127.0.0.1:8123", "127.0.0.1:8124"]
    assert check_connection(OAUTH, config, None, local[0], [], local) == []
    assert check_connection(OAUTH, config, None, local[0], [], local[:1])


def test_every_host_that_gets_the_secret_is_told_the_token_urls_first() -> None:
    assert secret_hosts(OAUTH, {"tokenUrl": "https://bücher.example/"}, HOST, ["b.example", HOST]) == (
        "xn--bcher-kva.example",
        HOST,
        "b.example",
    )
    assert secret_hosts(OAUTH, {"tokenUrl": f"https://{HOST}/token"}, HOST, []) == (HOST,)
    assert secret_hosts("bearer", {}, "аpi.vendor.example", []) == ("xn--pi-6kc.vendor.example",)  # a Cyrillic а


def test_there_are_at_most_twenty_hosts() -> None:
    hosts = [f"h{number}.example" for number in range(20)]
    assert check_connection("none", {}, None, hosts[0], hosts, []) == []
    assert check_connection("none", {}, None, HOST, hosts, []) == ["A connection declares at most 20 hosts."]


def test_hosts_are_stored_once_the_primary_one_first() -> None:
    assert stored_hosts("API.Vendor.Example.", ["b.example", "api.vendor.example:443", "bücher.example:8443"]) == (
        "api.vendor.example",
        "b.example",
        "xn--bcher-kva.example:8443",
    )
    with pytest.raises(Refusal):
        stored_hosts("a@b", [])


@given(
    st.sampled_from([*SCHEMES, "other"]),
    st.dictionaries(
        st.sampled_from(["headerName", "prefix", "queryParam", "tokenUrl", "scopes", "x"]), st.text(max_size=20)
    ),
    st.dictionaries(
        st.sampled_from(["token", "key", "username", "password", "clientId", "clientSecret"]), st.text(max_size=20)
    ),
)
def test_what_passes_the_check_can_be_applied(scheme: str, config: dict[str, str], secret: dict[str, str]) -> None:
    if not check_connection(scheme, config, secret, HOST, [], []):
        credential = SCHEMES[scheme].apply(config, secret)
        for name, value in credential.headers:
            assert "\n" not in f"{name}: {value}".encode("latin-1").decode("latin-1")
        assert re.fullmatch(r"[\x21-\x7e]+", with_params("/", credential.params))
