"""Arguments of one call: validated strictly; repaired only if that fails; explained if all fails."""

from __future__ import annotations

import enum
import json
from collections.abc import Collection, Mapping
from typing import Any, cast

from pydantic import TypeAdapter
from pydantic_core import ValidationError, from_json, to_json

from ..errors import ArgumentError, Fault
from ..results import Repair
from ..schema.generate import Generator
from ..schema.nest import nest
from ..schema.walk import is_node
from ..schema.write import Compiled
from .explain import explain, unknown
from .repair import Repairer
from .shape import Shape, shape_of

Arguments = Mapping[str, Any] | str | bytes | None
Bound = tuple[list[Any], dict[str, Any]]


class Reader:
    """Reads the arguments of one tool."""

    def __init__(self, name: str, compiled: Compiled, *, repair: bool) -> None:
        self.name = name
        self.compiled = compiled
        self.repair = repair
        self.validate = compiled.validator.validate_json
        self.plan = compiled.plan
        self.unsendable = compiled.plan.unsendable
        self.prepared = bool(
            compiled.flat or compiled.guarded or compiled.explicit_input is not None
        )
        self.simple = not self.unsendable and compiled.plan.by_name_only
        self._shape: Shape | None = None
        self._members: Mapping[str, Any] = {}

    def read(self, arguments: Arguments) -> tuple[list[Any], dict[str, Any], tuple[Repair, ...]]:
        """Return the target's own arguments and the repairs made. Raises `ArgumentError`."""
        try:
            body = arguments if isinstance(arguments, bytes | str) else to_json(arguments or {})
            if self.prepared:
                body = to_json(self._prepare(from_json(body)))
            validated = self.validate(body, strict=True)
        except (ValidationError, ValueError) as error:
            validated, repairs = self._second(arguments, error)
        else:
            repairs = ()
        if self.simple:
            return _NOTHING, validated, repairs
        positional, named = self._bind(validated)
        return positional, named, repairs

    def _bind(self, validated: dict[str, Any]) -> Bound:
        self._refuse_names(self.unsendable & validated.keys())
        return self.plan.bind(validated)

    def _prepare(self, data: Any) -> Any:
        """Check an explicit schema and gather flattened fields, before the validator sees them."""
        if not is_node(data):
            return data
        compiled = self.compiled
        if compiled.explicit_input is not None:
            errors = sorted(compiled.explicit_input.iter_errors(data), key=str)
            if errors:
                faults = [Fault(list(e.absolute_path), str(e.validator), _said(e)) for e in errors]
                raise ArgumentError(self.name, faults)
        self._refuse_names(compiled.guarded & data.keys())
        return self._nested(data, whole=False)[0] if compiled.flat else data

    def _nested(self, data: dict[str, Any], *, whole: bool) -> tuple[dict[str, Any], list[str]]:
        made, came_whole, faults = nest(self.compiled, data, nested=whole)
        if faults:
            raise ArgumentError(self.name, faults)
        return made, came_whole

    def _refuse_names(self, names: Collection[str]) -> None:
        if names:
            faults = [
                Fault((key,), "unknown", unknown((key,), self.shape)) for key in sorted(names)
            ]
            raise ArgumentError(self.name, faults)

    # -- what only a failing call needs

    def _second(
        self, arguments: Arguments, error: Exception
    ) -> tuple[dict[str, Any], tuple[Repair, ...]]:
        data = self._object(arguments)
        if self.compiled.explicit_input is not None:
            self._prepare(data)  # what the author's own schema refuses is not repaired
        repairs: list[Repair] = []
        if self.repair:
            data, repairs = self._repaired(data)
        elif self.prepared:
            data = self._prepare(data)
        self._refuse_names(self.compiled.guarded & data.keys())
        try:
            return self.validate(to_json(data), strict=True), tuple(repairs)
        except ValidationError as second:
            found = second.errors(include_url=False, include_input=False)
            faults = explain(found, data, self.shape, frozenset(self.compiled.flat))
            raise ArgumentError(self.name, faults) from None

    def _repaired(self, data: dict[str, Any]) -> tuple[dict[str, Any], list[Repair]]:
        shape = self.shape
        repairer = Repairer(shape, self._members)
        if self.compiled.flat:
            data, whole = self._nested(repairer.without_noise(data), whole=True)
            text = "`{}` came as one object; its fields belong at the top level"
            repairer.done += [Repair((key,), "nested", text.format(key)) for key in whole]
        return repairer.arguments(data), repairer.done

    def _object(self, arguments: Arguments) -> dict[str, Any]:
        """Return the arguments as an object, or say that they are none."""
        try:
            body = arguments if isinstance(arguments, bytes | str) else to_json(arguments or {})
            data = json.loads(body, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            fault = Fault((), "not_json", "the arguments are not JSON; send one JSON object")
            raise ArgumentError(self.name, [fault]) from None
        if isinstance(data, str) and self.repair:
            return self._object(data) if data.strip().startswith("{") else self._object("null")
        if data is None:
            return {}
        if not is_node(data):
            fault = Fault((), "not_object", "the arguments must be one JSON object")
            raise ArgumentError(self.name, [fault])
        return data

    @property
    def shape(self) -> Shape:
        """The declared shape, worked out when first needed."""
        if self._shape is None:
            written, rest = TypeAdapter.json_schemas(
                [(0, "validation", self.compiled.inputs)], schema_generator=Generator
            )
            root, definitions = written[0, "validation"], rest.get("$defs", {})
            self._shape = shape_of(root, definitions)
            self._members = _members_of(self.compiled.inputs.core_schema)
        return self._shape


_NOTHING: list[Any] = []


def _refuse_constant(constant: str) -> Any:
    msg = f"{constant} is not JSON"
    raise ValueError(msg)


def _said(error: Any) -> str:
    steps = ".".join(str(step) for step in error.absolute_path)
    return f"`{steps}`: {error.message}" if steps else str(error.message)


def _members_of(schema: Any) -> dict[str, dict[str, Any]]:
    """Find every enum in a core schema: its members' names, by the list of its values as JSON."""
    found: dict[str, dict[str, Any]] = {}
    todo: list[Any] = [schema]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if is_node(node):
            cls: Any = node.get("cls") if node.get("type") == "enum" else None
            if isinstance(cls, type) and issubclass(cls, enum.Enum):
                values = [json.loads(to_json(member.value)) for member in cls]
                names = {member.name: value for member, value in zip(cls, values, strict=True)}
                found[json.dumps(values)] = names
            todo.extend(value for key, value in node.items() if key != "metadata")
        elif isinstance(node, list | tuple):
            todo.extend(cast("list[Any]", node))
    return found
