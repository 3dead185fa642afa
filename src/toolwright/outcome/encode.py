"""Encode Python values as valid JSON; find what cannot be."""

from __future__ import annotations

import inspect
import marshal
import math
import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from itertools import chain, islice
from types import GeneratorType
from typing import Annotated, Any, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, SerializeAsAny
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, SchemaSerializer, ValidationError, to_json

from .._json_values import (
    MOST_ITEMS,
    check_ends,
    is_list,
    is_object,
    stored,
    stored_pairs,
    strict_json,
    without_surrogates,
)
from .._words import path_text, value_text
from ..content import Content, convert
from ..content.converters import (
    UnknownType,
    declared_attributes,
    is_missing,
    is_row,
    is_table,
    known_converter,
)
from ..errors import ResultError
from ..results import Result, is_block
from ..schema.core_schemas import own_serializer
from .cap import Cap

MOST_DIGITS = 4300
TOO_MANY_DIGITS = f"the result holds an integer of more than {MOST_DIGITS} digits"
MOST = 10**MOST_DIGITS
LEAST = -MOST
_AT_LEAST: frozenset[type] = frozenset((Ge, Gt))
_AT_MOST: frozenset[type] = frozenset((Le, Lt))
_NO_INTEGERS = frozenset((str, float, bool, bytes, type(None)))
_PLAIN = frozenset((int, *_NO_INTEGERS))
_CONTAINERS = frozenset((list, dict, tuple, set, frozenset))
_MEASURABLE = _PLAIN | _CONTAINERS
_LONG = len(marshal.dumps(MOST))
"""How many bytes `marshal` writes at least for an integer with too many digits."""
_MOST_MEASURED = 4
"""Down to this depth values are written to see their size, so each part at most this often."""
_PIECE = 64
_MOST_MODELS = 500
"""How many classes are remembered; a tool may make new ones all the time."""


def _is_short(value: Any, version: int = marshal.version) -> bool:
    """Return whether a container of plain types is too short to hold a long integer.

    `marshal` takes 10 ns for each value inside, where a walk in Python takes 150; it takes linear
    time for integers, and refuses instances of other classes.
    """
    try:
        return len(value) < _LONG and len(marshal.dumps(value, version)) < _LONG
    except ValueError:
        return False


def _has_short(held: dict[str, Any], names: tuple[str, ...]) -> bool:
    """Return whether these fields are nothing but short integers, which can be seen at once."""
    for name in names:
        value: Any = held.get(name)
        if value.__class__ is not int or not LEAST < value < MOST:
            return False
    return True


class IntegerCheck:
    """Walks values, and remembers which fields of models can hold integers."""

    def __init__(self) -> None:
        self.fields: dict[type[BaseModel], tuple[str, ...]] = {}

    def check(self, value: Any) -> None:
        """Refuse integers that readers of JSON refuse: writing them takes quadratic time.

        Raises `ResultError`. A field of a model is trusted not to hold a long integer if its hint
        admits none.
        """
        kind: type[Any] = value.__class__
        if (kind in _CONTAINERS and _is_short(value)) or (
            kind in self.fields and _has_short(value.__dict__, self.fields[kind])
        ):
            return
        level = self._unknown((value,), 0)
        entered: set[int] = set()
        depth = 1
        while level:
            below: list[Any] = []
            for container in level:
                if id(container) not in entered:
                    entered.add(id(container))
                    below += self._unknown(self._parts(container, depth), depth)
            level = below
            depth += 1

    def _unknown(self, parts: Iterable[Any], depth: int) -> list[Any]:
        """Return the parts that may hold long integers inside. Raises `ResultError`."""
        unmeasured: list[Any] = []
        fields = self.fields
        for part in parts:
            kind: type[Any] = part.__class__
            # Fields of models right away: most large results are lists of models.
            values = [part] if kind not in fields else map(part.__dict__.get, fields[kind])
            for member in values:
                cls: type[Any] = member.__class__
                if cls is int:
                    if not LEAST < member < MOST:
                        raise ResultError(TOO_MANY_DIGITS)
                elif cls not in _NO_INTEGERS and not (
                    cls in _CONTAINERS and 0 < depth < _MOST_MEASURED and _is_short(member)
                ):
                    unmeasured.append(member)
        return unmeasured

    def _parts(self, value: Any, depth: int) -> Iterable[Any]:
        """Return the parts of a value that are written."""
        check_ends(value)
        if isinstance(value, list | tuple | set | frozenset | deque):
            return _measured(stored(value), depth)
        if isinstance(value, dict):
            return _measured([*chain.from_iterable(stored_pairs(cast("Any", value)))], depth)
        if isinstance(value, BaseModel):
            if value.__pydantic_extra__ is None:
                self._learn(value.__class__)
            return (*value.__dict__.values(), *(value.__pydantic_extra__ or {}).values())
        return _others(value)

    def _learn(self, model: type[BaseModel]) -> None:
        if len(self.fields) >= _MOST_MODELS:
            self.fields.clear()
        self.fields[model] = tuple(
            name
            for name, field in model.__pydantic_fields__.items()
            if _field_may(field, frozenset((model,)))
        )


