"""Settles what becomes of parameters that cannot be sent."""

from __future__ import annotations

from collections.abc import Mapping
from types import GenericAlias
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from ..._elsewhere import instead
from ..._json_values import JsonObject, is_object
from ...errors import SchemaError
from ...options import Options
from ...read.names.unresolved import UnresolvedName
from ...read.signature import EMPTY, POSITIONAL_ONLY, Lost, Signature
from ..adapters import arguments_adapter
from ..generate import Generator
from ..plan import Plan, Slot
from .hints import strip_annotated, type_text
from .unsendable import REFUSED_KEY, cannot_be_sent, is_of_constraint, one_line

REST = ""
"""Stands for unknown arguments among the names of parameters."""


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
