"""Connections, requests and deadlines with the facts a test cares about in sight."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from chalicelib.model import Connection, ConnectionState, VendorRequest
from chalicelib.proxy.vault import LocalVault

PERSON: Final = "p1"
VAULT: Final = LocalVault(bytes(range(32)))
TOKEN: Final = "tok_0123456789abcdef"


def a_connection(
    *hosts: str,
    scheme: str = "none",
    config: Mapping[str, str] | None = None,
    secret: Mapping[str, str] | None = None,
    connection_id: str = "c1",
    state: ConnectionState = ConnectionState.LIVE,
    secret_revision: int = 1,
) -> Connection:
    declared = hosts or ("api.vendor.example",)
    return Connection(
        person_id=PERSON,
        id=connection_id,
        vendor="vendor",
        display_name="Vendor",
        scheme=scheme,
        scheme_config=config or {},
        primary_host=declared[0],
        hosts=declared,
        state=state,
        created_at=datetime(2026, 12, 1, tzinfo=UTC),
        secret_revision=secret_revision,
        sealed_secret=None if secret is None else VAULT.seal(secret, person_id=PERSON, connection_id=connection_id),
    )


def with_token(*hosts: str) -> Connection:
    return a_connection(*hosts, scheme="bearer", secret={"token": TOKEN})


def get(path: str = "/", **more: object) -> VendorRequest:
    return VendorRequest("GET", path, **more)  # type: ignore[arg-type]  # a test names what it needs


def post(path: str = "/", body: str = "", **more: object) -> VendorRequest:
    return VendorRequest("POST", path, body=body, **more)  # type: ignore[arg-type]  # a test names what it needs


def soon(seconds: float = 10.0) -> float:
    return time.monotonic() + seconds
