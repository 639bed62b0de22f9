"""The table on the emulator, the same as infra/ deploys."""

from __future__ import annotations

from typing import Any, Final

from chalicelib.storage.store import TABLE_DEFINITION

TTL_ATTRIBUTE: Final = "expires_at"


def ensure_table(client: Any, name: str) -> None:
    """Make the table unless it is there."""
    try:
        client.create_table(TableName=name, **TABLE_DEFINITION)
    except client.exceptions.ResourceInUseException:
        return
    expiring = {"Enabled": True, "AttributeName": TTL_ATTRIBUTE}
    client.update_time_to_live(TableName=name, TimeToLiveSpecification=expiring)
