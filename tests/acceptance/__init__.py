"""Graft as a person runs it: the real process, over HTTP, with real MCP clients."""
