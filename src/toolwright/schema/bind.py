"""Arguments in, a call's arguments out: strict, over JSON, through the one compiled validator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import ValidationError, from_json, to_json

from ..errors import ArgumentError, Fault
from .walk import is_node
from .write import Compiled

Bound = tuple[list[Any], dict[str, Any]]


def bind(name: str, compiled: Compiled, arguments: Mapping[str, Any] | str | bytes) -> Bound:
    """Validate arguments and make them those of the target. Raises `ArgumentError`."""
    faults: list[Fault]
    try:
        body = arguments if isinstance(arguments, str | bytes) else to_json(arguments)
        if compiled.explicit_input is not None or compiled.flat:
            body = to_json(_prepare(name, compiled, from_json(body)))
        validated = compiled.inputs.validator.validate_json(body, strict=True)
    except ValidationError as error:
        faults = [
            Fault(found["loc"], found["type"], f"{_path(found['loc'])}: {found['msg']}")
            for found in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise ArgumentError(name, faults) from None
    except ValueError as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(name, [Fault((), "not_json", f"not JSON: {error}")]) from None
    taken = sorted(compiled.plan.unsendable & validated.keys())
    if taken:
        faults = [Fault((key,), "unknown", f"unknown argument `{key}`") for key in taken]
        raise ArgumentError(name, faults)
    return compiled.plan.bind(validated)


def _prepare(name: str, compiled: Compiled, data: Any) -> Any:
    if compiled.explicit_input is not None:
        errors = sorted(compiled.explicit_input.iter_errors(data), key=str)
        if errors:
            faults = [Fault(e.absolute_path, str(e.validator), e.message) for e in errors]
            raise ArgumentError(name, faults)
    if compiled.flat and is_node(data):
        return nest(compiled, data)
    return data


def nest(compiled: Compiled, data: dict[str, Any]) -> dict[str, Any]:
    """Gather the fields of flattened parameters under the parameter's own name."""
    owners = {key: name for name, keys in compiled.flat.items() for key in keys}
    known = {slot.name for slot in compiled.plan.slots}
    made: dict[str, Any] = {}
    for key, value in data.items():
        owner = owners.get(key)
        if owner is None and key not in known:
            owner = compiled.flat_rest
        if owner:
            made.setdefault(owner, {})
            if isinstance(made[owner], dict):
                made[owner][key] = value
        elif key in compiled.flat and isinstance(value, dict) and isinstance(made.get(key), dict):
            made[key].update(value)
        else:
            made[key] = value
    # A required model all of whose fields are optional is built from nothing.
    for slot in compiled.plan.slots:
        if slot.flat and slot.name not in made and slot.required:
            made[slot.name] = {}
    return made


def _path(location: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in location) or "arguments"
