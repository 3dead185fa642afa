"""Options of schemas: how they are written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .._door import public

__all__ = ["COMPACT", "FULL", "PORTABLE", "STYLES", "SchemaOptions"]


@public
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SchemaOptions:
    """How a schema is written down. The defaults are the portable style; `FULL` turns all off.

    `COMPACT` is the portable style in fewer bytes.
    """

    absent_for_null: bool = True
    """Inputs: `T | None = None` is an optional `T`, with no null arm and no `default: null`."""
    inline_refs: bool = True
    """Write non-recursive definitions where they are used."""
    inline_limit: int = 8_000
    """Above this many bytes a definition is inlined only where a reference would save nothing."""
    any_of: bool = True
    """`anyOf` instead of `oneOf` and `discriminator`."""
    one_items: bool = True
    """One schema for `items`; a fixed tuple says its positions in words."""
    enum_for_const: bool = True
    """A one-value `enum` instead of `const`."""
    typed_nodes: bool = True
    """Every node has a type: any JSON value is written as the union of the JSON types."""
    plain_keys: bool = True
    """Rules for the keys of a map are said in words, not with `propertyNames`."""
    plain_strings: bool = True
    """No look-around in `pattern` and no `format` that a valid value may break."""
    no_unique_items: bool = True
    """No `uniqueItems`."""
    plain_names: bool = True
    """Dots and colons in a tool's name are published as underscores."""
    default_once: bool = False
    """The text of a parameter does not end with the default that its schema has."""


PORTABLE = SchemaOptions()
FULL = SchemaOptions(
    absent_for_null=False,
    inline_refs=False,
    any_of=False,
    one_items=False,
    enum_for_const=False,
    typed_nodes=False,
    plain_keys=False,
    plain_strings=False,
    no_unique_items=False,
    plain_names=False,
)
COMPACT = SchemaOptions(inline_limit=0, default_once=True)
"""The portable style, but what would be said twice is said once, with references if they save."""
STYLES: Mapping[str, SchemaOptions] = MappingProxyType(
    {"portable": PORTABLE, "compact": COMPACT, "full": FULL}
)
