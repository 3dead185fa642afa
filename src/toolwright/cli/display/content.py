"""Prints results: pretty on a terminal, unchanged in a pipe."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .. import output
from ..terminal import image_for


def print_blocks(blocks: Sequence[Mapping[str, Any]], *, is_json: bool = False) -> None:
    """Print the content of a result; a terminal shows JSON with indentation and colours."""
    if is_json and output.is_terminal() and len(blocks) == 1 and blocks[0]["type"] == "text":
        text = blocks[0]["text"]
        try:
            value = json.loads(text) if text[:1] in ("{", "[") else None
        except (ValueError, RecursionError):  # cut, because it was too long
            value = None
        if value is not None:
            output.print_json(value)
            return
    for block in blocks:
        image = image_for(block) if output.is_terminal() else ""
        if image:
            output.write(f"{image}\n")
        else:
            output.say(block_text(block))


def block_text(block: Mapping[str, Any]) -> str:
    """Return a block as text: its own, or how to see it."""
    content: Mapping[str, Any] = block.get("resource", block)
    if isinstance(content.get("text"), str):
        return str(content["text"])
    kind = str(block.get("type", "content"))
    if kind == "resource_link":
        label = " ".join(str(block[key]) for key in ("title", "description") if block.get(key))
        return f"{block.get('uri', '')}  {label}".rstrip()
    about = " ".join(filter(None, (kind, str(content.get("mimeType") or ""))))
    return f"[{about}; --save FILE writes it, --json shows it]"
