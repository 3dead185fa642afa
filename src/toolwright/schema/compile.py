"""Compiles signatures: many at once, each as if it were alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import GenericAlias
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from .._elsewhere import instead
from .._json_values import JsonObject, is_object
from ..content.converters import is_converted, is_frame
from ..errors import SchemaError
from ..options import Options
from ..read.scope import UnresolvedName
from ..read.signature import EMPTY, POSITIONAL_ONLY, VAR_KEYWORD, VARIADIC, Lost, Signature
from .adapters import (
    arguments_adapter,
    forget_schema,
    known_adapter,
    remove_arguments,
    value_adapter,
)
from .generate import Generator
from .hints import arms, is_plain, strip_annotated, type_text, unalias
from .output import output_hint
from .plan import Plan, Slot, plan
from .unsendable import REFUSED_KEY, cannot_be_sent, is_of_constraint, one_line
from .write import Compiled, Draft, SchemaWriter

if TYPE_CHECKING:
    from .translate import Translator

REST = ""
"""Stands for unknown arguments among the names of parameters."""


_REFUSAL = Exception
_TOGETHER = 50
"""How many tools have their schemas written in one pass: all that is needed only on the way is in
memory at the same time."""


def compile_all(
    jobs: Sequence[tuple[Signature, Options, Collection[Any]]],
    within: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> list[Compiled | SchemaError]:
    """Compile a batch; each job gives what it compiles to, or the error that refuses it.

    A job is a signature, options, and the types that a provider gives. Each part of the batch is
    compiled inside the context manager that `within` returns.
    """
    batch = _Batch()
    done: list[Compiled | SchemaError] = []
    for start in range(0, len(jobs), _TOGETHER):
        with within():
            done += batch.compile(jobs[start : start + _TOGETHER])
    return done


class _Batch:
    """What the tools of one batch share: class twins, output adapters, definitions."""

    def __init__(self) -> None:
        self.twins: dict[Any, Any] = {}
        # By identity: equal hints need not be the same (`Literal["a", "b"] == Literal["b", "a"]`).
        # The hints are kept, so that no other takes their place in memory.
        self.adapters: dict[tuple[int, int], tuple[Any, TypeAdapter[Any]]] = {}

    def compile(
        self, jobs: Sequence[tuple[Signature, Options, Collection[Any]]]
    ) -> Iterator[Compiled | SchemaError]:
        """Compile some jobs of the batch."""
        drafts = [self.draft(*job) for job in jobs]
        together = [draft for draft in drafts if isinstance(draft, Draft) and not draft.alone]
        shared = iter(self.finish(together))
        for draft, job in zip(drafts, jobs, strict=True):
            if isinstance(draft, SchemaError):
                done = draft
            else:
                done = self.finish([draft])[0] if draft.alone else next(shared)
            yield self.chosen(job, done) if isinstance(done, SchemaError) else done

    def chosen(
        self, job: tuple[Signature, Options, Collection[Any]], refused: SchemaError
    ) -> Compiled | SchemaError:
        """Compile a refused tool again, with classes chosen by their names.

        Only here: no caller is asked to choose what need not be chosen.
        """
        draft = self.draft(*job, choosing=True)
        done = draft if isinstance(draft, SchemaError) else self.finish([draft])[0]
        return refused if isinstance(done, SchemaError) else done

    # -- adapters

    def draft(
        self,
        signature: Signature,
        options: Options,
        provided: Collection[Any],
        *,
        choosing: bool = False,
    ) -> Draft | SchemaError:
        # What a class becomes may depend on local names; it is the same for all only without any.
        home = _package(signature.call)
        twins = {} if signature.namespace or choosing else self.twins
        translate = LazyTranslator(signature.namespace, twins, home, choosing=choosing)
        try:
            planned = plan(
                signature,
                translate,
                extra=options.extra,
                skip=options.on_unsupported == "skip",
                tolerant=_tolerance(options),
                provided=provided,
            )
            is_open = _is_open(signature, options, planned)
            if is_open and options.extra is None and planned.extra is EMPTY:
                # Published as taking anything: what it has no place for is dropped.
                planned.extra, planned.drop_extra = Any, True
            problems = [*signature.problems, *planned.problems]
            inputs = self._inputs(signature, options, planned, problems)
            hint = output_hint(signature.returns)
            if options.output_schema is None and is_frame(unalias(hint)):
                options = replace(options, output_schema=_ROWS)
            is_described = options.output_schema is not None
            outputs = self._outputs(hint, translate, [] if is_described else problems)
        except SchemaError as error:
            return error
        except UnresolvedName as error:  # in `**kwargs: Unpack[...]`; others are found one by one
            keywords = next((p.name for p in signature.parameters if p.kind is VAR_KEYWORD), "")
            return signature.refusal(error.what, parameter=keywords, hint=error.hint)
        except _REFUSAL as error:
            return signature.refusal(f"cannot be compiled: {one_line(error)}")
        return Draft(
            signature,
            options,
            planned,
            inputs,
            outputs,
            hint,
            translate.used_names,
            is_open,
            problems,
        )

    def _inputs(
        self, signature: Signature, options: Options, planned: Plan, problems: list[Lost]
    ) -> TypeAdapter[Any]:
        try:
            return arguments_adapter(planned)
        except _REFUSAL as error:
            settlement = Settlement(signature, options, planned, problems)
            settlement.settle_failing(error)
            return arguments_adapter(planned)

    def _outputs(
        self, hint: Any, translate: LazyTranslator, problems: list[Lost]
    ) -> TypeAdapter[Any] | None:
        if hint is EMPTY:
            return None
        key = (id(hint), id(translate.twins))
        cached = self.adapters.get(key)
        if cached is not None:
            return cached[1]
        try:
            adapter = known_adapter(hint) or value_adapter(translate(hint))
        except _REFUSAL as error:
            _note_no_output(problems, hint, error)
            return None
        self.adapters[key] = ((hint, translate.twins), adapter)
        return adapter

    # -- schemas

    def finish(self, drafts: list[Draft]) -> list[Compiled | SchemaError]:
        """Write the schemas of all drafts; if that fails, of halves, until the culprit is alone."""
        if not drafts:
            return []
        requests: list[tuple[int, Any, TypeAdapter[Any]]] = []
        for index, draft in enumerate(drafts):
            requests.append((index, "validation", draft.inputs))
            if draft.outputs is not None:
                requests.append((index, "serialization", draft.outputs))
        try:
            schemas, extras = TypeAdapter.json_schemas(requests, schema_generator=Generator)
        except _REFUSAL as error:
            if len(drafts) > 1:
                half = len(drafts) // 2
                return [*self.finish(drafts[:half]), *self.finish(drafts[half:])]
            return [self._retry(drafts[0], error)]
        writer = SchemaWriter(extras.get("$defs", {}))
        done: list[Compiled | SchemaError] = []
        for index, draft in enumerate(drafts):
            try:
                inputs, outputs = (
                    schemas[index, "validation"],
                    schemas.get((index, "serialization")),
                )
                outputs = _sendable(draft, outputs)
                if self._settled(draft, inputs):
                    done.append(writer.compiled(draft, inputs, outputs))
                    forget_schema(draft.inputs)
                else:
                    done.extend(self.finish([draft]))
            except SchemaError as error:
                done.append(error)
            except _REFUSAL as error:
                what = f"cannot be compiled: {one_line(error)}"
                done.append(draft.signature.refusal(what))
        return done

    def _settled(self, draft: Draft, given: JsonObject) -> bool:
        """Leave out the arguments that cannot be sent. Raises `SchemaError` if one is needed.

        Return False if one of them is now taken as any value: then all must be written again.
        """
        marked = refused_arguments(draft.plan, given)
        if not marked:
            return True
        settlement = Settlement(draft.signature, draft.options, draft.plan, draft.problems)
        if settlement.settle(marked):
            draft.inputs = arguments_adapter(draft.plan)
            return False
        draft.plan.unsendable |= remove_refused(given)
        remove_arguments(draft.inputs, marked.keys())
        return True

    def _retry(self, draft: Draft, error: Exception) -> Compiled | SchemaError:
        """Give up the output, or the parameters at fault, of a tool that cannot be written."""
        if draft.outputs is not None:
            try:
                TypeAdapter.json_schemas(
                    [(0, "serialization", draft.outputs)], schema_generator=Generator
                )
            except _REFUSAL as output_error:
                if draft.options.output_schema is None:
                    _note_no_output(draft.problems, draft.output_hint, output_error)
                draft.outputs = None
                return self.finish([draft])[0]
        settlement = Settlement(draft.signature, draft.options, draft.plan, draft.problems)
        try:
            settlement.settle_failing(error)
            draft.inputs = arguments_adapter(draft.plan)
        except SchemaError as refusal:
            return refusal
        return self.finish([draft])[0]


def _package(target: Any) -> str:
    """Return the package that a target was written in."""
    module = getattr(target, "__module__", None)
    return module.partition(".")[0] if isinstance(module, str) else ""


def _tolerance(options: Options) -> Callable[[str], bool]:
    """Return what says whether a parameter that cannot be set may be left out of a tool.

    What an author's own schema names cannot.
    """
    own_schema = options.input_schema
    if own_schema is not None:
        return lambda name: name not in own_schema.get("properties", ())
    return lambda _: options.on_unsupported == "permissive"


def _is_open(signature: Signature, options: Options, planned: Plan) -> bool:
    """Return whether a target that was let through takes any object: all that a caller can send
    to it are variadics without a type."""
    sent = {slot.name for slot in planned.slots}
    parameters = [p for p in signature.parameters if p.name in sent or p.kind in VARIADIC]
    return (
        options.on_unsupported == "permissive"
        and bool(parameters)
        and all(p.untyped and p.kind in VARIADIC for p in parameters)
    )


def _sendable(draft: Draft, taken: JsonObject | None) -> JsonObject | None:
    """Return the schema of a tool's values, unless they cannot be sent: then there is no output."""
    if taken is None or REFUSED_KEY not in taken:
        return taken
    error = PydanticInvalidForJsonSchema(taken[REFUSED_KEY])
    if draft.options.output_schema is None:
        _note_no_output(draft.problems, draft.output_hint, error)
    draft.outputs = None
    return None


