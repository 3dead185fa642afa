"""One probe: a target, and what must come of it."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

UNCHECKED: Any = object()


@dataclass(frozen=True, kw_only=True)
class Case:
    """What must come of one target. What is not given must be empty: no problem, no output."""

    id: str
    target: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    properties: Mapping[str, Any] | None = None
    """The exact properties of the input schema."""
    required: Sequence[str] = ()
    extra: Any = False
    """The exact `additionalProperties` of the input schema."""
    definitions: Mapping[str, Any] = field(default_factory=dict)
    output: Any = None
    """The exact bare output schema."""
    description: Any = UNCHECKED
    bind: Iterable[tuple[Any, Any]] = ()
    """Arguments that the schema allows, and the keyword arguments (or positional and keyword
    arguments) they become."""
    unsaid: Iterable[tuple[Any, Any]] = ()
    """The same, for arguments that are taken although the schema does not mention them."""
    rejects: Iterable[Any] = ()
    """Arguments that strict validation refuses."""
    refused: str = ""
    """What the SchemaError says, if there must be one."""
    problems: Sequence[str] = ()
    """What each line of `Tool.problems` says, in order."""
    titles: bool = False
    """The author wrote titles."""


def collect(into: list[Case]) -> Callable[..., Any]:
    """Return a decorator that makes a case of a target and adds it to a list."""

    def probe(id: str, **expected: Any) -> Callable[[Any], Any]:
        def add(target: Any) -> Any:
            into.append(Case(id=id, target=target, **expected))
            return target

        return add

    return probe


def covers(*ids: str) -> Callable[[Any], Any]:
    """Say which probes a test of its own takes care of."""
    assert ids
    return lambda test: test


class Like(dict):
    """Equal to every dict that has these keys with these values, and maybe others."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, dict) and all(
            key in other and other[key] == value for key, value in self.items()
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


class Text(str):
    """Equal to every string that contains this one, in capitals or not."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.lower() in other.lower()

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class OneWay(dict):
    """Equal to this schema, and to every union that has it as an arm."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, dict):
            return False
        return any(dict.__eq__(self, arm) for arm in (other, *other.get("anyOf", ())))

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


def same(got: Any, wanted: Any) -> bool:
    """Equal, and of the same types all the way: 1 is not True is not 1.0."""
    if type(got) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(same(got[k], v) for k, v in wanted.items())
    if isinstance(wanted, list | tuple):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(wanted, float) and math.isnan(wanted):
        return math.isnan(got)
    return got is wanted or got == wanted


def fits(target: Any, positional: list[Any], named: dict[str, Any]) -> bool:
    """Return whether a target can be called with these arguments, without calling it."""
    try:
        signature = inspect.signature(target)
    except ValueError:  # built in, and not saying
        return True
    try:
        signature.bind(*positional, **named)
    except TypeError:
        return False
    return True


STR = {"type": "string"}
INT = {"type": "integer"}
NUM = {"type": "number"}
BOOL = {"type": "boolean"}
NULL = {"type": "null"}
ANY_ITEM = {"type": ["string", "number", "boolean", "object", "array", "null"]}
ANY = {
    "anyOf": [STR, NUM, BOOL, {"type": "object"}, {"type": "array", "items": ANY_ITEM}, NULL],
}
MAP = {"type": "object", "additionalProperties": True}
BYTES = {"type": "string", "contentEncoding": "base64"}
BYTES_OUT = {"type": "string", "contentEncoding": "base64url"}
DATETIME = {"type": "string", "description": "ISO 8601 date and time"}
DURATION = {"type": "string", "description": "ISO 8601 duration"}
DATE = {"type": "string", "format": "date"}
PATH = {"type": "string", "format": "path"}
UUID_ = {"type": "string", "format": "uuid"}
# A number, or text of one: its pattern has look-around, so it is said in words.
DECIMAL = {"anyOf": [NUM, Like({"type": "string"})]}


def array(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def obj(properties: Any, required: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    made = {"type": "object", "properties": properties, **more}
    return {**made, "required": list(required)} if required else made


def enum(*values: Any, **more: Any) -> dict[str, Any]:
    kinds = {str: "string", int: "integer", bool: "boolean"}
    found = {kinds[type(value)] for value in values if value is not None}
    kind = {"type": found.pop()} if len(found) == 1 and None not in values else {}
    return {**kind, "enum": list(values), **more}
