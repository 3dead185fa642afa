"""Undoes a dialect's changes to arguments, in linear time without recursion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .._json_values import JsonObject, is_list, is_object, strict_json

JSON_KEY = "json"
"""The property that holds a value as JSON text."""
_ABSENT: Any = object()


class Todo(list[tuple[Any, Any, Any, "Codec"]]):
    """The values that are left to decode, each with where it goes."""


class Codec(Protocol):
    """Undoes one change. A value of the wrong shape is left for the tool to refuse."""

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return a value without the change; what is inside it is added to `todo`."""
        ...


def decoded(value: Any, codec: Codec | None) -> Any:
    """Return arguments as the tool itself takes them."""
    if codec is None:
        return value
    todo = Todo()
    result = codec.decode(value, todo)
    while todo:
        holder, key, encoded, codec_of_part = todo.pop()
        holder[key] = codec_of_part.decode(encoded, todo)
    return result


@dataclass(slots=True)
class PublishedField:
    """One property as it is published."""

    name: str
    """Its own name."""
    codec: Codec | None = None
    drops_null: bool = False
    """Whether null means that it was left out."""


@dataclass(slots=True)
class PublishedFields:
    """Properties that were renamed, made nullable, or changed inside."""

    fields: Mapping[str, PublishedField]
    others: str = ""
    """The property that holds all others."""
    spread: Codec | None = None
    """What undoes the change of that property."""
    inner: Codec | None = None
    """What undoes the change of properties that nobody named."""

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return the object under its own names."""
        if not is_object(value):
            return value
        result: JsonObject = {}
        for key, item in value.items():
            published = self.fields.get(key)
            if published is not None:
                if item is None and published.drops_null:
                    continue
                _put(result, published.name, item, published.codec, todo)
            elif key == self.others and self.others:
                continue
            else:
                _put(result, key, item, self.inner, todo)
        if self.others and self.others in value:
            self._spread(result, value[self.others], todo)
        return result

    def _spread(self, made: JsonObject, given: Any, todo: Todo) -> None:
        if given is None:
            return
        pending = Todo()
        further = self.spread.decode(given, pending) if self.spread is not None else given
        if not is_object(further) or further.keys() & made.keys():
            made[self.others] = given  # the tool says what is wrong with it
            return
        made.update(further)
        todo.extend(
            (made if holder is further else holder, key, item, codec)
            for holder, key, item, codec in pending
        )


@dataclass(slots=True)
class Items:
    """Items that were changed inside."""

    item: Codec

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return the list; its items are added to `todo`."""
        if not is_list(value):
            return value
        items = list(value)
        todo.extend((items, index, item, self.item) for index, item in enumerate(value))
        return items


@dataclass(slots=True)
class Pairs:
    """An object that was published as an array of keys and values."""

    item: Codec | None = None

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return the object; a list that repeats a key with another value stays a list."""
        if is_object(value):  # a model that sent what the tool itself takes
            entries = value
        elif is_list(value):
            entries = _of_pairs(value)
            if entries is None:
                return value
        else:
            return value
        result: JsonObject = {}
        for key, item in entries.items():
            _put(result, key, item, self.item, todo)
        return result


def _of_pairs(pairs: list[Any]) -> JsonObject | None:
    entries: JsonObject = {}
    for pair in pairs:
        if not is_object(pair) or pair.keys() != {"key", "value"}:
            return None
        key, value = pair["key"], pair["value"]
        if not isinstance(key, str):
            return None
        if key in entries and not _is_same(entries[key], value):
            return None
        entries[key] = value
    return entries


def _is_same(one: Any, other: Any) -> bool:
    scalar = isinstance(one, str | int | float | bool | None)
    return scalar and type(one) is type(other) and one == other


@dataclass(slots=True)
class Positions:
    """A list that was published as an object, one property for each position."""

    names: Sequence[str]
    codecs: Sequence[Codec | None]
    needed: int = 0
    """How many positions there always are; of the others, null means the end."""
    rest: str = ""
    """The property that holds the items after the positions."""
    rest_codec: Codec | None = None

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return the list."""
        if is_list(value):  # a model that sent what the tool itself takes
            positions = value
        elif is_object(value):
            listed = self._listed(value)
            if listed is None:
                return value
            positions = listed
        else:
            return value
        items: list[Any] = list(positions)
        for index, item in enumerate(positions):
            codec = self.codecs[index] if index < len(self.codecs) else self.rest_codec
            if codec is not None:
                todo.append((items, index, item, codec))
        return items

    def _listed(self, value: JsonObject) -> list[Any] | None:
        names = {*self.names, self.rest} if self.rest else set(self.names)
        if not value.keys() <= names:
            return None
        positions = [value.get(name, _ABSENT) for name in self.names]
        behind: Any = value.get(self.rest) if self.rest else None
        if behind is None:
            behind = []
        if not is_list(behind):
            return None
        while not behind and len(positions) > self.needed and positions[-1] in (_ABSENT, None):
            positions.pop()
        if any(item is _ABSENT for item in positions):
            return None
        return [*positions, *behind]


