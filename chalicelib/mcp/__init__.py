"""The door: MCP over HTTP, in both protocol eras."""
