"""How often one network address may fail to get in, counted in this process and nowhere else.

An unknown caller writes nothing to the table. The account's own lock, which every process sees, comes on top.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Final

FAILURES_MAX: Final = 30
WINDOW: Final = timedelta(minutes=5)
ADDRESSES_MAX: Final = 10_000
"""Beyond that the one that failed longest ago is forgotten."""
IPV6_NETWORK_BITS: Final = 64


class Knocks:
    def __init__(self) -> None:
        self._failed: OrderedDict[str, tuple[datetime, int]] = OrderedDict()

    def seconds_to_wait(self, address: str, now: datetime) -> int:
        """0: it may try."""
        since, failures = self._failed.get(_network(address), (now, 0))
        if failures < FAILURES_MAX or now >= since + WINDOW:
            return 0
        return int((since + WINDOW - now).total_seconds()) + 1

    def count_failure(self, address: str, now: datetime) -> None:
        network = _network(address)
        since, failures = self._failed.pop(network, (now, 0))
        if now >= since + WINDOW:
            since, failures = now, 0
        self._failed[network] = (since, failures + 1)
        while len(self._failed) > ADDRESSES_MAX:
            self._failed.popitem(last=False)


def _network(address: str) -> str:
    """Whoever has one IPv6 address has the 2^64 of its network (RFC 4291 §2.5.4); of IPv4, the address itself."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv4Address):
        return address
    return str(known.ipv4_mapped or IPv6Network((int(known), IPV6_NETWORK_BITS), strict=False))
