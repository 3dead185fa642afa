"""Serving over HTTP: one concern a module."""

from .app import MOST_BODY, App

__all__ = ["MOST_BODY", "App"]
