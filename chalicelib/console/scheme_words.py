"""The six schemes as a form shows them. What each field takes is the proxy's to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class FieldWords:
    name: str
    """As the scheme names it."""
    label: str
    hint: str = ""
    is_optional: bool = False
    is_hidden: bool = False
    """Whether it is typed unseen."""


@dataclass(frozen=True, slots=True)
class SchemeWords:
    name: str
    label: str
    config: tuple[FieldWords, ...] = ()
    secret: tuple[FieldWords, ...] = ()


SCHEMES: Final = (
    SchemeWords("bearer", "Bearer token", (), (FieldWords("token", "Token", is_hidden=True),)),
    SchemeWords(
        "api_key_header",
        "Key in a header",
        (
            FieldWords("headerName", "Header name", "Such as X-Api-Key."),
            FieldWords("prefix", "Prefix", "What stands before the key, such as Token.", is_optional=True),
        ),
        (FieldWords("key", "Key", is_hidden=True),),
    ),
    SchemeWords(
        "api_key_query",
        "Key in the address",
        (FieldWords("queryParam", "Query parameter", "Such as api_key."),),
        (FieldWords("key", "Key", is_hidden=True),),
    ),
    SchemeWords(
        "basic",
        "Name and password",
        (),
        (
            FieldWords("username", "User name"),
            FieldWords("password", "Password", is_optional=True, is_hidden=True),
        ),
    ),
    SchemeWords(
        "oauth2_client_credentials",
        "OAuth client credentials",
        (
            FieldWords("tokenUrl", "Token URL", "Where access tokens come from. The client’s secret goes there."),
            FieldWords("scopes", "Scopes", "With single spaces between them.", is_optional=True),
        ),
        (FieldWords("clientId", "Client ID"), FieldWords("clientSecret", "Client secret", is_hidden=True)),
    ),
    SchemeWords("none", "None"),
)
BY_NAME: Final = {scheme.name: scheme for scheme in SCHEMES}


def label(scheme: str) -> str:
    """The scheme in a person's words; of an unknown one its name."""
    words = BY_NAME.get(scheme)
    return words.label.lower().replace("oauth", "OAuth") if words else scheme
