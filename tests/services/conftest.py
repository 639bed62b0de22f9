"""The real services, store, sandbox and proxy; substituted are the clock and the vendor behind the socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws
from moto.dynamodb.models.table import Table

from chalicelib import wiring
from chalicelib.storage.store import TABLE_DEFINITION
from infra.local import vendor
from tests.services.world import Clock, World

VENDOR_TOKEN = "vendor-token-for-tests"
ALL_ITEMS = Table.all_items
WALKS_MAX = 100


def all_items(table: Table) -> list[Any]:
    """A read of a partition that is not there adds it to moto's dictionary, which another thread may walk over."""
    for _ in range(WALKS_MAX):
        with suppress(RuntimeError):
            return ALL_ITEMS(table)
    raise AssertionError("moto's table kept changing")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    with world_of(monkeypatch, tmp_path) as world:
        yield world


@contextmanager
def world_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(Table, "all_items", all_items)
    notes = vendor.serve("127.0.0.1", 0, VENDOR_TOKEN, tmp_path / "notes.json")
    host = f"127.0.0.1:{notes.port}"
    environment = {
        "GRAFT_TABLE": "graft-test",
        "GRAFT_HOME": str(tmp_path),
        "GRAFT_PUBLIC_BASE_URL": "http://127.0.0.1:8765",
        "GRAFT_LOCAL_HOSTS": host,
        "GRAFT_SWEEP_VISITORS": "1",
    }
    clock = Clock()
    with mock_aws():
        deps = wiring.make_deps(environment, clock=clock)
        client = boto3.client("dynamodb")
        client.create_table(TableName="graft-test", **TABLE_DEFINITION)
        world = World(deps, clock, host, VENDOR_TOKEN)
        world.settle()
        yield world
        deps.sandbox.close()
        deps.store.close()
        deps.store.table.client.close()
        client.close()
    notes.close()
