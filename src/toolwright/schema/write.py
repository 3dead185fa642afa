"""Writes the published schemas of tools, each in its style."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from .._json_values import JsonObject, compact_json, is_object
from .._words import did_you_mean
from ..errors import SchemaError
from ..json_schema.document import REF_PREFIX
from ..json_schema.walk import refs
from ..options import Options, SchemaOptions
from ..read.signature import EMPTY, Lost, Signature
from .adapters import (
    NOTHING,
    Traits,
    kept_plan,
    output_validator_of,
    serializer_of,
    traits_of,
    validator_of,
)
from .construct import built_classes
from .core_schemas import is_marked, keys_of
from .explicit import check_explicit
from .output import (
    OutputKind,
    boxed,
    declared_content,
    describes_object,
    is_bytes,
    is_text,
    may_be_null,
    may_stream,
    open_root,
    output_kind,
    takes_beginnings,
)
from .plan import Plan, Slot
from .style_rules import (
    Definitions,
    apply_rules,
    keys_with_bytes,
    losses,
    merge,
    placed,
    rules_of,
    without_default,
)
from .unsendable import WISHED

_LEVEL = 1
"""The fastest compression; higher levels hardly make a schema smaller."""
_RAW = -zlib.MAX_WBITS
"""Without a header or a checksum: the result never leaves this process."""
_USUAL = (
    b'"$defs":{"anyOf":[{"$ref":"#/$defs/"format":"pattern":"minLength":"maxLength":"minimum":'
    b'"maximum":"enum":["additionalProperties":{"type":"string"},"default":null},"default":true},'
    b'"default":false},{"type":"null"}],{"type":"array","items":{"type":"string"},'
    b'{"type":"number","description":"{"type":"boolean","description":"{"type":"integer",'
    b'"description":"The {"type":"string","description":"},"required":["'
    b'"additionalProperties":false}{"type":"object","properties":{"'
)
"""Words of most schemas: as a dictionary, they make a small compressed schema a fifth smaller."""


def _compressed(written: bytes) -> bytes:
    packer = zlib.compressobj(_LEVEL, wbits=_RAW, zdict=_USUAL)
    return packer.compress(written) + packer.flush()


def _decompressed(packed: bytes) -> bytes:
    return zlib.decompressobj(wbits=_RAW, zdict=_USUAL).decompress(packed)


MOST_LISTED_OUTPUT = 20_000
"""Bytes of an output schema that nobody asked for: that is 5,000 tokens."""


class Flat(NamedTuple):
    """A parameter whose fields are at the top level."""

    fields: frozenset[str]
    """The keys it takes, published or not: a field may have several aliases."""
    required: bool
    takes_rest: bool
    """Its model takes unknown keys."""


@dataclass(slots=True, eq=False, repr=False)
class Compiled:
    """Everything that calling and listing a tool needs."""

    plan: Plan
    traits: Traits
    validator: Any
    """All three are for the arguments; the validator takes JSON, and dicts unless `traits.differs`."""
    flat: Mapping[str, Flat]
    """The flattened parameters, by the key that each would have."""
    keys: frozenset[str]
    """The keys of all parameters, before any is flattened; known only if one is."""
    guarded: frozenset[str]
    """Names of parameters sent under another key, so that no unknown argument takes their place."""
    output_validator: Any
    serializer: Any
    """Both are for the values; None where there is no output schema."""
    output_hint: Any
    """What the values are, or `EMPTY`."""
    output_kind: OutputKind
    """What is known of the values without reading a published schema."""
    packed_input: bytes
    packed_output: bytes | None
    """Both schemas, compressed: the list of all tools holds them as well."""
    lists_output: bool
    """The output schema is small enough for lists, or its author wants it there."""
    boxes_output: bool
    """Clients that need an object get the output schema in a box."""
    nullable_output: bool
    text_output: bool
    bytes_output: bool
    """Values are shown as text, or as content, once."""
    none_output: bool
    """The target declares that it returns nothing."""
    may_stream: bool
    """Values may come one after another."""
    content_type: Any
    """`Image`, `Audio` or `File`, where one is declared: a path or bytes become that."""
    problems: tuple[Lost, ...]
    """What could not be kept of the target."""
    built: frozenset[type] = frozenset()
    """Classes of the author whose objects are written by their attributes."""
    explicit_input: Any = None
    explicit_output: Any = None
    """Validators for explicit schemas."""

    @property
    def input_schema(self) -> bytes:
        """Return the published schema of the arguments."""
        return _decompressed(self.packed_input)

    @property
    def output_schema(self) -> bytes | None:
        """Return the published schema of the values, bare; None if there is none."""
        return None if self.packed_output is None else _decompressed(self.packed_output)

    @property
    def boxed_output_schema(self) -> bytes | None:
        """Return the form for clients that need an object; None if the bare form is one."""
        bare = self.output_schema if self.boxes_output else None
        return None if bare is None else compact_json(boxed(json.loads(bare)))


@dataclass(slots=True, eq=False, repr=False)
class Draft:
    """A signature being compiled: adapters made, schemas not yet written."""

    signature: Signature
    options: Options
    plan: Plan
    inputs: TypeAdapter[Any]
    outputs: TypeAdapter[Any] | None
    output_hint: Any
    alone: bool
    """Its classes may mean something else to its neighbours."""
    is_open: bool
    """It takes any object."""
    problems: list[Lost] = field(default_factory=list[Lost])


class SchemaWriter:
    """Turns pydantic's neutral schemas of one batch into the published ones."""

    def __init__(self, raw: dict[str, JsonObject]) -> None:
        self.raw = raw
        self.with_bytes = keys_with_bytes(raw)
        self.known: dict[tuple[SchemaOptions, bool], Definitions] = {}
        self.packed: dict[bytes, bytes] = {}

    def _packed(self, schema: JsonObject) -> bytes:
        """Compress a schema; tools of one batch that have the same share it."""
        compact = compact_json(schema)
        packed = self.packed.get(compact)
        if packed is None:
            packed = self.packed[compact] = _compressed(compact)
        return packed

    def _has_own_bytes(self, root: JsonObject) -> bool:
        return bool(self.with_bytes) and not self.with_bytes.isdisjoint(refs(root))

    def _definitions(self, style: SchemaOptions, *, is_input: bool) -> Definitions:
        key = (style, is_input)
        definitions = self.known.get(key)
        if definitions is None:
            definitions = self.known[key] = Definitions(
                self.raw, rules_of(style, is_input=is_input)
            )
        return definitions

    def compiled(self, draft: Draft, given: JsonObject, taken: JsonObject | None) -> Compiled:
        """Finish a draft with its input schema and, if it has one, its output schema."""
        options = draft.options
        flat: dict[str, Flat] = {}
        schema = self._input(draft, given, flat)
        explicit = explicit_output = None
        if options.input_schema is not None:
            explicit = check_explicit(draft.signature, options.input_schema, "input_schema")
            schema = dict(options.input_schema)
        schema = _described(draft, schema, options.descriptions)
        output: JsonObject | None = None
        if options.output_schema is not None:
            explicit_output = check_explicit(
                draft.signature, options.output_schema, "output_schema"
            )
            output = dict(options.output_schema)
        elif taken is not None:
            output = self._output(draft, taken)
        keys = frozenset(given.get("properties", ()))
        traits = traits_of(draft.inputs.core_schema)
        if traits.misfit:
            raise _misfit(draft, traits.misfit)
        output_validator, serializer = _of_values(
            draft, own_bytes=taken is not None and self._has_own_bytes(taken)
        )
        return Compiled(
            plan=kept_plan(draft.plan, draft.signature.parameters),
            traits=traits,
            validator=validator_of(
                draft.inputs,
                own_bytes=self._has_own_bytes(given),
                hands_on=traits.hands_on or traits.loose,
                leaves_out=bool(draft.problems) and is_marked(draft.inputs.core_schema),
                exact_numbers=traits.confuses,
            ),
            flat=flat or NOTHING,
            keys=keys if flat else _NO_NAMES,
            guarded=_guarded(draft.plan, keys),
            output_validator=output_validator,
            serializer=serializer,
            output_hint=draft.output_hint,
            output_kind=_kind_of(taken, self.raw, options.output_schema),
            packed_input=self._packed(schema),
            packed_output=None if output is None else self._packed(output),
            lists_output=output is None or _is_listed(draft, output),
            boxes_output=output is not None and not describes_object(output),
            nullable_output=output is not None and may_be_null(output),
            text_output=options.output_schema is None and is_text(draft.output_hint),
            bytes_output=options.output_schema is None and is_bytes(draft.output_hint),
            none_output=draft.signature.returns in (None, type(None)),
            may_stream=may_stream(draft.signature.returns),
            content_type=declared_content(draft.signature.returns),
            problems=tuple(dict.fromkeys(p for p in draft.problems if WISHED not in p.text)),
            built=frozenset() if draft.outputs else built_classes(draft.signature),
            explicit_input=explicit,
            explicit_output=explicit_output,
        )

    def _input(self, draft: Draft, raw: JsonObject, flat: dict[str, Flat]) -> JsonObject:
        style = draft.options.style
        definitions = self._definitions(style, is_input=True)
        slots = draft.plan.slots
        properties: dict[str, JsonObject] = {}
        keys: dict[str, str] = {}
        published = raw.get("properties", {})
        if len(published) < len(slots):
            raise _alias_clash(draft)
        for slot, (key, node) in zip(slots, published.items(), strict=True):
            keys[slot.name] = key
            properties[key] = _with_text(node, slot.description, style)
            draft.problems.extend(placed(node, key))
        root: JsonObject = {"type": "object", "properties": properties}
        if raw.get("required"):
            root["required"] = list(raw["required"])
        root["additionalProperties"] = self._extra(draft, raw)
        if draft.is_open:
            return {"type": "object", "additionalProperties": True}
        root = apply_rules(root, definitions.steps)
        for slot in slots:
            if slot.flat:
                key = keys[slot.name]
                flat[key] = self._flatten(draft, root, slot, key, definitions)
        used = definitions.used_by(root)
        draft.problems.extend(definitions.losses(used))
        if not root.get("required"):
            root.pop("required", None)
        return definitions.attach(root, used, inline=style.inline_refs, limit=style.inline_limit)

    def _extra(self, draft: Draft, raw: JsonObject) -> Any:
        extra = raw.get("additionalProperties", True)
        if is_object(extra) and draft.plan.extra_description:
            return {"description": draft.plan.extra_description, **extra}
        return extra

    def _flatten(
        self,
        draft: Draft,
        root: JsonObject,
        slot: Slot,
        key: str,
        definitions: Definitions,
    ) -> Flat:
        """Put the fields of a model where the parameter itself stood."""
        signature = draft.signature
        node = root["properties"][key]
        if "$ref" in node:
            draft.problems.extend(definitions.losses(definitions.used_by(node)))
            target = definitions[node["$ref"].removeprefix(REF_PREFIX)]
            node = merge(target.schema, {k: v for k, v in node.items() if k != "$ref"})
        fields: dict[str, JsonObject] | None = node.get("properties")
        if node.get("type") != "object" or fields is None:
            raise signature.refusal(
                "is marked `Flatten()` but has no fields",
                parameter=slot.name,
                hint="flatten a model, dataclass or TypedDict",
            )
        other_keys = set(root["properties"]) - {key}
        clash = sorted(other_keys & fields.keys() | draft.plan.unsendable & fields.keys())
        if clash:
            raise signature.refusal(
                f"has a field `{clash[0]}`, and so has the tool",
                parameter=slot.name,
                hint="rename one of them, or do not flatten",
            )
        before: dict[str, JsonObject] = {}
        for name, property_schema in root["properties"].items():
            before.update(fields if name == key else {name: property_schema})
        root["properties"] = before
        required: list[str] = root.get("required", [])
        if key in required:
            index = required.index(key)
            root["required"] = [
                *required[:index],
                *node.get("required", []),
                *required[index + 1 :],
            ]
        takes_rest = node.get("additionalProperties", False) is not False
        if takes_rest:
            root["additionalProperties"] = node["additionalProperties"]
        accepted = keys_of(draft.inputs.core_schema, slot.name) - other_keys - draft.plan.unsendable
        return Flat(accepted | fields.keys(), slot.required, takes_rest)

    def _output(self, draft: Draft, raw: JsonObject) -> JsonObject:
        style = draft.options.style
        definitions = self._definitions(style, is_input=False)
        schema = apply_rules(raw, definitions.steps)
        draft.problems.extend(lost._replace(place=place) for place, lost in losses(raw, "result"))
        used = definitions.used_by(schema)
        draft.problems.extend(
            lost._replace(place=f"result: {lost.place}", parameter="")
            for lost in definitions.losses(used)
        )
        attached = definitions.attach(
            schema, used, inline=style.inline_refs, limit=style.inline_limit
        )
        return open_root(attached)


