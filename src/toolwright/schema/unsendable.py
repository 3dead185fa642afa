"""What JSON cannot hold, left out of schemas or refused.

A part of an argument that cannot be sent, and need not be, is left out: an arm of a union, a field
or a parameter that has a default. Each is noted at its node. What is needed is refused, and so is
what holds nothing else. Results leave nothing out: a value may be any part of its type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, NoDefault
from pydantic_core import PydanticOmit, core_schema

from .._json_values import is_object
from ..read.foreign import Foreign
from ..read.signature import Lost
from .core_schemas import mark
from .hints import type_text
from .injected import HIDDEN, unset_fields

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


LOSS_KEY = "\0loss"
"""What this node cannot express: values of `Lost`."""
REFUSED_KEY = "\0refused"
"""Why an argument of a tool, or its value, cannot be sent."""
WISHED = "\0hidden"
"""The reason of a field that its author hides: it is left out without a word."""
NAME_KEY = "toolwright_name"
REASON_KEY = "toolwright_reason"
"""In the metadata of a core schema: what it is called, and why it cannot be sent."""
TAGGED_KEY = "toolwright_tagged"
"""In the metadata of a discriminated union: all its arms require their tag."""
_Key = tuple[str, str]
"""A reference, and the mode in which it is written."""
_AND = " and "
_PLACE = "`: "
_BUILDING = "Error building "
_CONSTRAINT = "Unable to apply constraint '"
_DISCRIMINATOR = "is not a valid discriminated union variant"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def with_losses(node: JsonSchemaValue, losses: Iterable[Lost]) -> JsonSchemaValue:
    """Note on a node what it cannot express."""
    return {**node, LOSS_KEY: tuple(dict.fromkeys((*node.get(LOSS_KEY, ()), *losses)))}


def cannot_be_sent(name: str, reason: str = "") -> str:
    """Return the message that values of a type cannot be sent, and why."""
    what = f"`{name}` cannot be sent as JSON"
    return f"{what}: {reason}" if reason else what


def one_line(error: Exception) -> str:
    """Return the message of a dependency on one line, without its advice and its addresses."""
    lines = [line.strip() for line in str(error).strip().split("\n")]
    reasons = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    text = (reasons or lines)[0].split(". Set `arbitrary_types_allowed", 1)[0]
    if text.startswith(_BUILDING):  # the reason is the innermost line
        text = lines[-1].partition("Error: ")[2] or lines[-1]
    elif text.startswith(_CONSTRAINT):
        text = f"`{text.split(chr(39))[1]}` does not fit this type"
    elif _DISCRIMINATOR in text:
        text = "a discriminator needs a union of models, each of which has a literal as its tag"
    return _ADDRESS.sub("", text).rstrip(".")


def is_of_constraint(error: Exception) -> bool:
    """Return whether a dependency says that a constraint does not fit its type."""
    return str(error).startswith((_BUILDING, _CONSTRAINT)) or _DISCRIMINATOR in str(error)


def unsendable_schema(cls: Any, reason: str) -> Any:
    """Return the core schema of a class whose values cannot be made from JSON."""
    return core_schema.is_instance_schema(cls, metadata={REASON_KEY: reason})


class Unsendable:
    """Stands for a hint for which no value can be sent."""

    def __init__(self, hint: Any, reason: str = "") -> None:
        self.hint = hint
        self.reason = reason

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Take no value."""
        metadata = {NAME_KEY: type_text(self.hint), REASON_KEY: self.reason}
        return core_schema.is_instance_schema(Unsendable, metadata=metadata)


