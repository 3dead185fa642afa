"""Looks into messages: dicts, or objects of an SDK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast


def field(value: Any, *names: str) -> Any:
    """Return the first of these fields that is there; None if none is.

    Some SDKs name a field differently from the wire: `function_call` is `functionCall`.
    """
    for name in names:
        content: Any
        if isinstance(value, Mapping):
            content = cast("Mapping[str, Any]", value).get(name)
        else:
            content = getattr(value, name, None)
        if content is not None:
            return content
    return None


def listed(value: Any) -> list[Any]:
    """Return the items of a list; nothing for any other value, such as a placeholder."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return list(cast("Sequence[Any]", value))
    return []


def plain(value: Any) -> Any:
    """Return an SDK's object as the JSON it stands for; anything else as it is."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    return dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value
