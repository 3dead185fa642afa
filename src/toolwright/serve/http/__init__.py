"""Serving over HTTP: one concern per module."""
