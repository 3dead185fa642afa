"""Three tools instead of many: search, describe, call."""
