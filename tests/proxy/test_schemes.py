"""Each scheme puts its credential where the vendor looks for it, and hides it everywhere else."""

from __future__ import annotations

from base64 import b64encode

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.credentials import NO_CREDENTIAL
from chalicelib.proxy.redact import redact
from chalicelib.proxy.schemes import SCHEMES, scheme_named


def test_none_sends_nothing() -> None:
    assert SCHEMES["none"].apply({}, {}) == NO_CREDENTIAL


def test_bearer_sends_the_token() -> None:
    assert SCHEMES["bearer"].apply({}, {"token": "t0k3n"}).headers == (("Authorization", "Bearer t0k3n"),)


@pytest.mark.parametrize(
    ("prefix", "sent"),
    [
        (None, "k3y"),
        ("", "k3y"),
        ("Token", "Token k3y"),
        ("Token ", "Token k3y"),
        ("key=", "key=k3y"),
        ("sk_", "sk_k3y"),
    ],
)
def test_an_api_key_follows_its_prefix(prefix: str | None, sent: str) -> None:
    config = {"headerName": "X-Api-Key"} | ({} if prefix is None else {"prefix": prefix})
    assert SCHEMES["api_key_header"].apply(config, {"key": "k3y"}).headers == (("X-Api-Key", sent),)


def test_a_key_in_the_query_sends_no_header() -> None:
    credential = SCHEMES["api_key_query"].apply({"queryParam": "API.Key"}, {"key": "k3y"})
    assert (credential.headers, credential.params) == ((), (("API.Key", "k3y"),))
    assert SCHEMES["api_key_query"].own_params({"queryParam": "API.Key"}) == {"api_key"}


def test_basic_sends_the_pair_in_utf_8() -> None:
    headers = SCHEMES["basic"].apply({}, {"username": "ana", "password": "pä:ss"}).headers
    assert headers == (("Authorization", "Basic " + b64encode("ana:pä:ss".encode()).decode()),)


@pytest.mark.parametrize(
    ("secret", "text", "seen"),
    [
        ({"username": "ana", "password": "passw0rd"}, "ana has passw0rd", "ana has [redacted]"),
        ({"username": "ana", "password": "passw0rd"}, b64encode(b"ana:passw0rd").decode(), "[redacted]"),
        ({"username": "live_key_1", "password": "X"}, "X marks live_key_1", "X marks [redacted]"),
        ({"username": "live_key_1"}, "live_key_1", "[redacted]"),
    ],
)
def test_of_a_basic_pair_the_secret_part_is_hidden(secret: dict[str, str], text: str, seen: str) -> None:
    assert redact(text, SCHEMES["basic"].apply({}, secret).echoes) == seen


@pytest.mark.parametrize("scheme", sorted(SCHEMES.keys() - {"none"}))
def test_a_credential_does_not_show_itself(scheme: str) -> None:
    secret = {"token": "s3cr3t", "key": "s3cr3t", "username": "ana", "password": "s3cr3t"}
    secret |= {"clientId": "ana", "clientSecret": "s3cr3t"}
    credential = SCHEMES[scheme].apply({"headerName": "X-Key", "queryParam": "key"}, secret)
    assert "s3cr3t" not in repr(credential)
    assert "Authorization" not in repr(credential)


def test_a_client_goes_out_with_no_call_and_is_hidden() -> None:
    credential = SCHEMES["oauth2_client_credentials"].apply({}, {"clientId": "ana", "clientSecret": "s3cr3t"})
    assert (credential.headers, credential.params) == ((), ())
    assert redact("ana has s3cr3t", credential.echoes) == "ana has [redacted]"


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(Refusal) as refused:
        scheme_named("kerberos")
    assert refused.value.reason is Reason.CREDENTIAL_MISSING
