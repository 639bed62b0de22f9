"""How each scheme takes its parameters and secrets, and how it applies them to a call."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy import params
from chalicelib.proxy.credentials import NO_CREDENTIAL, Credential
from chalicelib.proxy.headers import comparable, is_header_name, is_header_value, is_reserved
from chalicelib.proxy.redact import echoes_of
from chalicelib.proxy.token_url import TOKEN_SCHEME, TOKEN_URL, parse_token_url

Values: TypeAlias = Mapping[str, str]

FIELD_MAX: Final = 2000
"""Characters of one field."""
SHORTEST_SECRET: Final = 4
"""A shorter password beside a user name is a filler (`X`): the user name is then the secret."""
_PARAM_NAME = re.compile(r"[A-Za-z0-9$][A-Za-z0-9._~$-]{0,99}")
_SCOPES = re.compile(r"(?:[!#-\[\]-~]+(?: [!#-\[\]-~]+)*)?")
"""RFC 6749, 3.3."""
_NOT_FOR_KEYS: Final = frozenset({"content-type", "content-encoding", "user-agent", "accept"})


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    fault: Callable[[str], str | None]
    """What is wrong with a value, to be read after the field's name; None: nothing."""
    required: bool = True


@dataclass(frozen=True, slots=True)
class Scheme:
    config: tuple[Field, ...]
    secret: tuple[Field, ...]
    apply: Callable[[Values, Values], Credential]
    """Config and secret → what goes out with a call."""
    own_headers: Callable[[Values], frozenset[str]] = lambda _: frozenset()
    """The headers, in comparable form, that belong to the connection and never to a module."""
    own_params: Callable[[Values], frozenset[str]] = lambda _: frozenset()
    """The same of the query's parameters."""


def _any_text(value: str) -> str | None:
    if any(ord(character) < 32 or ord(character) == 127 for character in value):
        return "holds a line break or another control character"
    return None


def _key_text(value: str) -> str | None:
    if not value.isascii():
        return "holds a character outside ASCII; was it copied with a typographic quote or an invisible character?"
    if not is_header_value(value):
        return "holds a line break, a control character or a space at one of its ends"
    return None


def _token_text(value: str) -> str | None:
    return _key_text(value) or ("holds a space" if " " in value or "\t" in value else None)


def _prefix_text(value: str) -> str | None:
    return _key_text(value.rstrip(" "))


def _user_name(value: str) -> str | None:
    return _any_text(value) or ("holds a ':', which basic authentication cannot carry" if ":" in value else None)


def _key_header(value: str) -> str | None:
    if not is_header_name(value):
        return "is not a header name"
    if is_reserved(value) or comparable(value) in _NOT_FOR_KEYS:
        return "names a header that the proxy or HTTP itself sets"
    return None


def _key_param(value: str) -> str | None:
    if _PARAM_NAME.fullmatch(value):
        return None
    return "is not the plain name of a query parameter: letters, digits and ._~$- to 100 characters"


def _token_url(value: str) -> str | None:
    try:
        parse_token_url(value)
    except Refusal:
        return "is not a plain address such as https://login.vendor.example/oauth/token"
    return None


def _scopes(value: str) -> str | None:
    return None if _SCOPES.fullmatch(value) else "is not a list of scopes with single spaces between them"


def _bearer(_: Values, secret: Values) -> Credential:
    token = secret["token"]
    return Credential(headers=(("Authorization", f"Bearer {token}"),), echoes=echoes_of([token]))


def _api_key_header(config: Values, secret: Values) -> Credential:
    key, prefix = secret["key"], config.get("prefix", "")
    space = " " if prefix[-1:].isalnum() else ""
    return Credential(headers=((config["headerName"], f"{prefix}{space}{key}"),), echoes=echoes_of([key]))


def _api_key_query(config: Values, secret: Values) -> Credential:
    key = secret["key"]
    return Credential(params=((config["queryParam"], key),), echoes=echoes_of([key]))


def _client(_: Values, secret: Values) -> Credential:
    """Goes out to the token URL only; a vendor's call carries the access token."""
    client_id, client_secret = secret["clientId"], secret["clientSecret"]
    return Credential(echoes=echoes_of([client_secret, f"{client_id}:{client_secret}"]))


def _basic(_: Values, secret: Values) -> Credential:
    """User name and password in UTF-8 (RFC 7617)."""
    username, password = secret["username"], secret.get("password", "")
    pair = b64encode(f"{username}:{password}".encode()).decode("ascii")
    hidden = password if len(password) >= SHORTEST_SECRET else username
    echoes = echoes_of([f"{username}:{password}", hidden])
    return Credential(headers=(("Authorization", f"Basic {pair}"),), echoes=echoes)


SCHEMES: Final[Mapping[str, Scheme]] = {
    "none": Scheme((), (), lambda _, __: NO_CREDENTIAL),
    "bearer": Scheme((), (Field("token", _token_text),), _bearer),
    "api_key_header": Scheme(
        (Field("headerName", _key_header), Field("prefix", _prefix_text, required=False)),
        (Field("key", _key_text),),
        _api_key_header,
        lambda config: frozenset({comparable(config["headerName"])}),
    ),
    "api_key_query": Scheme(
        (Field("queryParam", _key_param),),
        (Field("key", _key_text),),
        _api_key_query,
        own_params=lambda config: frozenset({params.comparable(config["queryParam"])}),
    ),
    "basic": Scheme((), (Field("username", _user_name), Field("password", _any_text, required=False)), _basic),
    TOKEN_SCHEME: Scheme(
        (Field(TOKEN_URL, _token_url), Field("scopes", _scopes, required=False)),
        (Field("clientId", _key_text), Field("clientSecret", _key_text)),
        _client,
    ),
}


def scheme_named(name: str) -> Scheme:
    """Refuses `credential_missing` a scheme that this version cannot apply."""
    try:
        return SCHEMES[name]
    except KeyError:
        message = f"The connection's scheme {name[:40]!a} is not known here. Make the connection anew."
        raise Refusal(Reason.CREDENTIAL_MISSING, message) from None


def field_problems(kind: str, fields: tuple[Field, ...], values: Values) -> Iterator[str]:
    """What is wrong with the values, naming fields and never quoting a value. `kind` is `schemeConfig` or `secret`."""
    for unknown in sorted(values.keys() - {field.name for field in fields}):
        yield f"{kind}.{unknown} is not a field of this scheme."
    for field in fields:
        value = values.get(field.name, "")
        if field.required and not value:
            yield f"{kind}.{field.name} is required."
        elif len(value) > FIELD_MAX:
            yield f"{kind}.{field.name} is longer than {FIELD_MAX} characters."
        elif fault := field.fault(value):
            yield f"{kind}.{field.name} {fault}."
