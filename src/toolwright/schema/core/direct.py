"""pydantic's generator of JSON Schemas, without detours for plain nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

_NUMBERS: Mapping[str, JsonSchemaValue] = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "none": {"type": "null"},
}
SCALARS: Mapping[str, JsonSchemaValue] = {**_NUMBERS, "str": {"type": "string"}}
SCALARS_IN_CONFIG: Mapping[str, JsonSchemaValue] = _NUMBERS
"""For a place where a configuration may limit the length of texts."""

_Write = Callable[[Any], JsonSchemaValue]
_names: dict[str, str] = {}
"""By the kind of a core schema: the name of the method that writes it."""


class _Methods(dict[str, _Write]):
    """The methods of one generator, each looked up when first needed."""

    def __init__(self, generator: Any) -> None:
        super().__init__()
        self.generator = generator

    def __missing__(self, kind: str) -> _Write:
        write = self[kind] = getattr(self.generator, _names[kind])
        return write


class DirectGenerator(GenerateJsonSchema):
    """Writes a node that says nothing about its own schema by the method for its kind."""

    scalars: Mapping[str, JsonSchemaValue] = SCALARS
    """Schemas without constraints, which need no work, by the type in the core schema."""

    def build_schema_type_to_method(self) -> Any:
        """Return the method for each kind of core schema; their names are found once."""
        if not _names:
            methods: Any = super().build_schema_type_to_method()
            _names.update((kind, method.__name__) for kind, method in methods.items())
        self.methods = _Methods(self)
        return self.methods

    def is_scalar(self, schema: Any) -> bool:
        """Return whether a core schema is one of those that need no work."""
        return len(schema) == 1 and schema["type"] in self.scalars

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Write a node.

        pydantic's own method looks at references, metadata and serialisers, which takes three times
        as long as writing most nodes.
        """
        if "ref" in schema or "metadata" in schema or "serialization" in schema:
            return super().generate_inner(schema)
        return self.methods[schema["type"]](schema)