_ROWS = {"type": "array", "items": {"type": "object"}}
"""What a table is sent as; which columns it has is known only when it is there."""


def _note_no_output(problems: list[Lost], hint: Any, error: Exception) -> None:
    """Note that values are not described, unless what is known of their class is how to send them."""
    if not all(map(_is_sent, arms(hint))):
        problems.append(Lost("no_output", text=_no_output(hint, error)))


def _is_sent(hint: Any) -> bool:
    """Return whether values are sent though no schema says how: tables, also in a container."""
    if get_origin(hint) in (list, dict, tuple):
        return all(_is_sent(arm) for part in get_args(hint) for arm in arms(part))
    plain = (None, type(None), ..., str, int, float, bool)
    return any(hint is kind for kind in plain) or is_converted(hint)


def _no_output(hint: Any, error: Exception) -> str:
    if isinstance(error, UnresolvedName):
        return f"its return type {error.what}; {error.hint}"
    if isinstance(error, PydanticInvalidForJsonSchema | PydanticSchemaGenerationError):
        return f"`{type_text(hint)}` cannot be sent as JSON"
    return one_line(error)


class Settlement:
    """Leaves parameters out, takes any value for them, or refuses the tool."""

    def __init__(
        self, signature: Signature, options: Options, planned: Plan, problems: list[Lost]
    ) -> None:
        self.signature = signature
        self.planned = planned
        self.problems = problems
        self.tolerant = options.on_unsupported == "permissive" or options.input_schema is not None

    def settle_failing(self, error: Exception) -> None:
        """Find the parameters that cannot be compiled, and settle them. Raises `SchemaError`."""
        failing = {slot.name: why for slot in self.planned.slots if (why := _failure(slot))}
        if not failing:
            raise self.signature.refusal(f"cannot be compiled: {one_line(error)}") from None
        self.settle(failing)

    def settle(self, errors: Mapping[str, Exception]) -> bool:
        """Settle parameters; return whether any value is taken for them. Raises `SchemaError`."""
        if REST in errors:
            self.planned.extra = Any if self.tolerant else EMPTY
            kind = "any_rest" if self.tolerant else "no_rest"
            self.problems.append(Lost(kind, text=one_line(errors[REST])))
        for slot in [slot for slot in self.planned.slots if slot.name in errors]:
            if self.tolerant:
                spread = slot.name == self.planned.rest
                slot.hint = list[Any] if spread else Any
                kind = "any_values" if spread else "any_value"
                self.problems.append(Lost(kind, slot.name, "its type cannot be sent as JSON"))
            elif slot.required or _is_authors_fault(errors[slot.name]):
                raise self._refusal(slot, errors[slot.name]) from None
            else:
                self.planned.leave_out(slot)
                reason = _reason(slot, errors[slot.name])
                self.problems.append(Lost("left_out", slot.name, reason))
        return self.tolerant

    def _refusal(self, slot: Slot, error: Exception) -> SchemaError:
        if self._is_the_target(slot) and isinstance(
            error, UnresolvedName | PydanticInvalidForJsonSchema
        ):
            is_of_schema = isinstance(error, PydanticInvalidForJsonSchema)
            what = (
                f"has a required field that cannot be used: {error.message}"
                if is_of_schema
                else error.what
            )
            hint = "change its type, or give it a default" if is_of_schema else error.hint
            return self.signature.refusal(what, hint=hint)
        if isinstance(error, UnresolvedName):
            return self.signature.refusal(error.what, parameter=slot.name, hint=error.hint)
        if isinstance(error, SchemaError):  # from a class that is built by its constructor
            place = f"{error.tool}.{error.parameter}" if error.parameter else error.tool
            what = f"has a type that cannot be used: `{place}` {error.what}"
            return self.signature.refusal(what, parameter=slot.name, hint=error.hint)
        if is_of_constraint(error):
            what = f"has a constraint that its type cannot meet: {one_line(error)}"
            hint = "change the type, or the constraint"
            return self.signature.refusal(what, parameter=slot.name, hint=hint)
        name = type_text(slot.written)
        hint = f"change the type, or inject it: {_injection(slot.written)}"
        if not isinstance(error, PydanticInvalidForJsonSchema | PydanticSchemaGenerationError):
            what = f"has a type that cannot be compiled: {one_line(error)}"
            return self.signature.refusal(what, parameter=slot.name, hint=hint)
        what = f"has a type that cannot be sent as JSON: `{name}`"
        reason = _reason(slot, error)
        part = reason.split("`")[1] if "`" in reason else ""
        if reason != cannot_be_sent(part) or part not in name:
            what += f"; {reason}"
        if name.endswith("Context") and (call := instead("parameter", slot.name)):
            hint = f"{call}; or inject it: {_injection(slot.written)}"
        return self.signature.refusal(what, parameter=slot.name, hint=hint)

    def _is_the_target(self, slot: Slot) -> bool:
        """Return whether a parameter is the very class that the tool builds."""
        parameters = self.signature.parameters
        is_own = slot.flat and strip_annotated(slot.written) is self.signature.returns
        return is_own and len(parameters) == 1 and parameters[0].kind is POSITIONAL_ONLY


