"""Calls with arguments that are drawn from the schemas of tools."""
