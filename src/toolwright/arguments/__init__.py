"""From JSON to validated arguments: read, repair, explain."""
