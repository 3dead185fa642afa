"""What a core schema holds, found in one walk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from ..._json_values import is_object
from ..types.encoded import OPAQUE
from .constraints import misfit
from .json_rules import hands_on, is_read_otherwise

# Types whose values Python and JSON write alike: strict validation of a dict gives the same either
# way. Not among them: whatever JSON writes as text (dates, bytes, enums), as a list (sets, tuples),
# and `Any`, which would hand the caller's own objects over.
_ALIKE = frozenset(
    (
        "call",
        "arguments",
        "int",
        "float",
        "bool",
        "str",
        "none",
        "list",
        "dict",
        "model",
        "model-fields",
        "model-field",
        "typed-dict",
        "typed-dict-field",
        "nullable",
        "literal",
        "default",
        "definitions",
        "definition-ref",
    )
)
_EMPTY = frozenset(("int", "float", "bool", "str", "none"))
"""Kinds of nodes that hold no others, and nothing that is asked for here."""
_SETS = frozenset(("set", "frozenset"))
# Of these only one branch is used: JSON is what comes in, and validation is strict.
_BRANCHES = {"lax-or-strict": "strict_schema", "json-or-python": "json_schema"}
_SKIPPED = OPAQUE | {
    "config",
    "serialization",
    "computed_fields",
    "json_schema_input_schema",
    "definitions",
}


class Traits(NamedTuple):
    """What matters about a core schema before anything is validated with it."""

    alike: bool
    """Arguments may be validated as a Python dict, without writing them as JSON."""
    confuses: bool
    """There are enums or literals of numbers: pydantic would accept `true` for 1 there, and 2.0
    for 2."""
    has_sets: bool
    """There are sets, or dicts whose keys are not texts."""
    hands_on: bool
    """Validators of authors hand Python values on to types that JSON writes otherwise."""
    has_aliases: bool
    """Fields of records go by other names."""
    misfit: str
    """A constraint that does not fit its type."""


def traits_of(schema: Any) -> Traits:
    """Walk a core schema once."""
    alike, confuses, has_sets, handing_on, has_aliases, wrong = True, False, False, False, False, ""
    for node, below in _nodes(schema):
        kind = node["type"]
        alike = alike and kind in _ALIKE
        confuses = confuses or _has_numbers(node)
        has_sets = has_sets or kind in _SETS or _has_other_keys(node)
        handing_on = handing_on or (below and is_read_otherwise(node))
        has_aliases = has_aliases or "validation_alias" in node
        wrong = wrong or misfit(node)
    return Traits(alike, confuses, has_sets, handing_on, has_aliases, wrong)


def _nodes(schema: Any) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the nodes that strict validation of JSON goes through.

    Each comes with whether a validator of the author may have changed the value before.
    """
    known: dict[str, Any] = {}
    if schema["type"] == "definitions":
        known = {each["ref"]: each for each in schema["definitions"]}
    seen: set[tuple[str, bool]] = set()
    todo: list[tuple[Any, bool]] = [(schema, False)]
    while todo:
        part, below = todo.pop()
        if is_object(part):
            kind = part.get("type")
            if not isinstance(kind, str):  # a map of names, such as a model's fields
                todo.extend((value, below) for value in part.values())
            elif kind == "definition-ref":
                place = (part["schema_ref"], below)
                if place not in seen and place[0] in known:
                    seen.add(place)
                    todo.append((known[place[0]], below))
            elif kind not in _EMPTY:
                yield part, below
                below = below or hands_on(part)
                if kind in _BRANCHES:
                    todo.append((part[_BRANCHES[kind]], below))
                else:
                    todo.extend((v, below) for word, v in part.items() if word not in _SKIPPED)
        elif isinstance(part, list | tuple):
            todo.extend((each, below) for each in cast("list[Any]", part))


def _has_numbers(node: dict[str, Any]) -> bool:
    values: list[Any] = []
    if node["type"] == "enum":
        values = [member.value for member in node.get("members", ())]
    elif node["type"] == "literal":
        values = node["expected"]
    return any(type(value) is not bool and isinstance(value, int | float) for value in values)


def _has_other_keys(node: dict[str, Any]) -> bool:
    return node["type"] == "dict" and node.get("keys_schema", _TEXT)["type"] != "str"


_TEXT = {"type": "str"}
