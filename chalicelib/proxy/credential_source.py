"""Where the credentials of a process come from: the vault, and the token URLs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, ConnectionState
from chalicelib.proxy.credentials import NO_CREDENTIAL, Credential, CredentialCache, key_of
from chalicelib.proxy.schemes import scheme_named
from chalicelib.proxy.vault import Vault

if TYPE_CHECKING:  # the modules of access tokens load at the first need
    from chalicelib.proxy.access_tokens import AccessTokens
    from chalicelib.proxy.sealed_tokens import TokenRows


class CredentialSource:
    """One for a process. Safe to share between threads."""

    def __init__(
        self, vault: Vault, rows: TokenRows | None, *, now: Callable[[], datetime], pause: Callable[[float], None]
    ) -> None:
        self._vault = vault
        self._opened = CredentialCache()
        self._make_tokens: Callable[[], AccessTokens] = lambda: _access_tokens(rows, vault, now, pause)
        self._tokens: AccessTokens | None = None
        self._lock = Lock()

    @property
    def tokens(self) -> AccessTokens:
        """Made for the first connection that needs one: most need none."""
        with self._lock:
            if self._tokens is None:
                self._tokens = self._make_tokens()
            return self._tokens

    def of(self, connection: Connection) -> Credential:
        """What the scheme makes of the secret, opened once for each revision. Refuses as `require_secret` does."""
        scheme = scheme_named(connection.scheme)
        require_secret(connection)
        if not scheme.secret:
            return NO_CREDENTIAL
        return self._opened.get(
            key_of(connection), lambda: scheme.apply(connection.scheme_config, self.secret_of(connection))
        )

    def secret_of(self, connection: Connection) -> Mapping[str, str]:
        """The secret itself, opened now and kept nowhere. Refuses `credential_missing` one that does not fit."""
        secret = self._vault.open(
            connection.sealed_secret or b"", person_id=connection.person_id, connection_id=connection.id
        )
        if any(field.required and field.name not in secret for field in scheme_named(connection.scheme).secret):
            raise Refusal(Reason.CREDENTIAL_MISSING, _no_credential(connection))
        return secret


def _access_tokens(
    rows: TokenRows | None, vault: Vault, now: Callable[[], datetime], pause: Callable[[float], None]
) -> AccessTokens:
    from chalicelib.proxy.access_tokens import AccessTokens
    from chalicelib.proxy.sealed_tokens import NothingShared

    return AccessTokens(rows or NothingShared(), vault, now=now, pause=pause)


def require_secret(connection: Connection) -> None:
    """Refuses `connection_revoked` one that is not live, `credential_missing` one whose scheme lacks its secret."""
    if connection.state is not ConnectionState.LIVE:
        message = f"The connection to {connection.vendor} was revoked. Ask for a new one with request_connection."
        raise Refusal(Reason.CONNECTION_REVOKED, message)
    if scheme_named(connection.scheme).secret and connection.sealed_secret is None:
        raise Refusal(Reason.CREDENTIAL_MISSING, _no_credential(connection))


def _no_credential(connection: Connection) -> str:
    return (
        f"The connection to {connection.vendor} has no credential. "
        f"Ask for it with request_credential (connectionId {connection.id}), never in the chat."
    )