def refused_arguments(planned: Plan, given: JsonObject) -> dict[str, Exception]:
    """Return why parameters cannot be sent, from a written schema; `REST` is for unknown ones."""
    nodes: list[JsonObject] = list(given.get("properties", {}).values())
    names = [slot.name for slot in planned.slots]
    by_name = dict(zip(names, nodes, strict=True)) if len(names) == len(nodes) else {}
    additional = given.get("additionalProperties")
    if is_object(additional):
        by_name[REST] = additional
    return {
        name: PydanticInvalidForJsonSchema(node[REFUSED_KEY])
        for name, node in by_name.items()
        if REFUSED_KEY in node
    }


def remove_refused(given: JsonObject) -> frozenset[str]:
    """Take the arguments that cannot be sent out of a written schema; return their keys."""
    properties: dict[str, JsonObject] = given["properties"]
    gone = frozenset(key for key, node in properties.items() if REFUSED_KEY in node)
    for key in gone:
        del properties[key]
    additional = given.get("additionalProperties")
    if is_object(additional) and REFUSED_KEY in additional:
        given["additionalProperties"] = False
    return gone


def _failure(slot: Slot) -> Exception | None:
    """Compile one parameter alone, to see whether it is the one at fault."""
    try:
        adapter = arguments_adapter(Plan(slots=[slot]))
        TypeAdapter.json_schemas([(0, "validation", adapter)], schema_generator=Generator)
    except Exception as error:  # noqa: BLE001 - the code of authors and libraries
        return error
    return None


