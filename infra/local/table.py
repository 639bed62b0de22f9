"""The table on the emulator, the same as infra/ deploys."""

from __future__ import annotations

from typing import Any

from chalicelib.storage.store import TABLE_DEFINITION


def ensure_table(client: Any, name: str) -> None:
    """Make the table unless it is there."""
    try:
        client.create_table(TableName=name, **TABLE_DEFINITION)
    except client.exceptions.ResourceInUseException:
        return
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"})
