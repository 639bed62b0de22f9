"""The door over the real services, store and sandbox; the table is emulated in process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from chalicelib.sandbox.pool import Sandbox
from chalicelib.services import agents
from chalicelib.services.deps import Deps
from chalicelib.storage.store import TABLE_DEFINITION
from chalicelib.wiring import make_deps

from .harness import Harness

PERSON = "p1"


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """Workers are made once: each run has a session of its own anyway."""
    sandbox = Sandbox(workers=2)
    yield sandbox
    sandbox.close()


@pytest.fixture
def deps(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deps]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    environment = {
        "GRAFT_TABLE": "graft-test",
        "GRAFT_HOME": str(tmp_path),
        "GRAFT_PUBLIC_BASE_URL": "http://127.0.0.1:8765",
    }
    with mock_aws():
        client = boto3.client("dynamodb")
        client.create_table(TableName="graft-test", **TABLE_DEFINITION)
        deps = replace(make_deps(environment), sandbox=sandbox)
        deps.store.people.add(PERSON)
        yield deps
        deps.store.close()
        client.close()


@pytest.fixture
def new_harness(deps: Deps) -> Callable[[str], Harness]:
    """Makes an agent of the one person, by name, and its harness."""
    return lambda name: Harness(deps, agents.create_agent(deps, PERSON, name)[1])


@pytest.fixture
def harness(new_harness: Callable[[str], Harness]) -> Harness:
    """A harness without a session."""
    return new_harness("laptop")


@pytest.fixture
def opened(harness: Harness) -> Harness:
    """The same agent's harness after `initialize`."""
    return harness.opened()
