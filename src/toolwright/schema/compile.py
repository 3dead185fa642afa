"""Compile signatures: many at once, each as if it stood alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError
from pydantic_core import PydanticSerializationError, SchemaError as CoreSchemaError, from_json
from typing_extensions import TypeAliasType

from ..errors import SchemaError
from ..options import Options, SchemaOptions
from ..read.signature import EMPTY, VARIADIC, Signature
from .definitions import Definitions, merge
from .explicit import check_explicit
from .generate import Generator
from .hints import strip_annotated
from .output import boxed, is_object, is_text, may_be_null, output_hint, root_object
from .passes import apply_passes, losses, passes
from .plan import Plan, Slot, plan
from .translate import Translator
from .walk import REF_PREFIX, Schema

_CONFIG = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_REFUSALS = (
    PydanticUserError,
    PydanticSchemaGenerationError,
    PydanticInvalidForJsonSchema,
    PydanticSerializationError,
    CoreSchemaError,
    NameError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
)


@dataclass(slots=True)
class Compiled:
    """All that a call and a list need of one tool."""

    plan: Plan
    inputs: TypeAdapter[Any]
    flat: dict[str, frozenset[str]]
    """For each flattened parameter, the top-level keys that are its fields."""
    flat_rest: str
    """The flattened parameter that takes unknown keys, if its model does."""
    outputs: TypeAdapter[Any] | None
    input_schema: bytes
    output_schema: bytes | None
    boxed_output_schema: bytes | None
    """The form for clients that need an object; None if the bare form is one."""
    nullable_output: bool
    text_output: bool
    problems: tuple[str, ...]
    explicit_input: Any = None
    """A validator for an explicit input schema."""


@dataclass(slots=True)
class _Draft:
    signature: Signature
    options: Options
    plan: Plan
    inputs: TypeAdapter[Any]
    outputs: TypeAdapter[Any] | None
    output_hint: Any
    problems: list[str] = field(default_factory=list[str])


def compile_all(jobs: Sequence[tuple[Signature, Options]]) -> list[Compiled | SchemaError]:
    """Compile a batch; each job gives what it compiles to, or the error that refuses it."""
    batch = _Batch()
    drafts = [batch.draft(signature, options) for signature, options in jobs]
    sound = [draft for draft in drafts if isinstance(draft, _Draft)]
    done = batch.finish(sound)
    return [done.pop(0) if isinstance(draft, _Draft) else draft for draft in drafts]


class _Batch:
    """What the tools of one batch share: class twins, output adapters, definitions."""

    def __init__(self) -> None:
        self.twins: dict[type, Any] = {}
        self.adapters: dict[tuple[str, int], tuple[Any, TypeAdapter[Any]]] = {}

    # -- adapters

    def draft(self, signature: Signature, options: Options) -> _Draft | SchemaError:
        translate = Translator(signature.namespace, self.twins)
        try:
            made = plan(
                signature,
                translate,
                extra=options.extra,
                skip=options.on_unsupported == "skip",
            )
            problems = [*signature.problems, *made.problems]
            inputs = self._inputs(signature, options, made, problems)
            hint = output_hint(signature.returns)
            outputs = self._outputs(hint, translate, problems)
        except SchemaError as error:
            return error
        except _REFUSALS as error:
            return signature.refusal(f"cannot be compiled: {_one_line(error)}")
        return _Draft(signature, options, made, inputs, outputs, hint, problems)

    def _inputs(
        self, signature: Signature, options: Options, made: Plan, problems: list[str]
    ) -> TypeAdapter[Any]:
        try:
            return _arguments_adapter(made)
        except _REFUSALS as error:
            self._settle(signature, options, made, problems, error)
            return _arguments_adapter(made)

    def _settle(
        self,
        signature: Signature,
        options: Options,
        made: Plan,
        problems: list[str],
        error: Exception,
    ) -> None:
        """Find the parameters that cannot be compiled: refuse them, or take any value."""
        tolerant = options.on_unsupported == "permissive" or options.input_schema is not None
        found = False
        for slot in made.slots:
            refusal = _refusal_of(slot)
            if refusal is None:
                continue
            found = True
            if not tolerant:
                raise _unsupported(signature, slot, refusal) from None
            slot.hint = Any
            problems.append(f"takes any value for `{slot.name}`: its type cannot be sent as JSON")
        if not found:
            what = f"cannot be compiled: {_one_line(error)}"
            raise signature.refusal(what) from None

    def _outputs(
        self, hint: Any, translate: Translator, problems: list[str]
    ) -> TypeAdapter[Any] | None:
        if hint is EMPTY:
            return None
        key = (repr(hint), id(hint))
        known = self.adapters.get(key)
        if known is not None:
            return known[1]
        try:
            adapter = _value_adapter(translate(hint))
        except _REFUSALS as error:
            problems.append(_no_output(hint, error))
            return None
        self.adapters[key] = (hint, adapter)
        return adapter

    # -- schemas

    def finish(self, drafts: list[_Draft]) -> list[Compiled | SchemaError]:
        """Write the schemas of all drafts; if that fails, of halves, until the culprit is alone."""
        if not drafts:
            return []
        wanted: list[tuple[int, Any, TypeAdapter[Any]]] = []
        for at, draft in enumerate(drafts):
            wanted.append((at, "validation", draft.inputs))
            if draft.outputs is not None:
                wanted.append((at, "serialization", draft.outputs))
        try:
            written, rest = TypeAdapter.json_schemas(wanted, schema_generator=Generator)
        except _REFUSALS as error:
            if len(drafts) > 1:
                half = len(drafts) // 2
                return [*self.finish(drafts[:half]), *self.finish(drafts[half:])]
            return [self._retry(drafts[0], error)]
        writer = _Writer(rest.get("$defs", {}))
        done: list[Compiled | SchemaError] = []
        for at, draft in enumerate(drafts):
            try:
                schemas = (written[at, "validation"], written.get((at, "serialization")))
                done.append(writer.compiled(draft, *schemas))
            except SchemaError as error:
                done.append(error)
        return done

    def _retry(self, draft: _Draft, error: Exception) -> Compiled | SchemaError:
        """One tool's schema cannot be written: give up its output, or the parameters at fault."""
        if draft.outputs is not None:
            try:
                TypeAdapter.json_schemas(
                    [(0, "serialization", draft.outputs)], schema_generator=Generator
                )
            except _REFUSALS as output_error:
                draft.problems.append(_no_output(draft.output_hint, output_error))
                draft.outputs = None
                return self.finish([draft])[0]
        try:
            self._settle(draft.signature, draft.options, draft.plan, draft.problems, error)
            draft.inputs = _arguments_adapter(draft.plan)
        except SchemaError as refusal:
            return refusal
        return self.finish([draft])[0]


