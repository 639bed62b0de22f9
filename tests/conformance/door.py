"""The door over real services, store and sandbox, with the fixture tools, behind the proxy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import boto3
from moto import mock_aws

from chalicelib.services import agents
from chalicelib.services.deps import Deps
from chalicelib.storage.store import TABLE_DEFINITION
from chalicelib.wiring import make_deps
from tests.mcp.loopback import serving

from .fixture_tools import FIXTURES
from .proxy import authorizing

PERSON = "p1"
TABLE = "graft-conformance"


@contextmanager
def open_door(home: Path) -> Iterator[str]:
    """The address to test, which needs no token. Holds answer after as long as they do in production."""
    with _deps(home) as deps:
        deps.store.people.add(PERSON)
        _, token = agents.create_agent(deps, PERSON, "conformance")
        with serving(deps, catalogue=FIXTURES, waits=True) as url, authorizing(url, token) as open_url:
            yield open_url


@contextmanager
def _deps(home: Path) -> Iterator[Deps]:
    environment = {
        "GRAFT_TABLE": TABLE,
        "GRAFT_HOME": str(home),
        "GRAFT_PUBLIC_BASE_URL": "http://127.0.0.1:8765",
    }
    with patch.dict(os.environ, {"AWS_DEFAULT_REGION": "us-east-1"}), mock_aws():
        client = boto3.client("dynamodb")
        client.create_table(TableName=TABLE, **TABLE_DEFINITION)
        deps = make_deps(environment)
        try:
            yield deps
        finally:
            deps.sandbox.close()
            deps.store.close()
            client.close()
