"""Serving over HTTP: one concern per module."""

from .app import App

__all__ = ["App"]
