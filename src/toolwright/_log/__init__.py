"""The logger, and what never reaches it."""
