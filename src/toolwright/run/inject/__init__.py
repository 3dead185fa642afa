"""Injection of values that providers make."""
