"""What a core schema holds, found in one walk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from .._json_values import is_object
from .constraints import fit_of
from .core_schemas import OPAQUE, is_written_by_name
from .json_rules import hands_on, has_numbers, is_read_otherwise

# Types whose values Python and JSON write alike: strict validation of a dict gives the same either
# way. Not among them: what JSON writes as text (dates, bytes, enums) or as a list (sets, tuples),
# and `Any`, which would hand over the caller's own objects.
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
"""Kinds of nodes that hold no others, and nothing that matters here."""
_SETS = frozenset(("set", "frozenset"))
_CHOICES = frozenset(("enum", "literal"))
_HOLDERS = frozenset((dict, list, tuple))
# Only one branch of these is used: the input is JSON, and validation is strict.
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
    """Validators of authors hand on Python values to types that JSON writes differently."""
    has_aliases: bool
    """Fields of records are read by other names."""
    own_names: bool
    """Fields of records are written by their names, not their aliases."""
    loose: bool
    """Constraints do not fit every value of their type."""
    misfit: str
    """A constraint that does not fit its type."""

    def joined(self, other: Traits) -> Traits:
        """Return the traits of two schemas together."""
        return Traits(
            alike=self.alike and other.alike,
            confuses=self.confuses or other.confuses,
            has_sets=self.has_sets or other.has_sets,
            hands_on=self.hands_on or other.hands_on,
            has_aliases=self.has_aliases or other.has_aliases,
            own_names=self.own_names or other.own_names,
            loose=self.loose or other.loose,
            misfit=self.misfit or other.misfit,
        )


def traits_of(schema: Any, opened: frozenset[Any] = frozenset()) -> Traits:
    """Walk a core schema once; models are walked once for all tools, except those in `opened`."""
    alike, confuses, has_sets, handing_on, has_aliases = True, False, False, False, False
    own_names, loose, wrong = False, False, ""
    models: list[Traits] = []
    by_ref: dict[str, Any] = {}
    if schema["type"] == "definitions":
        by_ref = {definition["ref"]: definition for definition in schema["definitions"]}
    for node, below in _nodes(schema, by_ref, models, opened):
        kind = node["type"]
        if kind in _CHOICES:
            confuses = confuses or has_numbers(node)
        elif kind == "dict":
            has_sets = has_sets or _has_other_keys(node)
        elif kind not in _ALIKE:
            has_sets = has_sets or kind in _SETS
            fit = fit_of(node, by_ref)
            loose = loose or fit.loose
            wrong = wrong or fit.misfit
        alike = alike and kind in _ALIKE
        handing_on = handing_on or (below and is_read_otherwise(node))
        has_aliases = has_aliases or "validation_alias" in node
        own_names = own_names or is_written_by_name(node)
    traits = Traits(alike, confuses, has_sets, handing_on, has_aliases, own_names, loose, wrong)
    for model in models:
        if model != traits:
            traits = traits.joined(model)
    return traits if traits.misfit else _shared.setdefault(traits, traits)


_shared: dict[Traits, Traits] = {}
"""Each combination once: most tools have the same, and there are 128 at most."""


def _of_model(model: Any, opened: frozenset[Any]) -> Traits | None:
    """Return the traits of a model, as it is by itself; None if it must be walked here."""
    schema = model.__dict__.get("__pydantic_core_schema__")
    if model in opened or not is_object(schema):  # it holds itself, or is not complete yet
        return None
    entry = _models.get(model)
    if entry is None or entry[0] != id(schema):
        entry = _models[model] = id(schema), traits_of(schema, opened | {model})
    return entry[1]


_models: WeakKeyDictionary[Any, tuple[int, Traits]] = WeakKeyDictionary()
"""By model: the id of its core schema, as it may be rebuilt, and the traits of that."""


def _nodes(
    schema: Any, known: dict[str, Any], models: list[Traits], opened: frozenset[Any]
) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the nodes that strict validation of JSON goes through.

    Each comes with whether a validator of the author may already have changed the value. The traits
    of models whose values are unchanged are added to `models` instead.
    """
    visited: set[tuple[str, bool]] = set()
    todo: list[tuple[Any, bool]] = [(schema, False)]
    while todo:
        part, below = todo.pop()
        if is_object(part):
            kind = part.get("type")
            if not isinstance(kind, str):  # a map of names, such as a model's fields
                todo.extend((value, below) for value in part.values())
            elif kind == "definition-ref":
                place = (part["schema_ref"], below)
                if place not in visited and place[0] in known:
                    visited.add(place)
                    todo.append((known[place[0]], below))
            elif (
                kind == "model"
                and not below
                and (traits := _of_model(part["cls"], opened)) is not None
            ):
                models.append(traits)
            elif kind not in _EMPTY:
                yield part, below
                below = below or hands_on(part)
                todo.extend([(below_part, below) for below_part in _inside(part)])
        elif isinstance(part, list | tuple):
            todo.extend((member, below) for member in cast("list[Any]", part))


def _inside(node: dict[str, Any]) -> Iterable[Any]:
    branch = _BRANCHES.get(node["type"])
    if branch is not None:
        return (node[branch],)
    return [
        part for word, part in node.items() if part.__class__ in _HOLDERS and word not in _SKIPPED
    ]


def _has_other_keys(node: dict[str, Any]) -> bool:
    return node["type"] == "dict" and node.get("keys_schema", _TEXT)["type"] != "str"


_TEXT = {"type": "str"}