class SendableGenerator(DirectGenerator):
    """A generator that leaves out what cannot be sent and need not be."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._definitions: dict[str, Any] = {}
        """Core schemas that may be referred to, by their references."""
        self._pending: list[str] = []
        """Those referred to, and not yet written."""
        self._trusted: set[_Key] = set()
        self._refused: dict[_Key, str] = {}
        """Why a definition cannot be sent."""
        self._left_out: dict[int, str] = {}
        """Why a field is left out, by the identity of its core schema."""
        self._unset: dict[int, Foreign] = {}
        """Why no caller sets a field, by the identity of its core schema."""
        self._at_root = False

    def generate_root(self, schema: Any) -> JsonSchemaValue:
        """Write the schema of a tool; an argument that cannot be sent has only a reason.

        A definition is trusted where it is referred to, and written later. If it turns out that it
        cannot be sent, all is written again: what relied on it may have to be left out as well.
        """
        before = set(self.definitions)
        self._trusted.clear()
        self._pending.clear()
        self._at_root = self.mode == "validation"
        json_schema = self.generate_inner(schema)
        while self._pending:
            ref = self._pending.pop()
            with suppress(PydanticInvalidForJsonSchema):
                self.generate_inner(self._definitions[ref])
        if self._trusted.isdisjoint(self._refused):
            return json_schema
        for name in self.definitions.keys() - before:
            del self.definitions[name]
        return self.generate_root(schema)

    # -- definitions

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Write a node. Raises `PydanticInvalidForJsonSchema` if it cannot be sent."""
        if self.is_scalar(schema):
            return dict(self.scalars[schema["type"]])
        ref = schema.get("ref")
        if ref is None:
            json_schema = super().generate_inner(schema)
            part = json_schema.get("items") or json_schema.get("additionalProperties")
            if is_object(part) and _is_only_null(part):
                raise PydanticInvalidForJsonSchema(_lost_part(part))
            return json_schema
        self._check_known(ref)
        try:
            return super().generate_inner(schema)
        except PydanticInvalidForJsonSchema as error:
            self._refused[ref, self.mode] = error.message
            raise

    def definitions_schema(self, schema: core_schema.DefinitionsSchema) -> JsonSchemaValue:
        """Write each definition when something has referred to it."""
        for definition in schema["definitions"]:
            self._definitions[definition.get("ref", "")] = definition
        return self.generate_inner(schema["schema"])

    def definition_ref_schema(self, schema: Any) -> JsonSchemaValue:
        """Refer to a definition. Raises `PydanticInvalidForJsonSchema` if it cannot be sent."""
        ref = schema["schema_ref"]
        self._check_known(ref)
        key = (ref, self.mode)
        if key not in self._trusted:
            self._trusted.add(key)
            if ref in self._definitions:
                self._pending.append(ref)
        return super().definition_ref_schema(schema)

    def _check_known(self, ref: str) -> None:
        reason = self._refused.get((ref, self.mode))
        if reason is not None:
            raise PydanticInvalidForJsonSchema(reason)

    # -- what cannot be sent

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        """Raise an error that says which type cannot be sent."""
        metadata: Mapping[str, str] = schema.get("metadata") or {}
        name = metadata.get(NAME_KEY) or _name_of(schema)
        message = cannot_be_sent(name, metadata.get(REASON_KEY, ""))
        raise PydanticInvalidForJsonSchema(message)

    def is_subclass_schema(self, schema: core_schema.IsSubclassSchema) -> JsonSchemaValue:
        """Refuse a class: it cannot be sent."""
        return self.handle_invalid_for_json_schema(schema, "")

    # -- unions

    def union_schema(self, schema: core_schema.UnionSchema) -> JsonSchemaValue:
        """Write a union without the arms that cannot be sent."""
        arms: list[JsonSchemaValue] = []
        lost: list[str] = []
        choices: list[Any] = schema["choices"]
        for choice in choices:
            try:  # with a label, a choice is a pair
                arms.append(self.generate_inner(choice if is_object(choice) else choice[0]))
            except PydanticOmit:
                continue
            except PydanticInvalidForJsonSchema as error:
                lost.append(error.message)
        if not arms:
            _refuse(lost)
        union = arms[0] if len(arms) == 1 else self.get_union_of_schemas(arms)
        return _without_parts(union, lost)

    def tagged_union_schema(self, schema: Any) -> JsonSchemaValue:
        """Write a discriminated union without the arms that cannot be sent."""
        lost: list[str] = []
        for choice in schema["choices"].values():
            try:
                self.generate_inner(choice)
            except PydanticInvalidForJsonSchema as error:
                lost.append(error.message)
            except PydanticOmit:
                continue
        json_schema = super().tagged_union_schema(schema)
        if not json_schema["oneOf"]:
            _refuse(lost)
        return _without_parts(json_schema, lost)

    def get_union_of_schemas(self, schemas: list[JsonSchemaValue]) -> JsonSchemaValue:
        """Write alternatives; what one of several says it cannot express is said of all."""
        lost = [loss for arm in schemas if "anyOf" in arm for loss in arm.get(LOSS_KEY, ())]
        if not lost:
            return super().get_union_of_schemas(schemas)
        bare = [{k: v for k, v in arm.items() if k != LOSS_KEY} for arm in schemas]
        return with_losses(super().get_union_of_schemas(bare), lost)

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Write a type or null: null alone, if the type cannot be sent as an argument."""
        inner_schema = schema["schema"]
        if self.is_scalar(inner_schema) and inner_schema["type"] != "none":
            return {"anyOf": [dict(self.scalars[inner_schema["type"]]), {"type": "null"}]}
        try:
            return super().nullable_schema(schema)
        except PydanticInvalidForJsonSchema as error:
            if self.mode == "serialization":
                raise
            return _without_parts({"type": "null"}, [error.message])

    # -- fields and parameters

    def model_field_schema(self, schema: core_schema.ModelField) -> JsonSchemaValue:
        """Write a field of a model."""
        return self._field(super().model_field_schema, schema)

    def dataclass_field_schema(self, schema: core_schema.DataclassField) -> JsonSchemaValue:
        """Write a field of a dataclass."""
        return self._field(super().dataclass_field_schema, schema)

    def typed_dict_field_schema(self, schema: core_schema.TypedDictField) -> JsonSchemaValue:
        """Write a key of a TypedDict."""
        return self._field(super().typed_dict_field_schema, schema)

    def _field(self, write: Callable[[Any], JsonSchemaValue], field: Any) -> JsonSchemaValue:
        """Write a field; omit one that cannot be sent and need not be."""
        needed = self.mode == "serialization" or self.field_is_required(field, total=True)
        try:
            self._check_unset(field, needed=needed)
            json_schema = write(field)
            if not needed:
                self._check_use(field["schema"], json_schema)
        except PydanticInvalidForJsonSchema as error:
            self._left_out[id(field)] = error.message
            if needed:
                raise
            mark(field)
            raise PydanticOmit from None
        return json_schema

    def note_unset(self, cls: type, fields: Mapping[str, Any]) -> None:
        """Note which fields of a record no caller sets."""
        if self.mode == "validation":
            unset = unset_fields(cls)
            self._unset |= {id(fields[name]): unset[name] for name in unset if name in fields}

    def _check_unset(self, field: Any, *, needed: bool) -> None:
        unset = self._unset.pop(id(field), None)
        if unset is not None:
            mark(field)  # also where its type is then left out of a union
            wished = unset is HIDDEN and not needed
            raise PydanticInvalidForJsonSchema(WISHED if wished else f"it {unset.what}")

    def in_field(
        self, error: PydanticInvalidForJsonSchema, cls: Any, fields: Mapping[str, Any]
    ) -> PydanticInvalidForJsonSchema:
        """Return an error that names the field of a class, unless it already names one."""
        names = [name for name, field in fields.items() if self._left_out.pop(id(field), "")]
        if not names or cls is None or _PLACE in error.message:
            return error
        # The last: those before it need not be sent.
        return PydanticInvalidForJsonSchema(f"`{cls.__name__}.{names[-1]}{_PLACE}{error.message}")

    def without_left_out(
        self, written: JsonSchemaValue, fields: Mapping[str, Any]
    ) -> JsonSchemaValue:
        """Note the fields of a record that are left out; refuse it if there are no others."""
        if not self._left_out:
            return written
        reasons = {name: self._left_out.pop(id(field), "") for name, field in fields.items()}
        lost = {name: reason for name, reason in reasons.items() if reason}
        if not lost:
            return written
        if not written.get("properties") and set(lost.values()) != {WISHED}:
            _refuse(lost.values())
        return with_losses(written, _left_out(lost))

    def kw_arguments_schema(self, arguments: Any, var_kwargs_schema: Any) -> JsonSchemaValue:
        """Write the parameters of a tool, or of a class that is built by calling it."""
        at_root, self._at_root = self._at_root, False
        properties: dict[str, JsonSchemaValue] = {}
        required: list[str] = []
        lost: dict[str, str] = {}
        for argument in arguments:
            optional = argument["schema"]["type"] == "default"
            name: str = argument["name"]
            try:
                name = self.get_argument_name(argument)
                node = self.generate_inner(argument["schema"]).copy()
                if optional:
                    self._check_use(argument["schema"], node)
            except (PydanticInvalidForJsonSchema, PydanticOmit) as error:
                if not at_root and not optional:
                    raise
                lost[name] = _message(error)
                if not at_root:
                    mark(argument["schema"])
                node = {REFUSED_KEY: lost[name]}
            if at_root or name not in lost:
                properties[name] = node
                required += [] if optional else [name]
        json_schema: JsonSchemaValue = {"type": "object", "properties": properties}
        if required:
            json_schema["required"] = required
        self._write_rest(json_schema, var_kwargs_schema, None if at_root else lost)
        if at_root or not lost:
            return json_schema
        if not properties and json_schema.get("additionalProperties") is False:
            _refuse(lost.values())
        return with_losses(json_schema, _left_out(lost))

    def _write_rest(self, written: Any, schema: Any, lost: dict[str, str] | None) -> None:
        """Write what unknown arguments may be; note in `lost`, if given, if they cannot be sent."""
        try:
            node = self.generate_inner(schema) if schema else False
        except PydanticInvalidForJsonSchema as error:
            node = {REFUSED_KEY: error.message}
            if lost is not None:
                lost["**kwargs"], node = error.message, False
        written["additionalProperties"] = node
        if node == {}:
            del written["additionalProperties"]

    def _check_use(self, schema: Any, node: JsonSchemaValue) -> None:
        """Refuse what could only be sent as null, and is null when it is not sent."""
        if _is_only_null(node):
            default = self.get_default_value(schema) if schema["type"] == "default" else NoDefault
            if default is None or default is NoDefault:
                raise PydanticInvalidForJsonSchema(_lost_part(node))


def _name_of(schema: Any) -> str:
    """Name the type that a core schema describes."""
    cls = schema.get("cls")
    if cls is None:
        return "Callable" if schema["type"] == "callable" else str(schema["type"])
    name = type_text(cls)
    return f"type[{name}]" if schema["type"] == "is-subclass" else name


def _message(error: Exception) -> str:
    if isinstance(error, PydanticInvalidForJsonSchema):
        return error.message
    return "its type says that it belongs in no schema"


def _refuse(lost: Iterable[str]) -> NoReturn:
    """Refuse a type all of whose parts are lost."""
    texts = dict.fromkeys(lost)
    if not texts:
        raise PydanticOmit
    raise PydanticInvalidForJsonSchema(_AND.join(texts))


def _without_parts(node: JsonSchemaValue, lost: list[str]) -> JsonSchemaValue:
    text = _AND.join(dict.fromkeys(lost))
    return with_losses(node, [Lost("type_part", text=text)]) if lost else node


def _lost_part(node: JsonSchemaValue) -> str:
    return node[LOSS_KEY][0].text


def _left_out(lost: Mapping[str, str]) -> list[Lost]:
    return [Lost("left_out", name, reason) for name, reason in lost.items()]


def _is_only_null(node: JsonSchemaValue) -> bool:
    """Return whether null is all that is left of a type."""
    losses = node.get(LOSS_KEY, ())
    return node.get("type") == "null" and any(lost.kind == "type_part" for lost in losses)
