"""Calls that the short path answers over HTTP."""
