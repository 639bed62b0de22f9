"""Rows of a person's toolbox: heads for search, the current content, and every version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from chalicelib.model import ToolCard, ToolHead, ToolVersion
from chalicelib.storage import items
from chalicelib.storage.table import Table, Write, check, put, update


class ToolboxRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def heads(self, person_id: str) -> list[ToolHead]:
        """Every tool of the person, by wire name."""
        return [items.to_head(row) for row in self._table.query(items.toolbox_pk(person_id), "head#")]

    def cards(self, person_id: str, tools: Sequence[str]) -> list[ToolCard]:
        """The current cards of those of `tools` (wire names) that exist, in any order."""
        keys = [items.current_key(person_id, tool) for tool in tools]
        return [items.to_card(row) for row in self._table.get_many(keys, attributes=items.CARD_ATTRIBUTES)]

    def published(self, person_id: str, tools: Sequence[str]) -> dict[str, tuple[ToolCard, str, datetime]]:
        """By wire name, of those that exist: the current card, who published it (agent or person id), and when."""
        wanted = (*items.CARD_ATTRIBUTES, "published_by", "published_at")
        keys = [items.current_key(person_id, tool) for tool in tools]
        rows = self._table.get_many(keys, attributes=wanted)
        return {card.wire_name: (card, by, at) for card, by, at in map(_to_published, rows)}

    def bound_to(self, person_id: str, connection_id: str, tools: Sequence[str]) -> list[str]:
        """Those of `tools` (wire names) whose current version has this default connection."""
        keys = [items.current_key(person_id, tool) for tool in tools]
        rows = self._table.get_many(keys, attributes=("sk", "connection_id"))
        return [
            row["sk"]["S"].removeprefix("current#")
            for row in rows
            if row.get("connection_id", {}).get("S") == connection_id
        ]

    def find_current(self, person_id: str, tool: str) -> ToolVersion | None:
        item = self._table.get(items.current_key(person_id, tool))
        return items.to_tool_version(item) if item else None

    def find_version(self, person_id: str, tool: str, version: int) -> ToolVersion | None:
        item = self._table.get(items.version_key(person_id, tool, version))
        return items.to_tool_version(item) if item else None

    def find_versions(self, person_id: str, tool: str, numbers: Iterable[int]) -> list[ToolVersion]:
        """Those of these versions that exist, whole, in any order."""
        keys = [items.version_key(person_id, tool, number) for number in numbers]
        return [items.to_tool_version(row) for row in self._table.get_many(keys)]

    def versions(self, person_id: str, tool: str) -> list[tuple[int, datetime]]:
        """(number, published at) of every version, oldest first; without their sources."""
        pk, wanted = items.toolbox_pk(person_id), ("version", "published_at")
        rows = self._table.query(pk, f"version#{tool}#", attributes=wanted)
        return [(int(row["version"]["N"]), items.from_ms(row["published_at"]["N"])) for row in rows]

    def publish(self, person_id: str, tool: ToolVersion, *, also: Sequence[Write] = ()) -> bool:
        """Write a version as the newest one. False: another version took the number, or `also` was refused."""
        return self._table.transact([*publish_writes(person_id, tool), *also])


def _to_published(row: items.Item) -> tuple[ToolCard, str, datetime]:
    return items.to_card(row), row["published_by"]["S"], items.from_ms(row["published_at"]["N"])


def publish_writes(person_id: str, tool: ToolVersion) -> list[Write]:
    newest = "attribute_not_exists(#pk)" if tool.version == 1 else "#version = :before"
    before = None if tool.version == 1 else {":before": items.number(tool.version - 1)}
    return [
        put(items.version_item(person_id, tool), condition="attribute_not_exists(#pk)"),
        put(items.current_item(person_id, tool), condition=newest, values=before),
        put(items.head_item(person_id, tool.head)),
        raise_toolbox_revision(person_id),
    ]


def current_is(person_id: str, tool: str, version: int) -> Write:
    """Makes a transaction fail when another version of the tool has been published meanwhile."""
    return check(
        items.current_key(person_id, tool),
        condition="#version = :version",
        values={":version": items.number(version)},
    )


def raise_toolbox_revision(person_id: str) -> Write:
    """Makes what was read at an earlier revision stale: kept lists, and a sweep's decision."""
    return update(
        items.person_key(person_id),
        "SET #toolbox_revision = #toolbox_revision + :one",
        condition="attribute_exists(#pk)",
        values={":one": items.number(1)},
    )


def connection_is_live(person_id: str, connection_id: str) -> Write:
    """Makes a transaction fail when the connection has been revoked meanwhile."""
    return check(
        items.connection_key(person_id, connection_id),
        condition="#state = :live",
        values={":live": items.text("live")},
    )