@dataclass(slots=True)
class Wrapped:
    """Arguments that were put inside one property, since their root is a union."""

    name: str
    codec: Codec | None

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return what is inside."""
        if is_object(value) and value.keys() == {self.name} and is_object(value[self.name]):
            value = value[self.name]
        return value if self.codec is None else self.codec.decode(value, todo)


@dataclass(slots=True)
class JsonText:
    """A value that was published as JSON text inside an object."""

    codec: Codec | None = None

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return what the text says; text that is not JSON is left as it is."""
        if is_object(value) and value.keys() == {JSON_KEY} and isinstance(value[JSON_KEY], str):
            try:
                value = strict_json(value[JSON_KEY])
            except (ValueError, RecursionError):
                return value
        return value if self.codec is None else self.codec.decode(value, todo)


@dataclass(slots=True)
class NamedCodec:
    """What undoes the changes of a definition, which may contain itself."""

    name: str
    known: Mapping[str, Codec | None] = field(repr=False, compare=False)

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return the value as the definition has it."""
        codec = self.known.get(self.name)
        return value if codec is None else codec.decode(value, todo)


@dataclass(slots=True)
class Boxes:
    """A union of branches that could not be told apart, each in an object of its own."""

    boxes: Mapping[str, Codec | None]

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return what is in the box."""
        if not is_object(value) or len(value) != 1:
            return value
        [(name, content)] = value.items()
        if name not in self.boxes:
            return value
        codec = self.boxes[name]
        return content if codec is None else codec.decode(content, todo)


@dataclass(slots=True)
class Branch:
    """How the objects of one branch of a union are recognised."""

    keys: frozenset[str]
    required: frozenset[str]
    closed: bool
    tags: Mapping[str, frozenset[Any]]
    codec: Codec | None = field(compare=False)

    def fits(self, value: JsonObject) -> bool:
        """Return whether an object looks like one of this branch."""
        if not self.required <= value.keys() or (self.closed and not value.keys() <= self.keys):
            return False
        return all(tag(value.get(key)) in tags for key, tags in self.tags.items() if key in value)


def tag(value: Any) -> Any:
    """Return the key by which a value tells branches apart: true is not 1."""
    scalar = isinstance(value, str | int | float | bool | None)
    return (isinstance(value, bool), value) if scalar else _ABSENT


@dataclass(slots=True)
class Union:
    """Branches that are recognised by the JSON type, or the keys, of what arrives."""

    array: Codec | None = None
    objects: Sequence[Branch] = ()

    def decode(self, value: Any, todo: Todo) -> Any:
        """Return the value as its branch has it."""
        if is_list(value):
            return value if self.array is None else self.array.decode(value, todo)
        if is_object(value):
            branch = self._branch(value)
            if branch is not None and branch.codec is not None:
                return branch.codec.decode(value, todo)
        return value

    def _branch(self, value: JsonObject) -> Branch | None:
        if len(self.objects) == 1:
            return self.objects[0]
        return next((branch for branch in self.objects if branch.fits(value)), None)


def _put(made: JsonObject, key: str, item: Any, codec: Codec | None, todo: Todo) -> None:
    made[key] = item
    if codec is not None:
        todo.append((made, key, item, codec))
