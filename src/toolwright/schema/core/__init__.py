"""Pydantic's core schemas: what they hold, and rewriting them."""
