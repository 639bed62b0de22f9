"""Where a connection's access tokens come from, and whether its person has to confirm that place.

The token URL's host receives the client's secret. It stands under the primary host's registrable domain, or the
person has confirmed it by name; the confirmation is kept in the stored configuration, where only the person's form
puts it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection
from chalicelib.proxy.domains import belong_together, domain_of
from chalicelib.proxy.hosts import HTTPS_PORT, Host, parse_host, require_name
from chalicelib.proxy.paths import build_target

TOKEN_SCHEME: Final = "oauth2_client_credentials"  # noqa: S105  # the scheme's name
TOKEN_URL: Final = "tokenUrl"  # noqa: S105  # the field's name
CONFIRMED: Final = "tokenHostConfirmed"
"""In a stored configuration: the foreign token host that the person has confirmed. No field of a form or an agent."""

_URL = re.compile(r"(https?)://([^/?#]+)([/?][^#]*)?", re.IGNORECASE)
_PORTS: Final = {"https": HTTPS_PORT, "http": 80}


@dataclass(frozen=True, slots=True)
class TokenUrl:
    scheme: str
    host: Host
    target: str
    """Path and query, encoded."""


def parse_token_url(text: str) -> TokenUrl:
    """Refuses `host_not_allowed` or `tool_failed` what is no plain http or https address; quotes no user name."""
    found = _URL.fullmatch(text)
    if found is None or "@" in found[2]:
        _refuse("It is not a plain address such as https://login.vendor.example/oauth/token.")
    scheme = found[1].lower()
    return TokenUrl(scheme, parse_host(found[2], _PORTS[scheme]), build_target(found[3] or "/"))


def require_public(url: TokenUrl, local: Collection[Host]) -> None:
    """Refuse http, addresses and dotless names, except to a local host."""
    if url.host in local:
        return
    if url.scheme != "https":
        _refuse("It has to begin with https.")
    require_name(url.host)


def foreign_token_host(scheme: str, config: Mapping[str, str], primary_host: str) -> str | None:
    """The token URL's host, if it is outside the primary host's registrable domain and the person has to confirm it.

    None: it is inside, the scheme has none, or the address or the primary host is no good anyway.
    """
    if scheme != TOKEN_SCHEME:
        return None
    try:
        host = parse_token_url(config.get(TOKEN_URL, "")).host
        return None if belong_together(parse_host(primary_host), host) else str(host)
    except Refusal:
        return None


def asked_config(config: Mapping[str, str]) -> dict[str, str]:
    """A stored configuration as it was asked for: what a check reads, and what a page or an agent may see."""
    return {name: value for name, value in config.items() if name != CONFIRMED}


def stored_config(scheme: str, config: Mapping[str, str], primary_host: str, confirmed_host: str) -> dict[str, str]:
    """The configuration to store, with the person's confirmation of a foreign token host in it.

    `confirmed_host`: the host as the form showed it and the person confirmed it; empty: nothing was confirmed.
    Refuses `input_invalid`, with `tokenHost` in its details, a foreign host that is not the confirmed one.
    """
    foreign = foreign_token_host(scheme, config, primary_host)
    if foreign is None:
        return asked_config(config)
    if confirmed_host != foreign:
        message = (
            f"The token URL's host {foreign} is not under {_domain(primary_host)}, and it will receive the client's "
            "secret. Confirm that host, or correct the token URL."
        )
        raise Refusal(Reason.INPUT_INVALID, message, {"tokenHost": foreign})
    return asked_config(config) | {CONFIRMED: foreign}


def token_url_of(connection: Connection, local: Collection[Host]) -> TokenUrl:
    """Where this connection's tokens may be fetched. Refuses `host_not_allowed` what was not confirmed, too."""
    config = connection.scheme_config
    url = parse_token_url(config.get(TOKEN_URL, ""))
    require_public(url, local)
    is_own = belong_together(parse_host(connection.primary_host), url.host)
    if not is_own and config.get(CONFIRMED) != str(url.host):
        _refuse(f"Its host {url.host} is not under {_domain(connection.primary_host)}, and nobody has confirmed it.")
    return url


def _domain(primary_host: str) -> str:
    return domain_of(parse_host(primary_host)) or primary_host


def _refuse(why: str) -> NoReturn:
    raise Refusal(Reason.HOST_NOT_ALLOWED, f"The token URL cannot be used. {why}")
