"""The size of arguments, and a sample to explain faults by."""

from __future__ import annotations

import contextlib
import gc
import marshal
import threading
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from .._json_values import is_list, is_object

if TYPE_CHECKING:  # a server that starts from a lock needs no schemas yet
    from .shape import Shape

LARGE = 64 * 1024
"""Arguments of more bytes than this are not read on an event loop."""
_VALUE = 16
"""The fewest bytes that a value counts for: values take time to read, not characters."""
_FEW_VALUES = LARGE // _VALUE
_FEW, _SHORT = 16, 2048
_SMALL = frozenset((int, float, bool, type(None)))
_MOST_ITEMS = 20
"""How many items of a list, and unknown keys of an object, a sample has."""
_MOST_SAMPLED = 2000


def is_large(arguments: Any) -> bool:
    """Return whether reading arguments may take milliseconds; stop counting when sure."""
    if arguments.__class__ is dict and len(arguments) <= _FEW:
        for value in arguments.values():
            kind = value.__class__
            if kind not in _SMALL and (kind is not str or len(value) > _SHORT):
                break
        else:
            return False  # as almost all are
        # Each value takes at least a byte, and this is many times faster than counting. Shared
        # objects are written once: JSON from outside shares nothing but short texts.
        try:
            is_short = len(marshal.dumps(arguments)) <= _FEW_VALUES
        except ValueError:  # not all of it is plain JSON
            is_short = False
        if is_short:
            return False
    return _takes_long(arguments)


def _takes_long(arguments: Any) -> bool:
    if isinstance(arguments, str | bytes):
        return len(arguments) > LARGE
    if not isinstance(arguments, Mapping):
        return False
    bytes_left = LARGE
    todo: list[Any] = [arguments]
    while todo and bytes_left > 0:
        value = todo.pop()
        if is_list(value):
            bytes_left -= _VALUE * len(value)
            if bytes_left > 0:
                todo += value
        elif is_object(value):
            bytes_left -= 2 * _VALUE * len(value)
            if bytes_left > 0:
                todo += value
                todo += value.values()
        elif isinstance(value, str):
            bytes_left -= len(value)
        elif value.__class__ is int:
            bytes_left -= value.bit_length() >> 3
    return bytes_left <= 0


def parsed(body: bytes) -> Any:
    """Parse a message. Raises `ValueError`."""
    if len(body) <= LARGE:
        return from_json(body)
    with no_collection():
        return from_json(body)


@contextlib.contextmanager
def no_collection() -> Generator[None]:
    """Pause the garbage collector, which would search many new objects again and again.

    A million lists in 4 MB of JSON take 0.07 s to make, and three to nine times that with searches,
    each of which stops every thread.
    """
    global _paused  # noqa: PLW0603 - the collector is global to the process as well
    with _pausing:
        if _paused == 0 and not gc.isenabled():
            pause = False  # someone else disabled it
        else:
            pause = True
            _paused += 1
            gc.disable()
    try:
        yield
    finally:
        with _pausing:
            if pause:
                _paused -= 1
                if _paused == 0:
                    gc.enable()


_pausing = threading.Lock()
_paused = 0


class ArgumentSample:
    """The beginning of every list and object in arguments, with all keys that are declared."""

    def __init__(self, data: Any, shape: Shape) -> None:
        self.shape = shape
        self.left = _MOST_SAMPLED
        self.cut: set[tuple[str | int, ...]] = set()
        """The paths of values that were cut, and of all that contain them."""
        self.data = self._of(data, shape.root, ())

    def _of(self, value: Any, node: Any, path: tuple[str | int, ...]) -> Any:
        self.left -= 1
        if is_list(value):
            many = list(enumerate(value[: self._room]))
            sampled: Any = [
                self._of(item, self.shape.child(node, index), (*path, index))
                for index, item in many
            ]
        elif is_object(value):
            declared = self._declared(node)
            unknown = self._room
            sampled = {}
            for key, item in value.items():
                if key not in declared:
                    if unknown <= 0:
                        break
                    unknown -= 1
                sampled[key] = self._of(item, self.shape.child(node, key), (*path, key))
            for key in declared & value.keys() - sampled.keys():
                sampled[key] = self._of(value[key], self.shape.child(node, key), (*path, key))
        else:
            return value
        if len(sampled) < len(value):
            self.cut.update(path[:length] for length in range(len(path) + 1))
        return sampled

    @property
    def _room(self) -> int:
        return max(min(_MOST_ITEMS, self.left), 1)

    def _declared(self, node: Any) -> frozenset[str]:
        return frozenset(key for arm in self.shape.arms(node) for key in arm.get("properties", ()))
