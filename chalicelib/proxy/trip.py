"""One call of a module on its way: its credential, the vendor's redirects, and a second try with a new token.

The connection was read just before the trip. It is read again before anything more leaves: the next hop of a
redirect, each question to the token URL, the call that waited for a token, the call that is repeated. So nothing
leaves after a revoke.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection
from chalicelib.proxy.call import Call, rules_of
from chalicelib.proxy.credential_source import CredentialSource, require_secret
from chalicelib.proxy.credentials import NO_CREDENTIAL, Credential
from chalicelib.proxy.deadline import DeadlinePassed
from chalicelib.proxy.headers import with_ours
from chalicelib.proxy.hosts import Host, HostRules
from chalicelib.proxy.params import with_params
from chalicelib.proxy.redact import echoes_of, longest_first
from chalicelib.proxy.redirects import REDIRECTS_MAX, next_call
from chalicelib.proxy.token_url import TOKEN_SCHEME

if TYPE_CHECKING:
    from chalicelib.proxy.transport import Transport, WireAnswer

UNAUTHORIZED: Final = 401


class SecretReplaced(Exception):
    """The connection has another secret than when this was begun."""


class Trip:
    """`reread` reads the connection strongly, or refuses. `deadline`: on time.monotonic()."""

    def __init__(
        self,
        connection: Connection,
        *,
        reread: Callable[[], Connection],
        source: CredentialSource,
        transport: Transport,
        local: frozenset[Host],
        deadline: float,
    ) -> None:
        self._connection = connection
        self._reread = reread
        self._source = source
        self._transport = transport
        self._local = local
        self._deadline = deadline
        self._is_bare = False
        self.echoes: tuple[str, ...] = ()
        """Every form of every secret that this trip carried, longest first."""

    def run(self, call: Call) -> WireAnswer:
        """The vendor's answer, redirects followed; refuses as `Proxy.send` says."""
        for hop in range(REDIRECTS_MAX + 1):
            if hop:
                self._look_again()
                self._rules().require(call.host, call.scheme)
            answer = self._answer(call)
            following = next_call(call, answer.status, answer.header("location"), self._rules())
            if following is None:
                return answer
            self._is_bare |= (following.scheme, following.host) != (call.scheme, call.host)
            call = following
        message = f"The vendor redirects more than {REDIRECTS_MAX} times. Call the path that it leads to."
        raise Refusal(Reason.VENDOR_UNREACHABLE, message)

    def _answer(self, call: Call) -> WireAnswer:
        """With a token that the vendor refuses, the call goes out once more with another one."""
        credential, token = self._carried()
        answer = self._exchange(call, credential)
        if answer.status != UNAUTHORIZED or not token or not self._source.tokens.may_renew(self._connection):
            return answer
        credential, _ = self._carried(refused=token)
        again = self._exchange(call, credential)
        if again.status == UNAUTHORIZED:
            self._source.tokens.did_not_help(self._connection)
        return again

    def _exchange(self, call: Call, credential: Credential) -> WireAnswer:
        sent = replace(call, target=with_params(call.target, credential.params))
        return self._transport.exchange(
            sent,
            with_ours((*call.headers, *credential.headers)),
            is_local=call.host in self._local,
            owner=f"{self._connection.person_id}/{self._connection.id}",
            deadline=self._deadline,
        )

    # --- credentials

    def _carried(self, *, refused: str = "") -> tuple[Credential, str]:
        """(credential, access token if it is one) for the next call."""
        if self._is_bare:
            return NO_CREDENTIAL, ""
        own = self._source.of(self._connection)
        self._hide(own.echoes)
        if self._connection.scheme != TOKEN_SCHEME:
            return own, ""
        try:
            token = self._token(refused)
        except SecretReplaced:
            return self._carried()
        self._hide(echoes_of([token]))
        return Credential(headers=(("Authorization", f"Bearer {token}"),)), token

    def _token(self, refused: str) -> str:
        at_hand = self._source.tokens.at_hand(self._connection)
        if at_hand is not None and at_hand.text != refused:
            return at_hand.text
        from chalicelib.proxy.access_tokens import Need
        from chalicelib.proxy.token_fetch import TokenFetch

        fetch = TokenFetch(
            self._connection,
            still_holds=self._require_same_secret,
            secret=self._source.secret_of,
            transport=self._transport,
            local=self._local,
            deadline=self._deadline,
        )
        try:
            token = self._source.tokens.get(
                Need(self._connection, fetch, self._require_same_secret, self._deadline, refused)
            )
        except DeadlinePassed:
            message = f"The run's time was used up before a token for {self._connection.vendor} had come. Call again."
            raise Refusal(Reason.RUN_TIMEOUT, message) from None
        self._require_same_secret()
        return token.text

    def _hide(self, echoes: tuple[str, ...]) -> None:
        self.echoes = longest_first({*self.echoes, *echoes})

    # --- the connection as it is now

    def _look_again(self) -> None:
        self._connection = self._reread()
        require_secret(self._connection)

    def _require_same_secret(self) -> None:
        before = self._connection.secret_revision
        self._look_again()
        if self._connection.secret_revision != before:
            raise SecretReplaced

    def _rules(self) -> HostRules:
        return rules_of(self._connection, self._local)
