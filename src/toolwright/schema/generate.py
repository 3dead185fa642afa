"""Generates JSON Schemas with pydantic, for many tools in one pass.

The result is neutral: all that is known, in the keywords of JSON Schema, plus a few private keys
(they start with NUL) that the rules of a style read and remove.
"""

from __future__ import annotations

import enum
import inspect
import json
import math
from base64 import urlsafe_b64encode
from collections.abc import Generator as Generator_
from collections.abc import Mapping
from contextlib import contextmanager
from typing import Any, cast

from pydantic import Secret, SecretBytes, SecretStr
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import JsonSchemaValue, NoDefault
from pydantic_core import PydanticSerializationError, core_schema, to_jsonable_python

from .._words import truncate
from ..json_schema.walk import without_repeats
from ..read.docstring_parts import doc_of
from ..read.documentation import class_docs
from ..read.signature import Lost
from .core_schemas import (
    encoder_in,
    fields_of,
    first_alias,
    goes_by_alias,
    innermost,
    mark,
    own_serializer,
)
from .hints import safe_text
from .injected import unset_fields
from .json_rules import flag_range
from .unsendable import (
    REFUSED_KEY,
    SCALARS,
    SCALARS_IN_CONFIG,
    TAGGED_KEY,
    SendableGenerator,
    with_losses,
)

NAME_KEY = "\0name"
"""The name a definition would have if it were alone."""
EXACT_KEY = "\0exact"
"""Every value of this node meets its `format`."""
POSITIONS_KEY = "\0positions"
"""The names of a named tuple's positions."""
NOTE_KEY = "\0note"
"""Words to add to the description, in every style."""
MEMBERS_KEY = "\0members"
"""The values of an enum by the names of its members."""
BYTES_KEY = "\0bytes"
"""Bytes inside a class that does not say how it reads and writes them."""
UNTITLED_KEY = "\0untitled"
"""The title of this node is invented."""
DOCS = "__toolwright_docs__"
"""On a function that builds or serialises a class: the name and description of that class."""

_SECRETS = (SecretStr, SecretBytes, Secret)
_KEYS_IN_WORDS = {
    "int": "integers",
    "float": "numbers",
    "bool": "`true` or `false`",
    "date": "dates",
    "datetime": "dates with time",
    "uuid": "UUIDs",
    "decimal": "decimal numbers",
}


