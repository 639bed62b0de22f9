"""Deleting what a stage keeps: its table and its key. Only on an explicit word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from botocore.exceptions import ClientError

from infra.deploy.stack import KEY_WAITING_DAYS, Say
from infra.deploy.stages import Stage

GONE: Final = frozenset({"ResourceNotFoundException", "NotFoundException"})


def delete_kept(stage: Stage, clients: Mapping[str, Any], say: Say) -> None:
    """Delete the table, and have the key deleted after 30 days. Can be repeated after a failure."""
    _delete_table(stage, clients["dynamodb"], say)
    _delete_key(stage, clients["kms"], say)


def _delete_table(stage: Stage, client: Any, say: Say) -> None:
    try:
        client.update_table(TableName=stage.table, DeletionProtectionEnabled=False)
        client.get_waiter("table_exists").wait(TableName=stage.table)
        client.delete_table(TableName=stage.table)
    except ClientError as error:
        if error.response["Error"]["Code"] not in GONE:
            raise
        say(f"Table {stage.table} is gone already.")
        return
    client.get_waiter("table_not_exists").wait(TableName=stage.table)
    say(f"Table {stage.table} is deleted.")


def _delete_key(stage: Stage, client: Any, say: Say) -> None:
    try:
        key = client.describe_key(KeyId=stage.key_alias)["KeyMetadata"]["KeyId"]
    except ClientError as error:
        if error.response["Error"]["Code"] not in GONE:
            raise
        say(f"Key {stage.key_alias} is gone already.")
        return
    client.schedule_key_deletion(KeyId=key, PendingWindowInDays=KEY_WAITING_DAYS)
    client.delete_alias(AliasName=stage.key_alias)
    say(
        f"Key {key} will be deleted in {KEY_WAITING_DAYS} days; aws kms cancel-key-deletion --key-id {key} prevents it."
    )
