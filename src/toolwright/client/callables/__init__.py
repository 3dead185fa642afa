"""Tool definitions become Python callables."""

from __future__ import annotations

from .remote import RemoteCallable, make_tool, remote_callable
from .signature import make_param, schema_to_signature
from .unset import UNSET, Unset

__all__ = [
    "UNSET",
    "RemoteCallable",
    "Unset",
    "make_param",
    "make_tool",
    "remote_callable",
    "schema_to_signature",
]
