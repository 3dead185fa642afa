"""Serving over HTTP: one concern a module."""

from .admission import FAILED_SIGN_INS
from .app import BODY_TIMEOUT, MOST_BODY, App

__all__ = ["BODY_TIMEOUT", "FAILED_SIGN_INS", "MOST_BODY", "App"]