class _Writer:
    """Turns pydantic's neutral schemas of one batch into the published ones."""

    def __init__(self, raw: dict[str, Schema]) -> None:
        self.raw = raw
        self.known: dict[tuple[SchemaOptions, bool], Definitions] = {}

    def definitions(self, style: SchemaOptions, *, is_input: bool) -> Definitions:
        key = (style, is_input)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = Definitions(self.raw, passes(style, is_input=is_input))
        return found

    def compiled(self, draft: _Draft, given: Schema, taken: Schema | None) -> Compiled:
        options, made = draft.options, draft.plan
        flat: dict[str, frozenset[str]] = {}
        rest: list[str] = []
        schema = self._input(draft, given, flat, rest)
        explicit = None
        if options.input_schema is not None:
            explicit = check_explicit(draft.signature, options.input_schema, "input_schema")
            schema = dict(options.input_schema)
        output: Schema | None = None
        if options.output_schema is not None:
            check_explicit(draft.signature, options.output_schema, "output_schema")
            output = dict(options.output_schema)
        elif taken is not None:
            output = self._output(draft, taken)
        return Compiled(
            plan=made,
            inputs=draft.inputs,
            flat=flat,
            flat_rest=rest[0] if rest else "",
            outputs=draft.outputs,
            input_schema=_dump(schema),
            output_schema=None if output is None else _dump(output),
            boxed_output_schema=(
                None if output is None or is_object(output) else _dump(boxed(output))
            ),
            nullable_output=output is not None and may_be_null(output),
            text_output=options.output_schema is None and is_text(draft.output_hint),
            problems=tuple(dict.fromkeys(draft.problems)),
            explicit_input=explicit,
        )

    def _input(
        self, draft: _Draft, raw: Schema, flat: dict[str, frozenset[str]], rest: list[str]
    ) -> Schema:
        style = draft.options.style
        definitions = self.definitions(style, is_input=True)
        slots = draft.plan.slots
        properties: dict[str, Schema] = {}
        keys: dict[str, str] = {}
        for slot, (key, node) in zip(slots, raw.get("properties", {}).items(), strict=True):
            keys[slot.name] = key
            described = slot.description and "description" not in node
            properties[key] = {**node, "description": slot.description} if described else node
            draft.problems.extend(f"`{key}`: {loss}" for loss in losses(node))
        root: Schema = {"type": "object", "properties": properties}
        if raw.get("required"):
            root["required"] = list(raw["required"])
        root["additionalProperties"] = self._extra(draft, raw)
        if _is_open(draft):
            return {"type": "object", "additionalProperties": True}
        root = apply_passes(root, definitions.steps)
        for slot in slots:
            if slot.flat:
                self._flatten(draft, root, slot, keys[slot.name], definitions, flat, rest)
        draft.problems.extend(definitions.losses(root))
        if not root.get("required"):
            root.pop("required", None)
        return definitions.attach(root, inline=style.inline_refs, limit=style.inline_limit)

    def _extra(self, draft: _Draft, raw: Schema) -> Any:
        extra = raw.get("additionalProperties", True)
        if isinstance(extra, dict) and draft.plan.extra_description:
            return {"description": draft.plan.extra_description, **extra}
        return extra

    def _flatten(
        self,
        draft: _Draft,
        root: Schema,
        slot: Slot,
        key: str,
        definitions: Definitions,
        flat: dict[str, frozenset[str]],
        rest: list[str],
    ) -> None:
        """Put the fields of a model where the parameter itself stood."""
        signature = draft.signature
        node = root["properties"][key]
        if "$ref" in node:
            target = definitions[node["$ref"].removeprefix(REF_PREFIX)]
            node = merge(target.schema, {k: v for k, v in node.items() if k != "$ref"})
        fields: dict[str, Schema] | None = node.get("properties")
        if node.get("type") != "object" or fields is None:
            raise signature.refusal(
                "is marked `Flatten()` but has no fields",
                parameter=slot.name,
                hint="flatten a model, dataclass or TypedDict",
            )
        others = set(root["properties"]) - {key}
        clash = sorted(others & fields.keys() | draft.plan.unsendable & fields.keys())
        if clash:
            raise signature.refusal(
                f"has a field `{clash[0]}`, and so has the tool",
                parameter=slot.name,
                hint="rename one of them, or do not flatten",
            )
        before: dict[str, Schema] = {}
        for name, inner in root["properties"].items():
            before.update(fields if name == key else {name: inner})
        root["properties"] = before
        required: list[str] = root.get("required", [])
        if key in required:
            at = required.index(key)
            root["required"] = [*required[:at], *node.get("required", []), *required[at + 1 :]]
        if node.get("additionalProperties", False) not in (False, None):
            rest.append(slot.name)
            root["additionalProperties"] = node["additionalProperties"]
        flat[slot.name] = frozenset(fields)

    def _output(self, draft: _Draft, raw: Schema) -> Schema:
        style = draft.options.style
        definitions = self.definitions(style, is_input=False)
        schema = apply_passes(raw, definitions.steps)
        draft.problems.extend(f"result: {loss}" for loss in losses(raw))
        draft.problems.extend(f"result: {loss}" for loss in definitions.losses(schema))
        made = definitions.attach(schema, inline=style.inline_refs, limit=style.inline_limit)
        return root_object(made)


