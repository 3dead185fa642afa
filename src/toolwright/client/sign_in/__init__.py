"""Signing in at servers with the browser."""
