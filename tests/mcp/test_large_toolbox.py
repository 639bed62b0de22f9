"""What a model gets to read does not grow with the toolbox."""

from __future__ import annotations

from itertools import islice
from typing import Any

from chalicelib.model import ToolVersion
from chalicelib.services.deps import Deps
from chalicelib.storage import items

from .conftest import PERSON
from .harness import Harness

TOOLS = 5_000
PAGE = 10
PER_WRITE = 25
ANSWER_BYTES = 40_000
"""Ten thousand tokens, roughly, for ten tools with long descriptions."""


def a_tool(deps: Deps, number: int) -> ToolVersion:
    return ToolVersion(
        vendor="demo",
        name=f"list-orders-{number:04}",
        version=1,
        description="Lists the orders of one customer. " + "It says much about itself. " * 70,
        input_schema={"type": "object", "properties": {"status": {"type": "string"}}},
        source="def run(input, http):\n    return input\n",
        methods=frozenset(),
        connection_id=None,
        published_by="agent",
        published_at=deps.now(),
    )


def fill_toolbox(deps: Deps, table: str) -> None:
    """Every head, as search reads them, and what the first and the last page show."""
    tools = [a_tool(deps, number) for number in range(TOOLS)]
    rows: list[Any] = [items.head_item(PERSON, tool.head) for tool in tools]
    rows += [items.current_item(PERSON, tool) for tool in (*tools[:PAGE], *tools[-PAGE:])]
    waiting = iter({"PutRequest": {"Item": row}} for row in rows)
    while chunk := list(islice(waiting, PER_WRITE)):
        deps.store.table.client.batch_write_item(RequestItems={table: chunk})


def test_find_tool_and_the_list_stay_small_beside_five_thousand_tools(harness: Harness) -> None:
    """Report: dbt-labs/dbt-mcp#178"""
    listed = harness.ask("tools/list").body
    fill_toolbox(harness.deps, harness.deps.settings.table_name)
    assert harness.ask("tools/list").body == listed
    for query in ("", "orders"):
        response = harness.ask("tools/call", {"name": "find_tool", "arguments": {"query": query}})
        assert len(response.body) <= 2 * ANSWER_BYTES  # as text and as an object
    found = harness.call("find_tool", {"query": "orders", "offset": TOOLS - PAGE})
    assert (found["total"], len(found["tools"])) == (TOOLS, PAGE)
    assert f"{TOOLS} matches" in harness.call("find_tool", {"query": "orders"})["note"]
