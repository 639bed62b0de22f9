"""One fetch of an access token: the token URL asked under the same rules as a vendor, and no redirect followed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection
from chalicelib.proxy.call import Call
from chalicelib.proxy.client_credentials import Granted, ask
from chalicelib.proxy.headers import Headers, with_ours
from chalicelib.proxy.hosts import Host
from chalicelib.proxy.token_url import token_url_of

if TYPE_CHECKING:
    from chalicelib.proxy.transport import Transport, WireAnswer

FETCH_SECONDS_MAX: Final = 10.0


@dataclass(frozen=True, slots=True)
class TokenFetch:
    connection: Connection
    still_holds: Callable[[], None]
    """Reads the connection strongly before each request leaves; raises when it was revoked or has another secret."""
    secret: Callable[[Connection], Mapping[str, str]]
    transport: Transport
    local: frozenset[Host]
    deadline: float
    """Of the run, on time.monotonic()."""

    def __call__(self, style: str) -> Granted:
        """Raises ClientRejected; refuses `host_not_allowed`, `vendor_unreachable`, `run_timeout`."""
        url = token_url_of(self.connection, self.local)
        scopes = self.connection.scheme_config.get("scopes", "")
        return ask(self._exchange, url, scopes, self.secret(self.connection), style)

    def _exchange(self, call: Call, headers: Headers) -> WireAnswer:
        self.still_holds()
        owner = f"{self.connection.person_id}/{self.connection.id}/token"
        deadline = min(self.deadline, time.monotonic() + FETCH_SECONDS_MAX)
        sent, is_local = with_ours(headers), call.host in self.local
        try:
            return self.transport.exchange(call, sent, is_local=is_local, owner=owner, deadline=deadline)
        except Refusal as refusal:
            raise self._explained(refusal, call.host) from None

    def _explained(self, refusal: Refusal, host: Host) -> Refusal:
        reason, message = refusal.reason, refusal.message
        if reason is Reason.RUN_TIMEOUT and time.monotonic() < self.deadline:
            reason, message = Reason.VENDOR_UNREACHABLE, f"{host} had not answered within {FETCH_SECONDS_MAX:.0f} s."
        if reason is Reason.RESPONSE_TOO_LARGE:
            reason, message = Reason.VENDOR_UNREACHABLE, f"{host} gave an answer that is too large."
        return Refusal(reason, f"No access token could be fetched: {message}")
