"""The two meta-tools that ask the person for an account, as they are listed."""

from __future__ import annotations

from typing import Final

from . import words
from .meta_tool import WRITES, MetaTool, takes, text

SCHEMES: Final = ("none", "bearer", "api_key_header", "api_key_query", "basic", "oauth2_client_credentials")
CONFIG_FIELDS: Final = ("headerName", "prefix", "queryParam", "tokenUrl", "scopes")
"""Of all schemes together; a test holds both to what the proxy knows."""
CONFIG_MAX: Final = 2000
HOST_MAX: Final = 260
HOSTS_MAX: Final = 20

REQUEST_CONNECTION: Final = MetaTool(
    "request_connection",
    words.REQUEST_CONNECTION,
    takes(
        {
            "vendor": text(52, words.CONNECTION_VENDOR),
            "primaryHost": text(HOST_MAX, words.CONNECTION_HOST),
            "scheme": {"type": "string", "enum": list(SCHEMES), "description": words.CONNECTION_SCHEME},
            "schemeConfig": {
                "type": "object",
                "properties": {name: text(CONFIG_MAX) for name in CONFIG_FIELDS},
                "additionalProperties": False,
                "description": words.CONNECTION_CONFIG,
            },
            "hosts": {
                "type": "array",
                "items": text(HOST_MAX),
                "maxItems": HOSTS_MAX,
                "description": words.CONNECTION_HOSTS,
            },
            "displayName": text(100),
            "docsUrl": text(500, words.CONNECTION_DOCS),
        },
        required=("vendor", "primaryHost", "scheme"),
    ),
    WRITES,
)
REQUEST_CREDENTIAL: Final = MetaTool(
    "request_credential",
    words.REQUEST_CREDENTIAL,
    takes(
        {
            "connectionId": text(64, "As find_tool answers it."),
            "reason": text(500, words.CREDENTIAL_REASON),
        },
        required=("connectionId",),
    ),
    WRITES,
)