def _measured(items: Iterable[Any], depth: int) -> Iterable[Any]:
    """Return items without pieces that are short; return all if they are few or deeply nested."""
    if depth > _MOST_MEASURED:
        return items
    listed = list(items)
    return _long_items(listed) if len(listed) > _PIECE else listed


def _long_items(items: list[Any]) -> Iterator[Any]:
    size, start = _PIECE, 0
    while start < len(items):
        if size == 1 or items[start].__class__ not in _MEASURABLE:
            yield items[start]
            start += 1
            continue
        piece = items[start : start + size]
        start += size
        # A piece holds its items a second time, and `marshal` remembers what is held twice, which
        # takes five times as long. It must only for containers: they may hold themselves.
        is_simple = _PLAIN.issuperset(map(type, piece))
        if not _is_short(piece, 2 if is_simple else marshal.version):
            size //= 4  # so that pieces of items as long as these are short
            yield from piece


def _others(value: Any) -> Iterable[Any]:
    if isinstance(value, int):  # of a subclass
        return (int(value),)
    if isinstance(value, Fraction):
        return value.numerator, value.denominator
    if isinstance(value, Enum):
        return (value.value,)
    # Of the class: an object may have an answer for every name (a builder of queries has).
    names: Any = getattr(cast("type[Any]", type(value)), "__dataclass_fields__", ())
    return [getattr(value, name, None) for name in names]  # also of a class with slots


