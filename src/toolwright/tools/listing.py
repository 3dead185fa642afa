"""A tool as `tools/list` shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._json_values import compact_json
from .._protocol import STATELESS_SINCE, TITLES_SINCE

if TYPE_CHECKING:
    from ..schema.write import Compiled
    from .definition import Tool


def listed(tool: Tool, compiled: Compiled, protocol: str) -> bytes:
    """Return a tool as clients of a protocol version see it, as JSON."""
    parts = [b'{"name":', compact_json(tool.published_name)]
    if tool.title:
        parts += [b',"title":', compact_json(tool.title)]
    if tool.description:
        parts += [b',"description":', compact_json(tool.description)]
    if tool.options.icons:
        parts += [b',"icons":', compact_json([dict(icon) for icon in tool.options.icons])]
    parts += [b',"inputSchema":', compiled.input_schema]
    output = _output(tool, compiled, protocol)
    if output is not None:
        parts += [b',"outputSchema":', output]
    annotations: dict[str, Any] = dict(tool.annotations)
    if tool.title and protocol < TITLES_SINCE:
        annotations = {"title": tool.title, **annotations}
    if annotations:
        parts += [b',"annotations":', compact_json(annotations)]
    meta = dict(tool.options.meta or {})
    if tool.options.tags:
        meta.setdefault("toolwright/tags", list(tool.options.tags))
    if meta:
        parts += [b',"_meta":', compact_json(meta)]
    return b"".join([*parts, b"}"])


def _output(tool: Tool, compiled: Compiled, protocol: str) -> bytes | None:
    """Return the output schema, boxed for clients who take objects only."""
    emit = tool.options.emit
    if compiled.packed_output is None or emit == "text" or compiled.bytes_output:
        return None
    if emit == "auto" and compiled.text_output:
        return None
    if not compiled.boxes_output:
        return compiled.output_schema
    bare = protocol >= STATELESS_SINCE and not compiled.nullable_output
    return compiled.output_schema if bare else compiled.boxed_output_schema
