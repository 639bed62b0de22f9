"""OAuth 2.0's client credentials grant (RFC 6749, 4.4): the request for an access token, and its answer."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import quote_plus, urlencode

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.call import Call
from chalicelib.proxy.headers import Headers, is_header_value
from chalicelib.proxy.token_url import TokenUrl

if TYPE_CHECKING:
    from chalicelib.proxy.transport import WireAnswer

Exchange: TypeAlias = "Callable[[Call, Headers], WireAnswer]"

ANSWER_BYTES_MAX: Final = 64 * 1024
TOKEN_CHARACTERS_MAX: Final = 8 * 1024
LIFETIME_SECONDS_DEFAULT: Final = 3600.0
"""Where the answer names none; a token that ends earlier shows by a 401."""
LIFETIME_SECONDS_MAX: Final = 86_400.0
BASIC: Final = "basic"
BODY: Final = "body"
_ASKS_FOR_JSON: Final = (("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded"))
_NOT_THIS_CLIENT: Final = frozenset({"invalid_client", "unauthorized_client", "invalid_grant", "access_denied"})
_CODES: Final = _NOT_THIS_CLIENT | {"invalid_request", "invalid_scope", "unsupported_grant_type"}
"""The only words of an error answer that are ever repeated."""


@dataclass(frozen=True, slots=True)
class Granted:
    token: str = field(repr=False)
    lifetime_seconds: float
    style: str
    """How the client proved itself: `basic` or `body`."""


class ClientRejected(Exception):
    """The token URL does not take this client id and secret."""


class _Unproved(Exception):
    """The answer to a request that may go through in the other style. `is_plain`: it names the client as the fault."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}")
        self.status = status
        self.is_plain = status == 401 or code in _NOT_THIS_CLIENT


def ask(exchange: Exchange, url: TokenUrl, scopes: str, secret: Mapping[str, str], style: str) -> Granted:
    """Fetch a token, proving the client in this style and, when that is no good, in the other one.

    Raises ClientRejected; refuses `vendor_unreachable` every other answer that brings no token.
    """
    try:
        return _ask(exchange, url, scopes, secret, style)
    except _Unproved as error:
        first = error
    try:
        return _ask(exchange, url, scopes, secret, BASIC if style == BODY else BODY)
    except _Unproved as second:
        if first.is_plain or second.is_plain:
            raise ClientRejected from None
        raise _no_token(url, f"answered {second.status}") from None


def _ask(exchange: Exchange, url: TokenUrl, scopes: str, secret: Mapping[str, str], style: str) -> Granted:
    form = {"grant_type": "client_credentials"} | ({"scope": scopes} if scopes else {})
    proof: Headers = ()
    if style == BASIC:
        proof = (("Authorization", f"Basic {_pair(secret)}"),)
    else:
        form |= {"client_id": secret["clientId"], "client_secret": secret["clientSecret"]}
    call = Call("POST", url.scheme, url.host, url.target, headers=(), body=urlencode(form).encode("ascii"))
    return _read(exchange(call, (*_ASKS_FOR_JSON, *proof)), url, style)


def _pair(secret: Mapping[str, str]) -> str:
    """Both parts form-encoded first (RFC 6749, 2.3.1), so that a `:` in the id is no matter."""
    encoded = f"{quote_plus(secret['clientId'])}:{quote_plus(secret['clientSecret'])}"
    return b64encode(encoded.encode("ascii")).decode("ascii")


def _read(answer: WireAnswer, url: TokenUrl, style: str) -> Granted:
    facts = _facts(answer)
    if 200 <= answer.status < 300:
        return Granted(_token(facts, url), _lifetime(facts.get("expires_in")), style)
    code = facts.get("error")
    code = code if isinstance(code, str) and code in _CODES else ""
    if answer.status == 401 or (answer.status in {400, 403} and code in _NOT_THIS_CLIENT | {"", "invalid_request"}):
        raise _Unproved(answer.status, code)
    raise _no_token(url, f"answered {answer.status}{f' ({code})' if code else ''}")


def _facts(answer: WireAnswer) -> Mapping[str, Any]:
    """The answer's JSON object; empty: it is none."""
    if len(answer.body) > ANSWER_BYTES_MAX:
        return {}
    try:
        facts = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _token(facts: Mapping[str, Any], url: TokenUrl) -> str:
    token, kind = facts.get("access_token"), facts.get("token_type", "bearer")
    if not isinstance(token, str) or not token:
        raise _no_token(url, "gave an answer without an access token")
    if not isinstance(kind, str) or kind.lower() != "bearer":
        raise _no_token(url, "gave a token that is not a bearer token")
    if len(token) > TOKEN_CHARACTERS_MAX or not token.isascii() or not is_header_value(token) or " " in token:
        raise _no_token(
            url, f"gave a token that no header carries: over {TOKEN_CHARACTERS_MAX} characters, or odd ones"
        )
    return token


def _lifetime(value: Any) -> float:
    """Seconds, from 0 to a day. Some servers send the number as text."""
    try:
        seconds = LIFETIME_SECONDS_DEFAULT if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = LIFETIME_SECONDS_DEFAULT
    return LIFETIME_SECONDS_DEFAULT if math.isnan(seconds) else min(max(seconds, 0.0), LIFETIME_SECONDS_MAX)


def _no_token(url: TokenUrl, what: str) -> Refusal:
    message = f"No access token could be fetched: {url.host} {what}. Correct the connection, or try again later."
    return Refusal(Reason.VENDOR_UNREACHABLE, message)