_NO_NAMES = frozenset[str]()


def _is_listed(draft: Draft, output: JsonObject) -> bool:
    """Return whether an output schema belongs in lists: one of 200 kB costs more than all tools."""
    options = draft.options
    if options.output_schema is not None or options.emit != "auto":
        return True
    size = len(compact_json(output))
    if size <= MOST_LISTED_OUTPUT:
        return True
    reason = f'more than {MOST_LISTED_OUTPUT:,}; emit="both" lists it'
    draft.problems.append(Lost("unlisted_output", f"{size:,} bytes", reason))
    return False


def _kind_of(
    taken: JsonObject | None, raw: Mapping[str, JsonObject], declared: Mapping[str, Any] | None
) -> OutputKind:
    """Return what is known of a tool's values: a list is cut only where both the type and the
    schema that its author declared take the beginning of one."""
    kind = OutputKind() if taken is None else output_kind(taken, raw)
    if declared is None or not kind.may_cut:
        return kind
    return kind._replace(may_cut=takes_beginnings(declared))


def _with_text(node: JsonObject, text: str, style: SchemaOptions) -> JsonObject:
    """Give a parameter its text: its own `Field` takes precedence over the documentation."""
    text = node.get("description") or text
    if not text:
        return node
    if style.default_once:
        text = without_default(text, node.get("default"))
    return {**node, "description": text}