def _may_hold_integers(hint: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Return whether a hint's values, as written, can hold integers; True if in doubt."""
    if get_origin(hint) is Annotated:
        return _may_hold_integers(get_args(hint)[0], seen)
    if isinstance(hint, type):
        if hint in _NO_INTEGERS:
            return False
        if issubclass(hint, BaseModel):
            if hint in seen or hint.model_config.get("extra") == "allow":
                return True
            return any(
                _field_may(field, seen | {hint}) for field in hint.__pydantic_fields__.values()
            )
    arguments = [argument for argument in get_args(hint) if argument is not Ellipsis]
    return not arguments or any(_may_hold_integers(argument, seen) for argument in arguments)


def _field_may(field: FieldInfo, seen: frozenset[Any]) -> bool:
    kinds = {constraint.__class__ for constraint in field.metadata}
    if kinds & _AT_LEAST and kinds & _AT_MOST:
        return False
    # With `SerializeAsAny`, subclasses are written with all of their fields.
    return SerializeAsAny in kinds or _may_hold_integers(field.annotation, seen)


_MOST_SEARCHED = 10_000
"""How many parts of a value are looked at."""
_SIMPLE = frozenset((int, float, bool, type(None)))


def unwritable(value: Any, unknown: Any) -> ResultError:
    """Return the error for a part of a value whose type is not known."""
    path = _path_to(value, unknown)
    where = f"{path_text(path)} is" if path else "it is"
    cls: type[Any] = unknown.__class__
    if inspect.iscoroutine(unknown):
        unknown.close()  # Python would warn of it, too
        return ResultError(
            f"the result cannot be written as JSON: {where} a coroutine", hint="await it"
        )
    name = f"{cls.__module__.split('.', 1)[0]}.{cls.__name__}"
    return ResultError(
        f"the result cannot be written as JSON: {where} of the type {cls.__name__}",
        hint=f'return other values, or convert it with @converter("{name}")',
    )


def _path_to(value: Any, wanted: Any) -> tuple[str | int, ...]:
    """Return where a part is inside a value; empty if it is not found soon.

    Parts are visited in the order in which they are written, so that what comes after the wanted
    one is not looked at.
    """
    path: list[str | int] = []
    levels = [iter(_parts(value))]
    for _ in range(_MOST_SEARCHED):
        while (next_part := next(levels[-1], None)) is None:
            levels.pop()
            if not levels:
                return ()
        step, part = next_part
        path[len(levels) - 1 :] = [step]
        if part is wanted:
            return tuple(path)
        levels.append(iter(_parts(part)))
    return ()


def _parts(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the parts of a value that are written.

    Not everything it refers to: a module or a logger leads to everything in the process.
    """
    if isinstance(value, str | bytes):
        return ()
    if isinstance(value, Mapping):
        return _named(cast("Mapping[Any, Any]", value))
    if isinstance(value, list | tuple | set | frozenset | deque):
        return enumerate(stored(value))
    if isinstance(value, BaseModel):
        return _named({**value.__dict__, **(value.__pydantic_extra__ or {})})
    if known_converter(value) is vars:
        return _named(cast("dict[str, Any]", vars(value)))
    cls: type[Any] = value.__class__
    attrs: Any = getattr(cls, "__attrs_attrs__", ())
    names = [*getattr(cls, "__dataclass_fields__", ()), *(attribute.name for attribute in attrs)]
    if names:
        return ((name, getattr(value, name, None)) for name in names)
    return _named(declared_attributes(value))


def _named(members: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, member in members.items():
        if isinstance(key, str):
            yield key, member
        else:
            yield value_text(key) if key.__class__ in _SIMPLE else type(key).__name__, member


# A string, which may hold any digits, or an integer that readers of JSON refuse.
# Possessive: the engine must not keep a state for each character of a long string.
_NUMBER = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|(\d++)')
_DIGITS_ONLY = bytes(ord("0") if 48 <= each <= 57 else 32 for each in range(256))
_NEEDED: Mapping[str, frozenset[str]] = {
    "text": frozenset(("text",)),
    "image": frozenset(("data", "mimeType")),
    "audio": frozenset(("data", "mimeType")),
    "resource": frozenset(("resource",)),
    "resource_link": frozenset(("uri", "name")),
}


_LEAVES = frozenset((int, float, str, bool, type(None)))


class Lifter:
    """Takes content out of a value, and says in its place which block it became."""

    def __init__(self, cap: Cap | None) -> None:
        self.cap = cap
        self.blocks: list[dict[str, Any]] = []
        self.size = 0

    def lifted(self, value: Any) -> Any:
        """Call `lift`, but return a value that contains itself as it is: writing it says so."""
        try:
            return self.lift(value)
        except RecursionError:
            return value

    def lift(self, value: Any) -> Any:
        """Replace content inside a value by its place among the blocks. Raises `ResultError`."""
        if value.__class__ in _LEAVES:
            return value
        if is_object(value):
            lifted_members: dict[Any, Any] = {}
            for key, item in stored_pairs(value):
                if item.__class__ not in _LEAVES and (lifted := self.lift(item)) is not item:
                    lifted_members[key] = lifted
            return dict(stored_pairs(value)) | lifted_members if lifted_members else value
        if isinstance(value, list | tuple):
            return self._lifted_items(cast("list[Any] | tuple[Any, ...]", value))
        if isinstance(value, GeneratorType):
            return self.lift(self._items(cast("GeneratorType[Any, None, None]", value)))
        if is_missing(value):
            return None
        place = self.place_of(value)
        if place is not None:
            return place
        serializer = own_serializer(value.__class__)
        if serializer is not None:
            return self.lift(serializer.to_python(value, by_alias=True, warnings=False))
        return Opaque(value) if _answers_every_name(value) else value

    def _lifted_items(self, value: list[Any] | tuple[Any, ...]) -> Any:
        if _LEAVES.issuperset(map(type, stored(value))):
            return value
        items = [self.lift(item) for item in stored(value)]
        same = all(a is b for a, b in zip(items, stored(value), strict=True))
        return value if same else items

    def _items(self, generator: Iterable[Any]) -> list[Any]:
        """Return the items of a generator inside a value. Raises `ResultError`."""
        # An item takes a digit and a comma at least; pydantic would write an endless one forever.
        most = MOST_ITEMS if self.cap is None else self.cap.most // 2
        items = list(islice(generator, most + 1))
        if len(items) > most:
            hint = "" if self.cap is None else self.cap.hint
            raise ResultError(f"a generator inside it has more than {most} items", hint=hint)
        return items

    def place_of(self, value: Any) -> str | None:
        """Take one piece of content out; return what stands in its place."""
        if isinstance(value, Content):
            # Before a file is read: what cannot be sent need not be held.
            self.size += value.size
            if self.cap is not None:
                self.cap.check_binary(self.size)
        blocks = blocks_of(value)
        if blocks is None:
            return None
        self.blocks.extend(blocks)
        return f"[{blocks[0]['type']} {len(self.blocks)}]"


class Opaque:
    """Stands for an object that pydantic must not ask for names: it would take any answer."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _answers_every_name(value: Any) -> bool:
    """Return whether an object has a value for every name: builders of queries do."""
    kind = cast("type[Any]", type(value))
    if hasattr(kind, "__pydantic_serializer__") or not hasattr(kind, "__getattr__"):
        return False
    answer = getattr(value, "__pydantic_serializer__", None)
    return answer is not None and not isinstance(answer, SchemaSerializer)


_dict_values = dict[Any, Any].values  # looked up once: this is on the way of every result


def holds(value: Any, is_wanted: Callable[[Any], bool]) -> bool:
    """Return whether a value, or one inside its lists and dicts, is wanted."""
    todo: list[Any] = [value]
    entered: set[int] = set()
    while todo:
        part = todo.pop()
        if part.__class__ in _LEAVES or id(part) in entered:
            continue
        if is_object(part) or is_list(part):
            entered.add(id(part))
            # Not what a subclass gives out, which may never end.
            todo += _dict_values(part) if is_object(part) else stored(part)
        elif is_wanted(part):
            return True
    return False


def is_own_text(value: Any, body: bytes) -> bool:
    """Return whether the JSON of a value is the text that its class writes, not a known form."""
    if body[:1] != b'"' or isinstance(value, os.PathLike) or known_converter(value) is not None:
        return False
    try:
        to_json(value)
    except PydanticSerializationError:
        return True
    return False


def write(
    value: Any,
    cap: Cap | None = None,
    *,
    rows_as_lists: bool = False,
    built: Collection[type] = (),
) -> tuple[bytes, list[dict[str, Any]]]:
    """Write a value; return its JSON and the content found inside it, as blocks.

    Objects of the classes in `built` are written by their attributes. The cap is checked before content, or the rows of a table, are read. Raises `ResultError`.
    """
    IntegerCheck().check(value)
    lifter = Lifter(cap)
    original, value = value, lifter.lifted(value)
    refused: list[ResultError] = []

    def fallback(unknown: Any) -> Any:
        is_opaque = isinstance(unknown, Opaque)
        unknown = unknown.value if is_opaque else unknown
        try:
            place = lifter.place_of(unknown)
            if cap is not None:
                cap.check_table(unknown)
        except ResultError as error:
            refused.append(error)
            raise
        try:
            return place or convert(unknown, rows_as_lists=rows_as_lists, built=built)
        except UnknownType:
            refused.append(unwritable(original if is_opaque else value, unknown))
            raise

    try:
        body = to_json(
            value, by_alias=True, bytes_mode="base64", inf_nan_mode="constants", fallback=fallback
        )
    except MemoryError:
        raise
    except Exception as error:
        if refused:
            raise refused[0] from None
        text = str(error)
        if "surrogates" in text and (cleaned := without_surrogates(value)) is not value:
            return write(cleaned, cap, rows_as_lists=rows_as_lists, built=built)
        raise ResultError(f"the result cannot be written as JSON: {_reason(text)}") from error
    if (b"NaN" in body or b"Infinity" in body) and not _is_json(body):
        raise ResultError("the result holds a number that is not finite")
    check_digits(body)
    return body, lifter.blocks


def write_checked(value: Any, validator: Any, cap: Cap) -> tuple[Any, list[dict[str, Any]]]:
    """Validate the JSON of a value; return it with the content that was inside.

    Raises `ResultError`, and `ValidationError`.
    """
    body, lifted = write(value, cap)
    try:
        return validator.validate_json(body, strict=True), lifted
    except ValidationError:
        if not holds(value, is_row):
            raise
    # The type may want the row of a query as a tuple.
    body, lifted = write(value, cap, rows_as_lists=True)
    return validator.validate_json(body, strict=True), lifted


def _reason(text: str) -> str:
    """Return why a value could not be written, from what the library says about it."""
    reason = text.split("\n", 1)[0].rsplit("Error: ", 1)[-1].removesuffix(" (id repeated)")
    if "ircular" in reason or reason.endswith("cannot be written as JSON"):
        return reason
    return "its own code failed while it was read"  # and what it said is not for everyone


def check_digits(body: bytes) -> None:
    """Refuse integers that readers of JSON refuse. Raises `ResultError`."""
    if len(body) <= MOST_DIGITS or b"0" * (MOST_DIGITS + 1) not in body.translate(_DIGITS_ONLY):
        return
    if any(len(number[1] or b"") > MOST_DIGITS for number in _NUMBER.finditer(body)):
        raise ResultError(TOO_MANY_DIGITS)


def blocks_of(value: Any) -> list[dict[str, Any]] | None:
    """Return the blocks of our content or of the protocol's types; None for other values."""
    if isinstance(value, Content):
        return value.blocks()
    if isinstance(value, Result):
        return value.content
    if isinstance(value, BaseModel):
        dumped = _protocol_block(value)
        return None if dumped is None else [dumped]
    if known_converter(value) is not None and not is_table(value):
        content = convert(value)
        return content.blocks() if isinstance(content, Content) else None
    return None


def is_lifted(value: Any) -> bool:
    """Return whether a value makes blocks, may never end, or names its fields in its own way.

    No file is read for that.
    """
    if (
        isinstance(value, Content | Result | GeneratorType)
        or own_serializer(value.__class__) is not None
    ):
        return True
    if isinstance(value, BaseModel):
        return _protocol_block(value) is not None
    if known_converter(value) is None or is_table(value):
        return False
    return isinstance(convert(value), Content)


def block_dict(value: Any) -> list[dict[str, Any]] | None:
    """Return a dict that is a content block, in a list; None if it is not one."""
    if not is_object(value) or "type" not in value or not is_block(value):
        return None
    return [dict(value)] if _NEEDED[value["type"]] <= value.keys() else None


def size_of(block: Mapping[str, Any]) -> int:
    """Return how large the binary part of a block is."""
    resource = block.get("resource")
    data = resource.get("blob") if is_object(resource) else block.get("data")
    return len(data) if isinstance(data, str) else 0


def _protocol_block(value: BaseModel) -> dict[str, Any] | None:
    if type(value).__module__.split(".", 1)[0] not in ("mcp", "mcp_types"):
        return None
    dumped = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped if is_block(dumped) else None


def not_finite(value: Any, place: str, entered: frozenset[int] = frozenset()) -> str:
    """Return the place of a number that is not finite; empty if there is none."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else place
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        items = [(f"{place}.{key}", item) for key, item in members.items()]
    elif isinstance(value, list | tuple | set | frozenset):
        items = [(f"{place}[{index}]", item) for index, item in enumerate(cast("Any", value))]
    else:
        return ""
    entered |= {id(cast("object", value))}
    for where, item in items:
        if id(item) not in entered and (problem := not_finite(item, where, entered)):
            return problem
    return ""


def _is_json(body: bytes) -> bool:
    try:
        strict_json(body)
    except ValueError:
        return False
    return True


__all__ = [
    "blocks_of",
    "check_digits",
    "not_finite",
    "write",
]
