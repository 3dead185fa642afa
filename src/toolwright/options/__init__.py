"""Every switch of tools and schemas, with its default and meaning."""

from __future__ import annotations

from .predicates import Predicate
from .schema import FULL, PORTABLE, SchemaOptions
from .tool import (
    NO_DEFAULTS,
    SPEAK,
    Options,
    ToolOptions,
    defaults_from,
    options_from,
    unknown_option,
    with_defaults,
)

__all__ = [
    "FULL",
    "NO_DEFAULTS",
    "PORTABLE",
    "SPEAK",
    "Options",
    "Predicate",
    "SchemaOptions",
    "ToolOptions",
    "defaults_from",
    "options_from",
    "unknown_option",
    "with_defaults",
]
