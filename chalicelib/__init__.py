"""Graft: the MCP server that gives each agent a working set of its person's toolbox."""
