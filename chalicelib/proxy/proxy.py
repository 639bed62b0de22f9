"""The only way out: judges a module's call, adds the credential, and brings back an answer without it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

from chalicelib.errors import Refusal
from chalicelib.model import Connection, VendorRequest, VendorResponse
from chalicelib.proxy.call import Call, judge, rules_of
from chalicelib.proxy.credential_source import CredentialSource
from chalicelib.proxy.headers import answered
from chalicelib.proxy.hosts import parse_hosts
from chalicelib.proxy.redact import redact
from chalicelib.proxy.trip import Trip
from chalicelib.proxy.vault import Vault

if TYPE_CHECKING:  # the network's modules load at the first call
    from chalicelib.proxy.sealed_tokens import TokenRows
    from chalicelib.proxy.transport import Transport, WireAnswer


class Proxy:
    """Calls to vendors under product.md §8. One for a process; safe to share between threads; close it at the end.

    `local_hosts`: `host:port` of loopback hosts that may be called, over http; empty on AWS.
    `tokens`: the rows by which processes share access tokens; without them each fetches its own.
    `transport` makes the network's side once, at the first call. `now`: aware UTC.
    """

    def __init__(
        self,
        *,
        vault: Vault,
        local_hosts: frozenset[str],
        tokens: TokenRows | None = None,
        transport: Callable[[], Transport] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._source = CredentialSource(vault, tokens, now=now, pause=pause)
        self._local = frozenset(parse_hosts(local_hosts))
        self._make_transport = transport or _system_transport
        self._transport: Transport | None = None
        self._lock = Lock()

    def judge(self, connection: Connection, request: VendorRequest) -> Call:
        """The call as it would go out, decided without the network and without the vault.

        Refuses `host_not_allowed`, `method_not_declared`, `tool_failed`.
        """
        return judge(connection, request, rules_of(connection, self._local))

    def send(
        self,
        connection: Connection,
        request: VendorRequest,
        *,
        deadline: float,
        reread: Callable[[], Connection] | None = None,
    ) -> VendorResponse:
        """The vendor's answer, redirects followed, by `deadline` on time.monotonic().

        `connection` was read strongly a moment ago; `reread` does it again before anything more leaves.
        Refuses `host_not_allowed`, `method_not_declared`, `tool_failed`, `connection_revoked`, `credential_missing`,
        `vendor_unreachable`, `response_too_large`, `run_timeout`, and whatever `reread` refuses.
        """
        call = self.judge(connection, request)
        trip = Trip(
            connection,
            reread=reread or (lambda: connection),
            source=self._source,
            transport=self._network(),
            local=self._local,
            deadline=deadline,
        )
        try:
            answer = trip.run(call)
        except Refusal as refusal:
            raise Refusal(refusal.reason, redact(refusal.message, trip.echoes), refusal.details) from None
        return _presented(answer, trip.echoes)

    def close(self) -> None:
        """End the connections that are kept alive."""
        if self._transport is not None:
            self._transport.close()

    def _network(self) -> Transport:
        with self._lock:
            if self._transport is None:
                self._transport = self._make_transport()
            return self._transport


def _system_transport() -> Transport:
    from chalicelib.proxy.transport import Transport

    return Transport()


def _presented(answer: WireAnswer, echoes: tuple[str, ...]) -> VendorResponse:
    from chalicelib.proxy.body import to_text

    text = redact(to_text(answer.body, answer.header("content-type")), echoes)
    headers = answered(answer.headers, has_body=bool(answer.body))
    shown = tuple((redact(name, echoes), redact(value, echoes)) for name, value in headers)
    return VendorResponse(answer.status, shown, text)
