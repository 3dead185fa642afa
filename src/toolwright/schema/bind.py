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
        if compiled.explicit_input is not None or compiled.flat or compiled.guarded:
            body = to_json(_prepare(name, compiled, from_json(body)))
        validated = compiled.validator.validate_json(body, strict=True)
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
        raise ArgumentError(name, [_unknown(key) for key in taken])
    return compiled.plan.bind(validated)


def _prepare(name: str, compiled: Compiled, data: Any) -> Any:
    if compiled.explicit_input is not None:
        errors = sorted(compiled.explicit_input.iter_errors(data), key=str)
        if errors:
            faults = [Fault(e.absolute_path, str(e.validator), e.message) for e in errors]
            raise ArgumentError(name, faults)
    if not is_node(data):
        return data
    taken = sorted(compiled.guarded & data.keys())
    if taken:
        raise ArgumentError(name, [_unknown(key) for key in taken])
    return nest(name, compiled, data) if compiled.flat else data


def _unknown(key: str) -> Fault:
    return Fault((key,), "unknown", f"unknown argument `{key}`")


def nest(name: str, compiled: Compiled, data: dict[str, Any]) -> dict[str, Any]:
    """Gather the fields of flattened parameters under each parameter's own key."""
    owners = {field: key for key, flat in compiled.flat.items() for field in flat.fields}
    rest = next((key for key, flat in compiled.flat.items() if flat.takes_rest), None)
    gathered: dict[str, dict[str, Any]] = {
        key: {} for key, flat in compiled.flat.items() if flat.required and key not in data
    }
    made: dict[str, Any] = {}
    for key, value in data.items():
        owner = owners.get(key)
        if owner is None and key not in compiled.keys:
            owner = rest
        if owner is None:
            made[key] = value
        else:
            gathered.setdefault(owner, {})[key] = value
    both = sorted(made.keys() & gathered.keys())
    if both:
        text = f"the fields of `{both[0]}` stand at the top level; leave `{both[0]}` itself out"
        raise ArgumentError(name, [Fault((both[0],), "flat_and_nested", text)])
    return {**made, **gathered}


def _path(location: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in location) or "arguments"
