"""The public face: a named set of tools."""
