"""Stores: bytes by key, in memory or in a shared file."""

from __future__ import annotations

from .sqlite import SqliteStore
from .store import MemoryStore, Store

__all__ = ["MemoryStore", "SqliteStore", "Store", "open_store"]


def open_store(where: str | Store | None) -> Store:
    """Return the store that a URL names; a store is returned as it is.

    >>> open_store("memory:").blocking
    False
    """
    if where is None or where == "memory:":
        return MemoryStore()
    if isinstance(where, str):
        scheme, mark, path = where.partition(":///")
        if scheme == "sqlite" and mark and path:
            return SqliteStore(path)
    elif isinstance(where, Store):  # pyright: ignore[reportUnnecessaryIsInstance]
        return where
    raise ValueError(
        f"{where!r} does not name a store: use 'memory:', 'sqlite:///relative/path', "
        "'sqlite:////absolute/path', or an object with the methods of Store"
    )
