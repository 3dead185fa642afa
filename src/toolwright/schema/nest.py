"""Gathers the fields of flattened parameters before validation."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..errors import Fault
from .write import Compiled


def nest(
    compiled: Compiled, data: dict[str, Any], *, nested: bool, named_alike: Collection[str] = ()
) -> tuple[dict[str, Any], list[str], list[Fault]]:
    """Gather the fields of flattened parameters under each parameter's own key.

    With `nested`, a parameter may also be sent whole, under that key; where a field has the same
    name, it is whole only if it is in `named_alike`. Return the arguments, the keys that came
    whole, and what is wrong.
    """
    owners = {field: key for key, flat in compiled.flat.items() for field in flat.fields}
    rest_owner = next((key for key, flat in compiled.flat.items() if flat.takes_rest), None)
    nested_keys = [k for k in compiled.flat if k in data and (k not in owners or k in named_alike)]
    if not nested and nested_keys:
        return data, [], [_flat_fault(key) for key in nested_keys]
    gathered: dict[str, dict[str, Any]] = {
        key: {} for key, flat in compiled.flat.items() if flat.required and key not in nested_keys
    }
    top_level: dict[str, Any] = {}
    for key, value in data.items():
        owner = None if key in nested_keys else owners.get(key)
        if owner is None and key not in compiled.keys:
            owner = rest_owner
        if owner is None:
            top_level[key] = value
        else:
            gathered.setdefault(owner, {})[key] = value
    both = sorted(top_level.keys() & gathered.keys())
    return {**top_level, **gathered}, nested_keys, [_flat_fault(key) for key in both]


def _flat_fault(key: str) -> Fault:
    text = f"the fields of `{key}` are at the top level; leave `{key}` itself out"
    return Fault((key,), "flat", text)
