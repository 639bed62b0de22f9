"""What a person pastes into a harness: one text for the console, for `make run`, and for docs/harnesses.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TRY_ANSWER: Final = '{"jsonrpc":"2.0","id":1,"result":{}}'
"""What `try_it` is answered."""


@dataclass(frozen=True, slots=True)
class Snippet:
    id: str
    harness: str
    where: str
    """The file that it belongs into; empty: it is typed into a terminal."""
    text: str


def snippets(mcp_url: str, token: str) -> tuple[Snippet, ...]:
    return (
        Snippet("hermes", "Hermes", "~/.hermes/config.yaml", _hermes(mcp_url, token)),
        Snippet("openclaw", "OpenClaw", "~/.openclaw/openclaw.json", _openclaw(mcp_url, token)),
        Snippet("claude", "Claude Code", "", _claude_code(mcp_url, token)),
        Snippet("any", "Any MCP client", "its mcp.json, or wherever it keeps MCP servers", _any_client(mcp_url, token)),
    )


def try_it(mcp_url: str, token: str) -> str:
    """A line for a terminal that proves address and token without a harness; see `TRY_ANSWER`."""
    return f"""curl -s {mcp_url} \\
  -H "Authorization: Bearer {token}" \\
  -H "Content-Type: application/json" \\
  -H "Accept: application/json, text/event-stream" \\
  -d '{{"jsonrpc":"2.0","id":1,"method":"ping"}}'"""


def _hermes(mcp_url: str, token: str) -> str:
    return f"""mcp_discovery_timeout: 15
mcp_servers:
  graft:
    url: "{mcp_url}"
    headers: {{Authorization: "Bearer {token}"}}"""


def _openclaw(mcp_url: str, token: str) -> str:
    return f"""{{
  "tools": {{"toolSearch": false}},
  "mcp": {{"servers": {{"graft": {{"url": "{mcp_url}", "transport": "streamable-http",
    "headers": {{"Authorization": "Bearer {token}"}}}}}}}}
}}"""


def _claude_code(mcp_url: str, token: str) -> str:
    return f'claude mcp add --transport http graft {mcp_url} --header "Authorization: Bearer {token}"'


def _any_client(mcp_url: str, token: str) -> str:
    return f"""{{"mcpServers": {{"graft": {{"type": "http", "url": "{mcp_url}",
  "headers": {{"Authorization": "Bearer {token}"}}}}}}}}"""