def _guarded(made: Plan, keys: frozenset[str]) -> frozenset[str]:
    if made.extra is EMPTY:
        return _NO_NAMES
    names = frozenset(slot.name for slot in made.slots) - keys
    return names - made.renamed.keys()


def _of_values(draft: Draft, *, own_bytes: bool) -> tuple[Any, Any]:
    """Return the validator and the serialiser of a tool's values; None without an output schema."""
    adapter = draft.outputs
    if adapter is None:
        return None, None
    traits = traits_of(adapter.core_schema)
    if traits.misfit:
        raise draft.signature.refusal(
            f"has a constraint that its result cannot meet: {traits.misfit}",
            hint="change the return type, or the constraint",
        )
    return (
        output_validator_of(adapter, traits, own_bytes=own_bytes),
        serializer_of(adapter, traits, own_bytes=own_bytes),
    )


def _misfit(draft: Draft, what: str) -> SchemaError:
    """Name the parameter whose constraint does not fit its type."""
    schema: Any = draft.inputs.core_schema
    call_schema = schema["schema"] if schema["type"] == "definitions" else schema
    for argument in call_schema["arguments_schema"]["arguments_schema"]:
        part = argument["schema"]
        if schema is not call_schema:
            part = {**schema, "schema": part}
        if traits_of(part).misfit:
            return draft.signature.refusal(
                f"has a constraint that its type cannot meet: {what}",
                parameter=argument["name"],
                hint="change the type, or the constraint",
            )
    return draft.signature.refusal(f"has a constraint that its type cannot meet: {what}")


