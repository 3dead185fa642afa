"""Serving over HTTP: one concern a module."""

from .app import App

__all__ = ["App"]
