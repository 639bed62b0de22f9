"""Which connection a run uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum

from chalicelib.model import Agent, Connection, ConnectionState


class Unbound(Enum):
    """Why a run has no connection. It matters only when the run reaches for `http`."""

    NONE = "none"
    REVOKED = "revoked"


Ambiguous = tuple[Connection, ...]


def in_scope(agent: Agent, connections: Iterable[Connection]) -> list[Connection]:
    """A connection outside the agent's scope does not exist for it."""
    return [c for c in connections if agent.connection_ids is None or c.id in agent.connection_ids]


def live(connections: Iterable[Connection]) -> list[Connection]:
    return [c for c in connections if c.state is ConnectionState.LIVE]


def find_fitting(
    connections: Iterable[Connection], vendor: str, scheme: str, hosts: Collection[str]
) -> Connection | None:
    """One that serves who wants this vendor by this scheme on these hosts; None: none does."""
    for connection in connections:
        if (connection.vendor, connection.scheme) == (vendor, scheme) and set(hosts) <= set(connection.hosts):
            return connection
    return None


def choose_connection(
    vendor: str, default_id: str | None, connections: Iterable[Connection]
) -> Connection | Ambiguous | Unbound:
    """The tool's default; if that is revoked or gone, the single live connection of the vendor.

    `connections`: those in the agent's scope. Several live ones and no usable default: all of them, to be named.
    """
    connections = list(connections)
    default = next((c for c in connections if c.id == default_id), None)
    if default is not None and default.state is ConnectionState.LIVE:
        return default
    candidates = [c for c in live(connections) if c.vendor == vendor]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        return tuple(candidates)
    return Unbound.REVOKED if default is not None else Unbound.NONE


def names_vendor(vendor: str, domain: str | None) -> bool:
    """Whether a host's registrable domain (None: it has none) bears the vendor's name, hyphens aside."""
    return domain is not None and vendor.replace("-", "") in domain.replace("-", "")
