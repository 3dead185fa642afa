"""The reader of docstrings."""
