"""Python modules for the tools of a server."""