def _alias_clash(draft: Draft) -> SchemaError:
    """Name the alias that two parameters share, or that is another parameter's name."""
    aliases: set[str] = set()
    for slot in draft.plan.slots:
        field = FieldInfo.from_annotated_attribute(slot.hint, slot.default)
        name = field.validation_alias if isinstance(field.validation_alias, str) else slot.name
        if name in aliases:
            return draft.signature.refusal(
                f"has the name `{name}`, and so has another parameter",
                parameter=slot.name,
                hint="give one of them another alias",
            )
        aliases.add(name)
    return draft.signature.refusal("has two parameters under one name")


def _described(draft: Draft, schema: JsonObject, texts: Mapping[str, Any] | None) -> JsonObject:
    """Return an input schema with other texts for its parameters. Raises `SchemaError`."""
    if not texts:
        return schema
    properties = dict(schema.get("properties", {}))
    spellings = draft.plan.spellings.get("", {})
    for name, text in texts.items():
        if name not in properties and name in spellings:
            name = spellings[name].key  # noqa: PLW2901  # what is published
        if name not in properties:
            what = f"has `descriptions` of `{name}`, which it does not take"
            raise draft.signature.refusal(what, hint=did_you_mean(name, properties))
        if not isinstance(text, str):
            raise draft.signature.refusal("has `descriptions` that are not text", parameter=name)
        properties[name] = {**properties[name], "description": text}
    return {**schema, "properties": properties}
