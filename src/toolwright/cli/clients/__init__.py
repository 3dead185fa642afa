"""MCP clients, and their lists of servers."""
