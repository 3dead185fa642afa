"""JSON values: their kinds, compact writing, strict reading, lone surrogates."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeGuard, cast

JsonObject = dict[str, Any]
MOST_ITEMS = 10_000_000
_BUILT_IN: tuple[type[Any], ...] = (list, tuple, dict, set, frozenset, deque)


def is_object(value: Any) -> TypeGuard[JsonObject]:
    """Return whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a JSON array."""
    return isinstance(value, list)


def kind_of(value: Any) -> str:
    """Return the kind of a JSON value; `number` is one that is no integer, as 1.0 is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    return "array" if isinstance(value, list | tuple) else "object"


class NoEnd(ValueError):
    """A collection has more items than its length says, or than any result may have."""


_dict_items = dict[Any, Any].items  # looked up once: this is on the way of every result


def stored(container: Any) -> Iterator[Any]:
    """Iterate over what a built-in container, or one of a subclass, holds: that is written.

    The `__iter__` of a subclass may give something else, and may never end.
    """
    kind_of_container: type[Any] = container.__class__
    if kind_of_container not in _BUILT_IN:
        kind_of_container = next(kind for kind in _BUILT_IN if isinstance(container, kind))
    return kind_of_container.__iter__(container)


def stored_pairs(container: dict[Any, Any]) -> Iterable[tuple[Any, Any]]:
    """Return what a dict, or one of a subclass, holds."""
    return _dict_items(container)


def check_ends(container: Any) -> None:
    """Refuse a set, deque or dict of a subclass that gives more items than its length.

    Writers of JSON iterate over these as their class says. Raises `NoEnd`.
    """
    own_kind: type[Any] = container.__class__
    if own_kind in _BUILT_IN:
        return
    kind = next((kind for kind in _BUILT_IN if isinstance(container, kind)), None)
    if kind in (None, list, tuple):
        return
    for name in ("__iter__", "keys", "items", "values"):
        iterate = getattr(own_kind, name, None)
        if iterate is not getattr(kind, name, None) and iterate is not None:
            deque(bounded(container, iterate(container)), maxlen=0)


def bounded(collection: Collection[Any], items: Iterable[Any] | None = None) -> Iterator[Any]:
    """Yield the items of a collection, at most as many as it says to have. Raises `NoEnd`."""
    size = len(collection)
    if size > MOST_ITEMS:
        raise NoEnd(f"the result has a {type(collection).__name__} of {size:,} items")
    iterator = iter(collection if items is None else items)
    yield from islice(iterator, size)
    for _ in iterator:
        raise NoEnd(f"the result has a {type(collection).__name__} with more items than its length")


def bounded_pairs(mapping: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the keys and values of a mapping, as `bounded` does."""
    if isinstance(mapping, dict):
        return iter(stored_pairs(mapping))
    return ((key, mapping[key]) for key in bounded(mapping))


def depth_of(value: Any) -> int:
    """Return how deeply a JSON value is nested."""
    deepest = 0
    waiting: list[tuple[Any, int]] = [(value, 1)]
    while waiting:
        container, depth = waiting.pop()
        deepest = max(deepest, depth)
        if is_object(container):
            waiting.extend((member, depth + 1) for member in container.values())
        elif is_list(container):
            waiting.extend((member, depth + 1) for member in container)
    return deepest


def compact_json(value: Any) -> bytes:
    """Write a JSON value without spaces, as UTF-8. Raises `ValueError` for NaN and infinities."""
    return _ENCODER.encode(value).encode()


def canonical_json(value: Any) -> bytes:
    """Write a value so that what JSON Schema calls equal is written alike: 1 and 1.0, any order."""
    return _ENCODER.encode(_plain(value)).encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if is_object(value):
        return {key: _plain(value[key]) for key in sorted(value)}
    return [_plain(item) for item in value] if is_list(value) else value


def strict_json(text: str | bytes, *, unique: bool = False) -> Any:
    """Read JSON. Raises `ValueError`, also for NaN and infinities, which Python would read.

    With `unique`, also for an object that has a key twice.
    """
    if not isinstance(text, str):
        text = text.decode(json.detect_encoding(text), "surrogatepass")  # as json.loads does
    return (_UNIQUE_DECODER if unique else _DECODER).decode(text)


class RepeatedKey(ValueError):
    """An object has one key twice: readers differ in which of the values counts."""


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of a parser, as its `object_pairs_hook`. Raises `RepeatedKey`."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise RepeatedKey(f"`{key[:80]}` is in one object twice")
        members[key] = value
    return members


def _refuse_constant(constant: str) -> Any:
    msg = f"{constant} is not JSON"
    raise ValueError(msg)


# Made once: json.dumps and json.loads make one at each call that has options.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_UNIQUE_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=unique_keys)


def without_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which UTF-8 cannot hold, with U+FFFD, also inside containers."""
    if value.__class__ is str and value.isascii():
        return value  # like almost all texts
    try:
        return _clean(value)
    except RecursionError:
        return value  # it contains itself: writing it reports that


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value if is_utf8(value) else "".join(map(_replaced, value))
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {_clean(key): _clean(item) for key, item in bounded_pairs(members)}
    if is_list(value) or isinstance(value, tuple | set | frozenset):
        return [_clean(item) for item in stored(value)]
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, os.PathLike):
        return _clean(os.fspath(cast("os.PathLike[str]", value)))
    fields: Any = getattr(value, "__dataclass_fields__", None)
    if fields is not None and not isinstance(value, type):
        return _clean({str(name): getattr(value, str(name)) for name in fields})
    return _clean(dict(cast("Any", value))) if _is_model(value) else cast("Any", value)


def is_utf8(text: str) -> bool:
    """Return whether a text has no lone surrogate, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _replaced(char: str) -> str:
    return "\ufffd" if "\ud800" <= char <= "\udfff" else char


def _is_model(value: Any) -> bool:
    from pydantic import BaseModel  # slow to import, and only odd values get here

    return isinstance(value, BaseModel)
