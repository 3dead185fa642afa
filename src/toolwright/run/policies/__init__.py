"""The limits of a call: one a module."""
