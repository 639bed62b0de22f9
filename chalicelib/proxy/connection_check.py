"""What is wrong with a connection before it is stored: hosts, scheme, parameters and secret."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from chalicelib.errors import Refusal
from chalicelib.proxy.hosts import Host, parse_host, parse_hosts, require_name
from chalicelib.proxy.schemes import SCHEMES, field_problems
from chalicelib.proxy.token_url import TOKEN_SCHEME, TOKEN_URL, parse_token_url, require_public

HOSTS_MAX: Final = 20


def check_connection(
    scheme: str,
    scheme_config: Mapping[str, str],
    secret: Mapping[str, str] | None,
    primary_host: str,
    hosts: Sequence[str],
    local_hosts: Collection[str],
) -> list[str]:
    """Every problem in clear text, without a secret in it; empty: the connection can be stored.

    `secret` None: not there yet and not judged. Store the hosts as `stored_hosts` spells them, and the configuration
    as `token_url.stored_config` makes it: a foreign token host is no problem here, but the person's to confirm.
    """
    local = frozenset(parse_hosts(local_hosts))
    problems = list(_host_problems((primary_host, *hosts), local))
    known = SCHEMES.get(scheme)
    if known is None:
        return [*problems, f"scheme must be one of {', '.join(SCHEMES)}."]
    problems += field_problems("schemeConfig", known.config, scheme_config)
    if scheme == TOKEN_SCHEME:
        problems += _token_host_problems(scheme_config.get(TOKEN_URL, ""), local)
    if secret is not None:
        problems += field_problems("secret", known.secret, secret)
    return problems


def secret_hosts(
    scheme: str, scheme_config: Mapping[str, str], primary_host: str, hosts: Sequence[str]
) -> tuple[str, ...]:
    """Every host that will receive the secret or a token made with it, as the person has to see them: in xn-- form,
    the token URL's first, then the primary one. Refuses `host_not_allowed` what is no host."""
    declared = stored_hosts(primary_host, hosts)
    if scheme != TOKEN_SCHEME:
        return declared
    return tuple(dict.fromkeys((str(parse_token_url(scheme_config.get(TOKEN_URL, "")).host), *declared)))


def stored_hosts(primary_host: str, hosts: Sequence[str]) -> tuple[str, ...]:
    """Every host once, the primary one first, in the spelling that is compared. Refuses `host_not_allowed`."""
    return tuple(dict.fromkeys(str(parse_host(text)) for text in (primary_host, *hosts)))


def _host_problems(texts: Sequence[str], local: frozenset[Host]) -> Iterator[str]:
    if len(set(texts)) > HOSTS_MAX:
        yield f"A connection declares at most {HOSTS_MAX} hosts."
        return
    for text in dict.fromkeys(texts):
        try:
            host = parse_host(text)
            if host not in local:
                require_name(host)
        except Refusal as refusal:
            yield refusal.message


def _token_host_problems(text: str, local: frozenset[Host]) -> Iterator[str]:
    """Of an address that can be read; one that cannot is a problem of its field."""
    try:
        url = parse_token_url(text)
    except Refusal:
        return
    try:
        require_public(url, local)
    except Refusal as refusal:
        yield f"schemeConfig.{TOKEN_URL}: {refusal.message}"