class Generator(SendableGenerator):
    """pydantic's generator, without invented titles, documented, and honest about defaults."""

    base64: bool = True
    """Whether bytes are base64 here: everywhere except in a class whose own rules say otherwise."""
    by_alias: bool
    """Whether fields are written by their aliases, as the configuration of each record says."""
    in_class: bool = False
    """Whether a class with a configuration of its own, but no rule for bytes, is being written."""

    has_mode: bool = False
    """Whether a class around this place chooses the mode itself."""

    @property
    def mode(self) -> Any:
        """What is written: arguments as sent, or values as returned. Read at every step."""
        return super().mode if self.has_mode else self._mode

    def generate_definitions(self, inputs: Any) -> Any:
        """Write all schemas in one pass: definitions get new names for each tool anyway.

        A value that cannot be sent has only a reason: its tool goes without an output schema.
        """
        schemas: dict[Any, JsonSchemaValue] = {}
        for key, mode, schema in inputs:
            self._mode = mode
            try:
                schemas[key, mode] = self.generate_root(schema)
            except PydanticInvalidForJsonSchema as error:
                if mode == "validation":
                    raise
                schemas[key, mode] = {REFUSED_KEY: error.message}
        return schemas, self.definitions

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        """Keep the author's order."""
        return value

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Invent no titles."""
        return False

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Issue no warnings: losses are reported with the tool they belong to."""

    # -- records

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Write a model."""
        cls: Any = schema["cls"]
        with self._inside(schema, cls, cls.model_config):
            json_schema = super().model_schema(schema)
        return self._documented(json_schema, schema, cls, cls.model_config)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Write a dataclass."""
        cls: Any = schema["cls"]
        config = getattr(cls, "__pydantic_config__", None)
        with self._inside(schema, cls, config):
            json_schema = super().dataclass_schema(schema)
        return self._documented(json_schema, schema, cls, config or {})

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        """Write a TypedDict."""
        cls: Any = schema.get("cls")
        config = getattr(cls, "__pydantic_config__", None)
        with self._inside(schema, cls, config):
            json_schema = super().typed_dict_schema(schema)
        if cls is None:
            return self.without_left_out(json_schema, fields_of(schema))
        return self._documented(json_schema, schema, cls, config or {})

    @contextmanager
    def _inside(self, schema: Any, cls: Any, config: Mapping[str, Any] | None) -> Generator_[None]:
        """Follow a class's own rules for bytes and names while its fields are written, and name
        the field that cannot be."""
        before = self.base64, self.in_class, self.by_alias, self.has_mode, self.scalars
        self.by_alias = goes_by_alias(schema, self.mode)
        if config:
            self.has_mode = self.has_mode or "json_schema_mode_override" in config
            bounded = "str_min_length" in config or "str_max_length" in config
            self.scalars = SCALARS_IN_CONFIG if bounded else SCALARS
        if config is not None:
            key = "val_json_bytes" if self.mode == "validation" else "ser_json_bytes"
            self.base64 = config.get(key, "base64") == "base64"
            self.in_class = key not in config
        if cls is not None:
            self.note_unset(cls, fields_of(schema))
        try:
            yield
        except PydanticInvalidForJsonSchema as error:
            raise self.in_field(error, cls, fields_of(schema)) from None
        finally:
            self.base64, self.in_class, self.by_alias, self.has_mode, self.scalars = before

    def _documented(
        self, written: JsonSchemaValue, schema: Any, cls: type, config: Mapping[str, Any]
    ) -> JsonSchemaValue:
        """Add what the class says about its attributes; remove the invented title."""
        fields = fields_of(schema)
        written = self.without_left_out(written, fields)
        titled = config.get("title") or config.get("model_title_generator")
        if not titled and written.get("title") == cls.__name__:
            del written["title"]
        written[NAME_KEY] = cls.__name__
        docs = class_docs(cls)
        own_doc = inspect.cleandoc(doc_of(cls))
        if own_doc and written.get("description") == own_doc:
            if docs.description:
                written["description"] = docs.description
            else:
                del written["description"]
        if "required" in written:  # two fields may read the same key
            written["required"] = list(dict.fromkeys(written["required"]))
        properties = written.get("properties")
        if properties and docs.attributes:
            by_alias = goes_by_alias(schema, self.mode)
            for name, field in fields.items():
                text = docs.attributes.get(name)
                node = properties.get(self._alias(field, name) if by_alias else name)
                if text and node is not None:
                    node.setdefault("description", text)
        return written

    def _alias(self, field: Mapping[str, Any], name: str) -> str:
        key = "validation_alias" if self.mode == "validation" else "serialization_alias"
        alias = field.get(key, name)
        return alias if isinstance(alias, str) else first_alias(alias) or name

    def call_schema(self, schema: core_schema.CallSchema) -> JsonSchemaValue:
        """Write a class that is built by calling it."""
        return _with_docs(super().call_schema(schema), schema["function"])

    def field_is_present(self, field: Any) -> bool:
        """Omit a dataclass field without `init` from inputs, and an `InitVar` from outputs."""
        unused = "init_only" if self.mode == "serialization" else "init"
        if field.get(unused) is (unused == "init_only"):
            return False
        return super().field_is_present(field)

    def named_tuple_schema(self, schema: Any) -> JsonSchemaValue:
        """Write a named tuple: by position or, as an argument, also by name."""
        for name, unset in unset_fields(schema["cls"]).items():
            if self.mode == "validation":
                mark(next(field for field in schema["fields"] if field["name"] == name))
                raise PydanticInvalidForJsonSchema(f"it {unset.what}")
        by_position = super().named_tuple_schema(schema)
        names = [field["name"] for field in schema["fields"]]
        by_position[POSITIONS_KEY] = names
        if self.mode == "serialization":
            return by_position
        texts = class_docs(schema["cls"]).attributes
        positions = by_position.get("prefixItems", [])
        by_name: JsonSchemaValue = {
            "type": "object",
            "properties": {
                name: {"description": texts[name], **node} if name in texts else node
                for name, node in zip(names, positions, strict=True)
            },
            "required": names[: by_position.get("minItems", 0)],
            "additionalProperties": False,
        }
        return {"anyOf": [by_name, by_position]}

    def get_argument_name(self, argument: Any) -> str:
        """Publish the first alias that is a plain name."""
        name = super().get_argument_name(argument)
        alias = argument.get("alias")
        if self.by_alias is not False and isinstance(alias, list):
            alias_name = first_alias(alias)
            if alias_name is None:
                message = "an AliasPath cannot be written as one property"
                raise PydanticInvalidForJsonSchema(message)
            return alias_name
        return name

    # -- values

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Write an enumeration; members of a `Flag` combine, so it is an integer."""
        cls: Any = schema["cls"]
        if not cls.__members__:
            return self.handle_invalid_for_json_schema(schema, "")
        if issubclass(cls, enum.Flag):
            flags = flag_range(cls)
            bounds = flags.of_outputs if self.mode == "serialization" else flags.of_inputs
            json_schema: JsonSchemaValue = {"type": "integer", **bounds, NOTE_KEY: flags.text}
        else:
            json_schema = super().enum_schema(schema)
            json_schema["enum"] = without_repeats(json_schema["enum"])
            if any(isinstance(v, float) and not math.isfinite(v) for v in json_schema["enum"]):
                message = "an enum has a value that is not JSON"
                raise PydanticInvalidForJsonSchema(message)
            json_schema[MEMBERS_KEY] = {
                name: to_jsonable_python(member.value) for name, member in cls.__members__.items()
            }
        json_schema[UNTITLED_KEY] = True
        json_schema[NAME_KEY] = cls.__name__
        return json_schema

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:
        """Write bytes: base64 where the configuration says so, else text."""
        json_schema = super().bytes_schema(schema)
        del json_schema["format"]
        if not self.base64:
            return json_schema
        # Either alphabet is read; the URL-safe one is written.
        encoding = "base64" if self.mode == "validation" else "base64url"
        for key in ("minLength", "maxLength"):
            json_schema.pop(key, None)  # they count bytes, not characters of base64
        json_schema["contentEncoding"] = encoding
        return {**json_schema, BYTES_KEY: True} if self.in_class else json_schema

    def datetime_schema(self, schema: core_schema.DatetimeSchema) -> JsonSchemaValue:
        """Write a date with time; only one with an offset meets `date-time`."""
        return _exact_if_aware(super().datetime_schema(schema), schema)

    def time_schema(self, schema: core_schema.TimeSchema) -> JsonSchemaValue:
        """Write a time of day; only one with an offset meets `time`."""
        return _exact_if_aware(super().time_schema(schema), schema)

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Write a map, and say in words what its keys are."""
        json_schema = super().dict_schema(schema)
        keys = innermost(schema.get("keys_schema"))
        kind = keys.get("type", "any")
        if kind in ("tuple", "list", "set", "dict", "model", "dataclass"):
            message = f"a map with {kind} keys cannot be written as JSON"
            raise PydanticInvalidForJsonSchema(message)
        names = json_schema.get("propertyNames", {})
        if "$ref" in names:
            names = self.get_schema_from_definitions(names["$ref"]) or {}
        if "enum" in names:
            values = ", ".join(str(value) for value in names["enum"])
            json_schema[NOTE_KEY] = f"keys are one of {values}"
        if kind in _KEYS_IN_WORDS:
            json_schema[NOTE_KEY] = f"keys are {_KEYS_IN_WORDS[kind]}"
        return json_schema

    def function_after_schema(self, schema: Any) -> JsonSchemaValue:
        """Write what is validated; bytes behind an encoder are left to that encoder."""
        json_schema = super().function_after_schema(schema)
        if encoder_in(schema) is not None:
            for key in (BYTES_KEY, "contentEncoding"):
                json_schema.pop(key, None)
        return json_schema

    def tagged_union_schema(self, schema: Any) -> JsonSchemaValue:
        """Write a discriminated union; its tag must be sent, even where it has a default."""
        json_schema = super().tagged_union_schema(schema)
        tag = schema["discriminator"]
        tagged = TAGGED_KEY in (schema.get("metadata") or {})
        if self.mode == "validation" and isinstance(tag, str) and not tagged:
            arms: list[JsonSchemaValue] = json_schema["oneOf"]
            for arm in arms:
                arm["required"] = list(dict.fromkeys([tag, *arm.get("required", [])]))
        return json_schema

    # -- defaults and serialisers

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Write a default, if JSON can hold it and it is not a secret."""
        json_schema = self.generate_inner(schema["schema"])
        default = self.get_default_value(schema)
        if default is NoDefault or type(default).__name__ == "MISSING":
            return json_schema
        if isinstance(default, _SECRETS):
            return json_schema
        if default is None or type(default) in (str, int, bool):
            return {**json_schema, "default": default}
        try:
            return {**json_schema, "default": self._json_default(schema, default)}
        except (ValueError, TypeError, PydanticSerializationError):
            text = f"`{truncate(safe_text(default), 40)}`"
            return with_losses(json_schema, [Lost("default", text=text)])

    def encode_default(self, dft: Any) -> Any:
        """Write a default as a result would be written."""
        serializer = own_serializer(type(dft)) if self.mode == "serialization" else None
        if serializer is not None:
            return serializer.to_python(dft, mode="json", by_alias=True)
        before, self.by_alias = self.by_alias, True
        try:
            return super().encode_default(dft)
        finally:
            self.by_alias = before

    def _json_default(self, schema: Any, default: Any) -> Any:
        if default in ([], {}) and _is_plain_container(schema["schema"]):
            return type(default)()
        if self.mode == "serialization":
            return super().default_schema(schema)["default"]
        if isinstance(default, set | frozenset):
            encoded = [self.encode_default(item) for item in cast("Any", default)]
            return sorted(encoded, key=lambda item: json.dumps(item, sort_keys=True))
        if isinstance(default, bytes):
            return urlsafe_b64encode(default).decode() if self.base64 else default.decode()
        encoded = self.encode_default(default)
        text = json.dumps(encoded, allow_nan=False)
        if "**********" in text:
            message = "it holds a secret"
            raise ValueError(message)
        return encoded

    def ser_schema(self, schema: Any) -> JsonSchemaValue | None:
        """Write what a serialiser returns; one without a return type may return anything."""
        function = schema.get("function")
        if function is None or getattr(function, "__module__", "").startswith("pydantic."):
            return super().ser_schema(schema)
        returned = schema.get("return_schema")
        if returned is None or returned["type"] == "any":
            return with_losses({}, [Lost("serialiser")])
        return _with_docs(self.generate_inner(returned), function)


def _is_plain_container(schema: Any) -> bool:
    """Return whether values are lists or dicts without a serialiser of their own."""
    return schema["type"] in ("list", "dict") and "serialization" not in schema


def _with_docs(written: JsonSchemaValue, function: Any) -> JsonSchemaValue:
    """Add the name and description of the class that a function builds or writes."""
    docs = getattr(function, DOCS, None)
    if docs is None:
        return written
    name, description = docs
    with_name = {**written, NAME_KEY: name}
    return {"description": description, **with_name} if description else with_name


def _exact_if_aware(written: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    return {**written, EXACT_KEY: True} if schema.get("tz_constraint") == "aware" else written