def _reason(slot: Slot, error: Exception) -> str:
    if isinstance(error, PydanticInvalidForJsonSchema):
        return error.message
    if isinstance(error, PydanticSchemaGenerationError):
        return cannot_be_sent(type_text(slot.written))
    return f"its type cannot be compiled: {one_line(error)}"


def _injection(hint: Any) -> str:
    """Return how a server gives a tool what no caller can send."""
    if not isinstance(hint, type) or isinstance(hint, GenericAlias):
        return "`Annotated[T, Inject(provider)]`"
    name = type_text(hint)
    return (
        f"`Annotated[{name}, Inject(provider)]`, or `box.provide({name}, provider)` for all tools"
    )


def _is_authors_fault(error: Exception) -> bool:
    """Return whether leaving a parameter out would hide a mistake, such as a misspelt type."""
    return isinstance(error, UnresolvedName) or is_of_constraint(error)


class LazyTranslator:
    """A `Translator` that is made when a hint is not plain.

    Loading all that translating needs would cost a server of plain functions five milliseconds.
    """

    def __init__(
        self, names: Mapping[str, Any] | None, twins: dict[Any, Any], home: str, *, choosing: bool
    ) -> None:
        self.twins = twins
        self._names = names
        self._home = home
        self._choosing = choosing
        self._made: Translator | None = None

    @property
    def used_names(self) -> bool:
        """Whether a class was read with the local names."""
        return self._made is not None and self._made.used_names

    def __call__(self, hint: Any) -> Any:
        """Translate a hint."""
        return hint if is_plain(hint) else self._whole(hint)

    def optional(self, hint: Any) -> Any:
        """Translate the hint of an argument that need not be sent."""
        return hint if is_plain(hint) else self._whole.optional(hint)

    def hints_of(self, cls: type) -> dict[str, Any]:
        """Resolve the annotations of a class."""
        return self._whole.hints_of(cls)

    def typed_dict_fields(self, cls: Any) -> dict[str, tuple[Any, bool]]:
        """Return a TypedDict's translated hints, each with whether its key is required."""
        return self._whole.typed_dict_fields(cls)

    @property
    def _whole(self) -> Translator:
        if self._made is None:
            from .translate import Translator

            self._made = Translator(self._names, self.twins, self._home, choosing=self._choosing)
        return self._made


# Compiling runs code of authors and libraries: an error raised there refuses that one tool.
