"""Words for places and values: short, and on one line whatever the caller sent."""

from __future__ import annotations

import json
import re
from typing import Any

_ENCODE = json.JSONEncoder(ensure_ascii=False, default=str).encode
_LINE_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def where(path: tuple[str | int, ...]) -> str:
    """Write a path: `` `orders[0].sku` ``."""
    text = ""
    for step in path:
        name = f"[{step}]" if isinstance(step, int) else short(step, 60)
        text += name if isinstance(step, int) or not text else f".{name}"
    return f"`{text}`" if text else "the arguments"


def show(value: Any, most: int = 60) -> str:
    """Write a value as JSON, cut if it is long."""
    if isinstance(value, str):
        value = value[: most + 1]
    return short(_ENCODE(value), most)


def short(text: str, most: int) -> str:
    """Cut a text, and keep it on its line."""
    cut = text if len(text) <= most else f"{text[: most - 3]}..."
    return _LINE_BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", cut)
