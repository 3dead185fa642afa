"""Every dialect by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .._words import did_you_mean
from .facts.clients import CLIENTS
from .facts.compatible import COMPATIBLE
from .facts.openai import OPENAI
from .facts.providers import PROVIDERS
from .facts.rules import Dialect

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {each.name: each for each in (*OPENAI, *PROVIDERS, *COMPATIBLE, *CLIENTS)}
)


def dialect_named(name: str) -> Dialect:
    """Return a dialect. Raises `ValueError` with the nearest name."""
    dialect = DIALECTS.get(name)
    if dialect is None:
        hint = did_you_mean(str(name), DIALECTS) or f"known are {', '.join(DIALECTS)}"
        msg = f"unknown dialect `{str(name)[:100]}` - {hint}"
        raise ValueError(msg)
    return dialect
