"""Who a host belongs to, by the public suffix list that the package carries."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from chalicelib.errors import Refusal
from chalicelib.proxy.hosts import Host, parse_host

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def registrable_domain(host: str) -> str | None:
    """The part of `host` or `host:port` that somebody registered: `vendor.co.uk` of `api.vendor.co.uk`.

    A site that gives each customer a name counts as a suffix (`ana.github.io` is its own). None: an address, a suffix
    itself, or no host at all. The list comes with the package; nothing is fetched.
    """
    try:
        return domain_of(parse_host(host))
    except Refusal:
        return None


def domain_of(host: Host) -> str | None:
    """The registrable domain of a parsed host, in its xn-- form."""
    return None if host.is_address else _suffixes().privatesuffix(host.name)


def belong_together(first: Host, second: Host) -> bool:
    """Whether the two are one name, or names under one registrable domain."""
    if first.name == second.name:
        return True
    domain = domain_of(first)
    return domain is not None and domain == domain_of(second)


@cache
def _suffixes() -> PublicSuffixList:
    """Read at the first question, 0.1 s: listing tools asks none."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
