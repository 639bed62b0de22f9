"""The real store on an emulated table, in process: for single-threaded tests only."""

from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from chalicelib.storage.store import TABLE_DEFINITION, Store

TABLE = "graft-test"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("dynamodb")
        client.create_table(TableName=TABLE, **TABLE_DEFINITION)
        store = Store(client, TABLE, sleep=lambda _: None, jitter=lambda: 0.0)
        yield store
        store.close()
        client.close()
