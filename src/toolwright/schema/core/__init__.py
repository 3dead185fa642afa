"""Core schemas of pydantic: what they hold, and how they are rewritten."""