def _is_open(draft: _Draft) -> bool:
    """A target with an untyped variadic, let through, takes any object."""
    return draft.options.on_unsupported == "permissive" and any(
        p.kind in VARIADIC and p.untyped for p in draft.signature.parameters
    )


def _arguments_adapter(made: Plan) -> TypeAdapter[Any]:
    def arguments(**validated: Any) -> dict[str, Any]:
        return validated

    return TypeAdapter(made.stand_in(arguments), config=_CONFIG)


def _value_adapter(hint: Any) -> TypeAdapter[Any]:
    """Make the adapter of a return type, with bytes as base64 wherever its own rules allow."""
    try:
        return TypeAdapter(hint, config=_CONFIG)
    except PydanticUserError as error:
        if error.code != "type-adapter-config-unused":
            raise
    bare = strip_annotated(hint)
    if hasattr(bare, "__pydantic_complete__"):
        return TypeAdapter(hint)
    # A dataclass or TypedDict without configuration of its own takes ours through an alias.
    return TypeAdapter(TypeAliasType(bare.__name__, hint), config=_CONFIG)


def _refusal_of(slot: Slot) -> Exception | None:
    """Compile one parameter alone, to see whether it is the one at fault."""
    alone = Plan(slots=[slot])
    try:
        TypeAdapter.json_schemas(
            [(0, "validation", _arguments_adapter(alone))], schema_generator=Generator
        )
    except _REFUSALS as error:
        return error
    return None


def _no_output(hint: Any, error: Exception) -> str:
    if isinstance(error, PydanticInvalidForJsonSchema | PydanticSchemaGenerationError):
        return f"has no output schema: `{_type_name(hint)}` cannot be sent as JSON"
    return f"has no output schema: {_one_line(error)}"


def _unsupported(signature: Signature, slot: Slot, error: Exception) -> SchemaError:
    if isinstance(error, PydanticInvalidForJsonSchema | PydanticSchemaGenerationError):
        what = f"has a type that cannot be sent as JSON: `{_type_name(slot.hint)}`"
    else:
        what = f"has a type that cannot be compiled: {_one_line(error)}"
    return signature.refusal(
        what,
        parameter=slot.name,
        hint="change the type, or hide the parameter with `Annotated[..., Hidden()]` and a default",
    )


def _type_name(hint: Any) -> str:
    bare = strip_annotated(hint)
    return bare.__name__ if isinstance(bare, type) else str(bare).replace("typing.", "")


def _one_line(error: Exception) -> str:
    """Say what a dependency said, in one line and without its advertising."""
    text = str(error).strip().split("\n", 1)[0]
    return text.split(". Set `arbitrary_types_allowed", 1)[0].rstrip(".")


def _dump(schema: Schema) -> bytes:
    return json.dumps(schema, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def load(schema: bytes) -> Schema:
    """Return a schema as a fresh dict."""
    return from_json(schema)
