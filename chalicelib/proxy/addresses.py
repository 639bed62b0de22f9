"""Which resolved addresses a connection may be made to, and the one look-up of a name within the deadline."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final, TypeAlias

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.deadline import DeadlinePassed, seconds_left
from chalicelib.proxy.hosts import Host

Resolver: TypeAlias = Callable[[str, int], list[str]]
"""Name and port → addresses in text. Raises OSError when the name does not resolve."""

ADDRESSES_MAX: Final = 4

# https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry. The table is ours because
# `ipaddress.is_global` answers differently from one Python release to the next.
_CLOSED_V4: Final = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",  # shared space; 100.100.100.200 is Alibaba's metadata service
            "127.0.0.0/8",
            "168.63.129.16/32",  # Azure's host service, inside public space
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
_GLOBAL_V6: Final = IPv6Network("2000::/3")
"""All that IANA has allocated for global unicast: mapped, NAT64, unique-local and link-local are outside it."""
_CLOSED_V6: Final = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # Teredo, ORCHID, benchmarking
            "2001:db8::/32",
            "2002::/16",  # 6to4
            "3fff::/20",
        ),
    )
)


def is_public(address: str) -> bool:
    """Whether the address belongs to the public internet and embeds no other address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in _CLOSED_V4)
    if parsed.scope_id is not None:
        return False
    return parsed in _GLOBAL_V6 and not any(parsed in network for network in _CLOSED_V6)


def is_loopback(address: str) -> bool:
    """Whether the address is this machine, plainly: 127.0.0.0/8 or ::1."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def checked_addresses(host: Host, resolve: Resolver, *, is_local: bool, deadline: float) -> tuple[str, ...]:
    """The addresses of the host, looked up once, at most four. One that is not allowed refuses the host whole:
    a name that answers with both kinds is how rebinding starts."""
    found = [host.name] if host.is_address else _resolve_within(resolve, host, deadline)
    allowed = is_loopback if is_local else is_public
    if not all(map(allowed, found)):
        raise Refusal(Reason.HOST_NOT_ALLOWED, _not_allowed(host, is_local=is_local))
    return tuple(dict.fromkeys(found))[:ADDRESSES_MAX]


def _not_allowed(host: Host, *, is_local: bool) -> str:
    if is_local:
        return f"{host} is allowed as a local host, but its name does not lead to this machine."
    return (
        f"The name {host} leads to an address that is not on the public internet, so it is not called. "
        "Use a host of the vendor that is reachable publicly."
    )


def system_resolve(name: str, port: int) -> list[str]:
    """The operating system's answer, in its order of preference."""
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for _, _, _, _, sockaddr in found]


def _resolve_within(resolve: Resolver, host: Host, deadline: float) -> Sequence[str]:
    """Ask in a thread, because a look-up has no time limit of its own. A late answer is dropped with its thread."""
    answers: SimpleQueue[list[str] | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(host.name, host.port))
        except Exception as error:  # carried to the caller's thread
            answers.put(error)

    left = seconds_left(deadline)
    Thread(target=ask, name="resolve", daemon=True).start()
    try:
        answer = answers.get(timeout=left)
    except Empty:
        raise DeadlinePassed from None
    if isinstance(answer, (OSError, UnicodeError)) or not answer:
        raise Refusal(Reason.VENDOR_UNREACHABLE, f"The name {host} does not resolve to an address.")
    if isinstance(answer, Exception):
        raise answer
    return answer
