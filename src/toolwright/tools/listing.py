"""A tool as `tools/list` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._json_values import compact_json
from .._protocol import STATELESS_SINCE, TITLES_SINCE

if TYPE_CHECKING:
    from ..options import Options
    from ..schema.write import Compiled


def listed(
    compiled: Compiled,
    options: Options,
    protocol: str,
    *,
    name: str,
    title: str | None,
    description: str,
    annotations: Mapping[str, bool],
) -> bytes:
    """Return a tool as clients of a protocol version see it, as JSON."""
    parts = [b'{"name":', compact_json(name)]
    if title:
        parts += [b',"title":', compact_json(title)]
    if description:
        parts += [b',"description":', compact_json(description)]
    if options.icons:
        parts += [b',"icons":', compact_json([dict(icon) for icon in options.icons])]
    parts += [b',"inputSchema":', compiled.input_schema]
    output = _output(options, compiled, protocol)
    if output is not None:
        parts += [b',"outputSchema":', output]
    noted: dict[str, Any] = dict(annotations)
    if title and protocol < TITLES_SINCE:
        noted = {"title": title, **noted}
    if noted:
        parts += [b',"annotations":', compact_json(noted)]
    meta = dict(options.meta or {})
    if options.tags:
        meta.setdefault("toolwright/tags", list(options.tags))
    if meta:
        parts += [b',"_meta":', compact_json(meta)]
    return b"".join([*parts, b"}"])


def _output(options: Options, compiled: Compiled, protocol: str) -> bytes | None:
    """Return the output schema, boxed for clients that take only objects."""
    emit = options.emit
    if compiled.packed_output is None or emit == "text" or compiled.bytes_output:
        return None
    if not compiled.lists_output:
        return None
    if emit == "auto" and compiled.text_output:
        return None
    if not compiled.boxes_output:
        return compiled.output_schema
    bare = protocol >= STATELESS_SINCE and not compiled.nullable_output
    return compiled.output_schema if bare else compiled.boxed_output_schema
