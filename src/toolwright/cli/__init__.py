"""The `toolwright` command."""
