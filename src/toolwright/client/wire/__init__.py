"""Connections: over standard streams, over HTTP, or in this process."""
