"""The group `mcp` that `add_mcp` gives another program."""
