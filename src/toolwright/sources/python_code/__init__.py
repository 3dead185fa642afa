"""Runs Python code for callers, in processes of its own."""
