"""Compile signatures: many at once, each as if it stood alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError
from pydantic_core import PydanticSerializationError
from pydantic_core import SchemaError as CoreSchemaError
from typing_extensions import TypeAliasType

from ..errors import SchemaError
from ..options import Options
from ..read.signature import EMPTY, Signature
from .generate import Generator
from .hints import strip_annotated
from .output import output_hint
from .plan import Plan, Slot, plan
from .translate import Translator
from .write import Compiled, Draft, Writer

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


def compile_all(jobs: Sequence[tuple[Signature, Options]]) -> list[Compiled | SchemaError]:
    """Compile a batch; each job gives what it compiles to, or the error that refuses it."""
    batch = _Batch()
    drafts = [batch.draft(signature, options) for signature, options in jobs]
    sound = [draft for draft in drafts if isinstance(draft, Draft)]
    done = batch.finish(sound)
    return [done.pop(0) if isinstance(draft, Draft) else draft for draft in drafts]


class _Batch:
    """What the tools of one batch share: class twins, output adapters, definitions."""

    def __init__(self) -> None:
        self.twins: dict[type, Any] = {}
        self.adapters: dict[tuple[str, int], tuple[Any, TypeAdapter[Any]]] = {}

    # -- adapters

    def draft(self, signature: Signature, options: Options) -> Draft | SchemaError:
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
        return Draft(signature, options, made, inputs, outputs, hint, problems)

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

    def finish(self, drafts: list[Draft]) -> list[Compiled | SchemaError]:
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
        writer = Writer(rest.get("$defs", {}))
        done: list[Compiled | SchemaError] = []
        for at, draft in enumerate(drafts):
            try:
                schemas = (written[at, "validation"], written.get((at, "serialization")))
                done.append(writer.compiled(draft, *schemas))
            except SchemaError as error:
                done.append(error)
        return done

    def _retry(self, draft: Draft, error: Exception) -> Compiled | SchemaError:
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


def _arguments_adapter(made: Plan) -> TypeAdapter[Any]:
    def arguments(**validated: Any) -> dict[str, Any]:
        return validated

    stand_in: Any = made.stand_in(arguments)
    return TypeAdapter(stand_in, config=_CONFIG)


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
    make: Any = TypeAliasType
    return TypeAdapter(make(bare.__name__, hint), config=_CONFIG)


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
