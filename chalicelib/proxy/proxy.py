"""The only way out: judges a module's call, adds the credential, and brings back an answer without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, ConnectionState, VendorRequest, VendorResponse
from chalicelib.proxy.call import Call, judge, rules_of
from chalicelib.proxy.credentials import NO_CREDENTIAL, Credential, CredentialCache
from chalicelib.proxy.headers import Headers, answered
from chalicelib.proxy.hosts import HostRules, parse_hosts
from chalicelib.proxy.params import with_params
from chalicelib.proxy.redact import redact
from chalicelib.proxy.schemes import scheme_named
from chalicelib.proxy.vault import Vault

if TYPE_CHECKING:  # the network's modules load at the first call
    from chalicelib.proxy.transport import Transport, WireAnswer

USER_AGENT: Final = "graft"
ACCEPT_ENCODING: Final = "gzip, deflate"


class Proxy:
    """Calls to vendors under product.md §8. One for a process; safe to share between threads; close it at the end.

    `local_hosts`: `host:port` of loopback hosts that may be called, over http; empty on AWS.
    `transport` makes the network's side once, at the first call.
    """

    def __init__(
        self, *, vault: Vault, local_hosts: frozenset[str], transport: Callable[[], Transport] | None = None
    ) -> None:
        self._vault = vault
        self._local = frozenset(parse_hosts(local_hosts))
        self._credentials = CredentialCache()
        self._make_transport = transport or _system_transport
        self._transport: Transport | None = None
        self._lock = Lock()

    def judge(self, connection: Connection, request: VendorRequest) -> Call:
        """The call as it would go out, decided without the network and without the vault.

        Refuses `host_not_allowed`, `method_not_declared`, `tool_failed`.
        """
        return judge(connection, request, rules_of(connection, self._local))

    def send(self, connection: Connection, request: VendorRequest, *, deadline: float) -> VendorResponse:
        """The vendor's answer, redirects followed, by `deadline` on time.monotonic().

        Refuses `host_not_allowed`, `method_not_declared`, `tool_failed`, `connection_revoked`, `credential_missing`,
        `vendor_unreachable`, `response_too_large`, `run_timeout`.
        """
        call = self.judge(connection, request)
        credential = self._credential(connection)
        try:
            answer = self._follow(connection, call, credential, deadline)
        except Refusal as refusal:
            message = redact(refusal.message, credential.echoes)
            raise Refusal(refusal.reason, message, refusal.details) from None
        return _presented(answer, credential)

    def close(self) -> None:
        """End the connections that are kept alive."""
        if self._transport is not None:
            self._transport.close()

    def _follow(self, connection: Connection, call: Call, credential: Credential, deadline: float) -> WireAnswer:
        from chalicelib.proxy.redirects import REDIRECTS_MAX, next_call

        rules = rules_of(connection, self._local)
        for _ in range(REDIRECTS_MAX + 1):
            answer = self._exchange(connection, call, credential, rules, deadline)
            following = next_call(call, answer.status, answer.header("location"), rules)
            if following is None:
                return answer
            if (following.scheme, following.host) != (call.scheme, call.host):
                credential = NO_CREDENTIAL
            call = following
        message = f"The vendor redirects more than {REDIRECTS_MAX} times. Call the path that it leads to."
        raise Refusal(Reason.VENDOR_UNREACHABLE, message)

    def _exchange(
        self, connection: Connection, call: Call, credential: Credential, rules: HostRules, deadline: float
    ) -> WireAnswer:
        owner = f"{connection.person_id}/{connection.id}"
        headers = _sent(call, credential)
        is_local = call.host in rules.local
        sent = replace(call, target=with_params(call.target, credential.params))
        return self._network().exchange(sent, headers, is_local=is_local, owner=owner, deadline=deadline)

    def _credential(self, connection: Connection) -> Credential:
        if connection.state is not ConnectionState.LIVE:
            message = f"The connection to {connection.vendor} was revoked. Ask for a new one with request_connection."
            raise Refusal(Reason.CONNECTION_REVOKED, message)
        scheme = scheme_named(connection.scheme)
        if not scheme.secret:
            return NO_CREDENTIAL
        sealed = connection.sealed_secret
        if sealed is None:
            raise Refusal(Reason.CREDENTIAL_MISSING, _no_credential(connection))

        def opened() -> Credential:
            secret = self._vault.open(sealed, person_id=connection.person_id, connection_id=connection.id)
            return scheme.apply(connection.scheme_config, secret)

        return self._credentials.get((connection.person_id, connection.id, connection.secret_revision), opened)

    def _network(self) -> Transport:
        with self._lock:
            if self._transport is None:
                self._transport = self._make_transport()
            return self._transport


def _system_transport() -> Transport:
    from chalicelib.proxy.transport import Transport

    return Transport()


def _sent(call: Call, credential: Credential) -> Headers:
    is_named = any(name.lower() == "user-agent" for name, _ in call.headers)
    agent = () if is_named else (("User-Agent", USER_AGENT),)
    return (*agent, ("Accept-Encoding", ACCEPT_ENCODING), *call.headers, *credential.headers)


def _presented(answer: WireAnswer, credential: Credential) -> VendorResponse:
    from chalicelib.proxy.body import to_text

    text = to_text(answer.body, answer.header("content-type"))
    headers = answered(answer.headers, has_body=bool(answer.body))
    if credential.echoes:
        text = redact(text, credential.echoes)
        headers = tuple((redact(name, credential.echoes), redact(value, credential.echoes)) for name, value in headers)
    return VendorResponse(answer.status, headers, text)


def _no_credential(connection: Connection) -> str:
    return (
        f"The connection to {connection.vendor} has no credential. "
        f"Ask for it with request_credential (connectionId {connection.id}), never in the chat."
    )
