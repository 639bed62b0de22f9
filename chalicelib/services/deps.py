"""What a use case works with. Built once per process by wiring."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from chalicelib.services.caches import Caches

if TYPE_CHECKING:
    from chalicelib.model import Page, Reply, Said
    from chalicelib.proxy.gate import Gate
    from chalicelib.proxy.vault import Vault
    from chalicelib.sandbox.pool import Sandbox
    from chalicelib.storage.store import Store

ID_BYTES: Final = 8
RUN_SECONDS_MAX: Final = 25.0
GATEWAY_SECONDS: Final = 29.0
ANSWER_SECONDS: Final = 2.0
"""What packing and releasing may take of the gateway's time."""

log = logging.getLogger("graft")


@dataclass(frozen=True, slots=True)
class Settings:
    table_name: str
    public_base_url: str
    """Without a slash at the end; every link begins with it."""
    local_hosts: frozenset[str] = frozenset()
    """`host:port` on loopback that connections may name, over http too. Empty on AWS."""
    sse_retry_ms: int = 30_000
    """How long a harness waits before it polls the list stream again."""
    sandbox_workers: int = 1
    sweep_visitors: int = 8
    """Agents that a sweep visits side by side."""


class ConnectionRules(Protocol):
    """What the proxy accepts as a connection."""

    def check(
        self,
        scheme: str,
        scheme_config: Mapping[str, str],
        secret: Mapping[str, str] | None,
        primary_host: str,
        hosts: Sequence[str],
    ) -> list[str]:
        """Every problem in clear text, without a secret in it."""

    def stored_hosts(self, primary_host: str, hosts: Sequence[str]) -> tuple[str, ...]:
        """Every host once, the primary one first, in the spelling that is compared."""

    def secret_hosts(
        self, scheme: str, scheme_config: Mapping[str, str], primary_host: str, hosts: Sequence[str]
    ) -> tuple[str, ...]:
        """Every host that will receive the secret, the token URL's first, as a person has to see them."""

    def foreign_token_host(self, scheme: str, scheme_config: Mapping[str, str], primary_host: str) -> str | None:
        """The token URL's host, when it is outside the primary host's domain: the person has to confirm it."""

    def stored_config(
        self, scheme: str, scheme_config: Mapping[str, str], primary_host: str, confirmed_host: str
    ) -> dict[str, str]:
        """The configuration to store. Refuses `input_invalid`, with `tokenHost` in its details, a foreign token host
        other than `confirmed_host`, which is what the person's form says was confirmed; an agent confirms nothing."""

    def asked_config(self, scheme_config: Mapping[str, str]) -> dict[str, str]:
        """A stored configuration without what the person confirmed: what `check` takes and what may be shown."""

    def registrable_domain(self, host: str) -> str | None:
        """The part of a host that somebody registered, in xn-- form; None: an address, a suffix, or no host."""


class Model(Protocol):
    """A language model. It is told nothing that a person must not read, and no credential."""

    provider: str
    """Who runs it, as a person is told."""
    model_id: str

    def reply(self, system: str, messages: Sequence[Said], max_tokens: int) -> Reply:
        """Raises `Unanswered`."""


class Documents(Protocol):
    """Pages that anybody may read, fetched under the proxy's rules."""

    def read(self, url: str) -> Page:
        """One page as text, within seconds. Refuses what is not public, not https, or too large."""


@dataclass(frozen=True)
class Deps:
    settings: Settings
    store: Store
    sandbox: Sandbox
    vault: Vault
    connections: ConnectionRules
    new_gate: Callable[..., Gate]
    now: Callable[[], datetime]
    """Aware UTC, whole milliseconds."""
    random_bytes: Callable[[int], bytes]
    pause: Callable[[float], None]
    """Waits so many seconds."""
    documents: Documents
    start_job: Callable[[str, str, str], None]
    """Calls a worker for a job (person, agent, job) and does not wait for it. It may come twice, or never."""
    seconds_left: Callable[[], float] = lambda: GATEWAY_SECONDS
    """Until the process must have answered."""
    caches: Caches = field(default_factory=Caches)
    model: Model | None = None
    """Writes tools for `acquire`; None: none is configured."""

    def new_id(self) -> str:
        """13 lower-case letters and digits, 64 random bits."""
        return base64.b32encode(self.random_bytes(ID_BYTES)).decode().rstrip("=").lower()

    def new_timed_id(self) -> str:
        """24 hexadecimal digits that sort by time; 48 of the bits are random."""
        milliseconds = int(self.now().timestamp() * 1000)
        return f"{milliseconds:012x}{self.random_bytes(6).hex()}"
