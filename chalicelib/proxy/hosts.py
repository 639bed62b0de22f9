"""Which hosts a call may go to: names are compared after normalising, addresses in any spelling are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final, NoReturn

from chalicelib.errors import Reason, Refusal

HTTPS_PORT: Final = 443
HOST_TEXT_MAX: Final = 300
NAME_MAX: Final = 253
HOW_TO_WRITE_IT: Final = "Write the host's name alone, such as api.example.com: without https:// and without a path."

_UNFIT = re.compile(r"[\x00-\x20\x7f-\xa0@\\/?#%]")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_BRACKETED = re.compile(r"\[([0-9a-f:.]+)\](?::(.*))?", re.DOTALL)
_READ_TWO_WAYS = frozenset("ßς\u200c\u200d")
"""Characters that IDNA 2003 and IDNA 2008 turn into different hosts."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host as it is compared, resolved and verified: lower case, no trailing dot, IDNA-encoded."""

    name: str
    port: int = HTTPS_PORT
    is_address: bool = False

    @property
    def authority(self) -> str:
        """`name:port`, the port always spelled."""
        return f"[{self.name}]:{self.port}" if ":" in self.name else f"{self.name}:{self.port}"

    def __str__(self) -> str:
        return self.authority.removesuffix(f":{HTTPS_PORT}")


@lru_cache(maxsize=1024)
def parse_host(text: str, default_port: int = HTTPS_PORT) -> Host:
    """The host that `host` or `host:port` names. Refuses `host_not_allowed` what is not plainly one."""
    if not text or len(text) > HOST_TEXT_MAX or _UNFIT.search(text):
        _refuse(text, "is not a host name")
    text = text.lower()
    if text.startswith("[") or text.count(":") > 1:
        return _parse_ipv6(text, default_port)
    name, colon, port = text.partition(":")
    name = _encode(name, text)
    port_number = _parse_port(port, text) if colon else default_port
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return Host(_parse_ipv4(name, text), port_number, is_address=True)
    if len(name) > NAME_MAX or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        _refuse(text, "is not a host name")
    return Host(name, port_number)


def _encode(name: str, text: str) -> str:
    if not name.isascii():
        if _READ_TWO_WAYS & set(name):
            _refuse(text, "can be read as two different hosts: write it in its xn-- form")
        try:
            name = name.encode("idna").decode("ascii").lower()
        except UnicodeError:
            _refuse(text, "is not a host name")
    return name.removesuffix(".")


def _parse_port(port: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        _refuse(text, "does not name a port from 1 to 65535")
    return int(port)


def _parse_ipv4(name: str, text: str) -> str:
    try:
        return str(IPv4Address(name))
    except AddressValueError:
        _refuse(text, "is a number, not a host name")


def _parse_ipv6(text: str, default_port: int) -> Host:
    bracketed = _BRACKETED.fullmatch(text)
    inner, port = bracketed.groups() if bracketed else (text, None)
    try:
        name = str(IPv6Address(inner))
    except AddressValueError:
        _refuse(text, "is not a host name")
    return Host(name, default_port if port is None else _parse_port(port, text), is_address=True)


def _refuse(text: str, why: str) -> NoReturn:
    shown = ascii(text if len(text) <= 80 else f"{text[:80]}…")
    raise Refusal(Reason.HOST_NOT_ALLOWED, f"{shown} {why}. {HOW_TO_WRITE_IT}")


@dataclass(frozen=True, slots=True)
class HostRules:
    """The hosts one connection declares, and the loopback hosts that local development allows."""

    declared: tuple[Host, ...]
    local: frozenset[Host]

    def require(self, host: Host, scheme: str) -> None:
        """Refuse `host_not_allowed` a host that is not declared, and http to anything but a local host."""
        if host not in self.declared:
            raise Refusal(Reason.HOST_NOT_ALLOWED, self._undeclared(host))
        if host in self.local:
            return
        if scheme != "https":
            raise Refusal(Reason.HOST_NOT_ALLOWED, f"{host} may be called over https only.")
        require_name(host)

    def scheme_for(self, host: Host) -> str:
        return "http" if host in self.local else "https"

    def _undeclared(self, host: Host) -> str:
        what = "An IP address" if host.is_address else str(host)
        return (
            f"{what} is not one of this connection's hosts ({', '.join(map(str, self.declared))}). "
            "Call one of those, or ask for a connection that declares the other host with request_connection."
        )


def require_name(host: Host) -> None:
    """Refuse an IP address, and a name without a dot, which only a private network resolves."""
    if host.is_address:
        raise Refusal(Reason.HOST_NOT_ALLOWED, "An IP address is not allowed as a host. Use the vendor's host name.")
    if "." not in host.name:
        raise Refusal(Reason.HOST_NOT_ALLOWED, f"{host} is not a public host name. Use the vendor's full host name.")


def parse_hosts(texts: Iterable[str]) -> tuple[Host, ...]:
    return tuple(parse_host(text) for text in texts)
