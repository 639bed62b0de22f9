"""The peer of the cold start: a handler of `tools/list` as one builds it on the SDK's lowlevel server.

The same work as ours, in the same runtime: Chalice in front, the agent's rows and then its tools read from the same
table, the list as MCP 2026-07-28 has it. It authenticates nobody and knows no other request.
"""

import asyncio
import json
import os
from types import SimpleNamespace
from typing import Any

import boto3
import mcp_types as types
from chalice import Chalice, Response
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.transport_context import TransportContext

VERSION = "2026-07-28"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
TABLE = os.environ["GRAFT_TABLE"]

app = Chalice(app_name="peer")
dynamodb: Any = boto3.client("dynamodb")


async def on_list(_context: Any, _params: Any) -> types.ListToolsResult:
    person, agent = os.environ["PEER_PERSON"], os.environ["PEER_AGENT"]
    rows = read([(f"A#{person}#{agent}", "agent"), (f"A#{person}#{agent}", "set"), (f"P#{person}", "person")])
    promoted = json.loads(next(row["tools"]["S"] for row in rows if row["sk"]["S"] == "set"))
    cards = read([(f"T#{person}", f"current#{tool}") for tool in promoted])
    return types.ListToolsResult(tools=[as_tool(card) for card in cards], ttl_ms=0, cache_scope="private")


def read(keys: list[tuple[str, str]]) -> list[Any]:
    wanted = {"Keys": [{"pk": {"S": pk}, "sk": {"S": sk}} for pk, sk in keys], "ConsistentRead": True}
    rows: list[Any] = dynamodb.batch_get_item(RequestItems={TABLE: wanted})["Responses"][TABLE]
    return rows


def as_tool(card: Any) -> types.Tool:
    return types.Tool(
        name=f"{card['vendor']['S']}__{card['name']['S']}",
        description=card["description"]["S"],
        input_schema=json.loads(card["input_schema"]["S"]),
    )


server: Server[Any] = Server("peer", version="0", on_list_tools=on_list)


def mcp() -> Response:
    message = types.JSONRPCRequest.model_validate_json(app.current_request.raw_body)
    connection = Connection.from_envelope(VERSION, None, (message.params or {})["_meta"][CAPABILITIES])
    context: Any = SimpleNamespace(
        transport=TransportContext(kind="direct", can_send_request=False),
        request_id=message.id,
        message_metadata=None,
        can_send_request=False,
    )
    result = asyncio.run(
        serve_one(server, context, message.method, message.params, connection=connection, lifespan_state={})
    )
    answer = types.JSONRPCResponse(jsonrpc="2.0", id=message.id, result=result)
    body = answer.model_dump_json(by_alias=True, exclude_none=True)
    return Response(body, headers={"Content-Type": "application/json"})


app.route("/mcp", methods=["POST"], content_types=["*/*"])(mcp)
