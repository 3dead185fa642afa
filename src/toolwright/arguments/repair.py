"""Repair arguments that failed strict validation, by their declared types.

A value that some arm of its declared type accepts by its JSON type is never touched. Every change
is recorded.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .._json_values import is_list, is_object, kind_of
from .._words import path_text, value_text
from ..errors import Fault
from ..read.signature import OtherSpelling
from ..results import Repair
from .decode import MOST_TEXT, NO_VALUE, UNREADABLE, decode, may_be_several
from .shape import Shape

MOST_REPAIRS = 10_000
MOST_VALUES = 100_000
"""How many values are visited; the rest are left as they are."""
MOST_TEXT_IN_ALL = 500_000
"""How many characters of text are decoded in one call."""
_MOST_CHOICE = 1000
"""The longest word that is looked up among choices, in characters."""
_MOST_DEPTH = 200
"""How deep values are visited: a recursive type accepts any number of nested lists."""
NOISE = frozenset(("toolCallId", "tool_call_id", "sessionId", "_meta"))
"""Keys that some clients add to the arguments of every call."""

_STRAY = f"{string.whitespace}`'\""
NO_SPELLINGS: Mapping[str, Mapping[str, OtherSpelling]] = {}
_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))
_UNCHANGED: Any = object()
_ABSENT: Any = object()


class Repairer:
    """Repairs one set of arguments and remembers what it did."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.done: list[Repair] = []
        self.values_left = MOST_VALUES
        self.text_left = MOST_TEXT_IN_ALL

    def whole(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return arguments for a schema alone, repaired where they can be."""
        data = self.without_noise(data)
        if self.shape.root.get("additionalProperties") is False:
            data = self.with_plain_names(data, frozenset(self.shape.root.get("properties", ())))
        return self.arguments(data)

    def without_noise(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments without the keys that some clients add to every call."""
        root = self.shape.root
        properties: dict[str, Any] = root.get("properties", {})
        if root.get("additionalProperties") is not False:
            return data
        noise = [key for key in data if key in NOISE and key not in properties]
        if not noise:
            return data
        for key in noise:
            self._note((key,), "noise", f"`{key}` is not an argument; left out")
        return {key: value for key, value in data.items() if key not in noise}

    def with_plain_names(self, data: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
        """Return the arguments, blanks, backticks and quotes taken off around unknown names.

        A name is left as it came if that gives none of `names`, or one that came as well.
        """
        if data.keys() <= names:
            return data
        plain = {key: key.strip(_STRAY) for key in data if key not in names}
        name_counts = Counter([*data, *plain.values()])
        renamed: dict[str, Any] = {}
        for key, value in data.items():
            name = plain.get(key, key)
            if name != key and name in names and name_counts[name] == 1:
                self._note((name,), "name", f"{value_text(key)} read as {path_text((name,))}")
                renamed[name] = value
            else:
                renamed[key] = value
        return renamed

    def arguments(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments, repaired where they can be."""
        root = self.shape.root
        properties: dict[str, Any] = root.get("properties", {})
        required = frozenset(root.get("required", ()))
        repaired: dict[str, Any] = {}
        for key, value in data.items():
            node = properties.get(key, root.get("additionalProperties"))
            fixed = self._value(
                value, node, (key,), optional=key in properties and key not in required
            )
            if fixed is not _ABSENT:
                repaired[key] = fixed
        return repaired

    def _note(self, path: tuple[str | int, ...], code: str, text: str) -> None:
        self.done.append(Repair(path, code, text))

    def _value(
        self, value: Any, node: Any, path: tuple[str | int, ...], *, optional: bool = False
    ) -> Any:
        self.values_left -= 1
        if not is_object(node) or self._is_exhausted(path):
            return value
        kinds = self.shape.kinds(node)
        if not kinds:
            return value
        if isinstance(value, float) and "number" not in kinds and kind_of(value) in kinds:
            return self._read(path, "integer", value, int(value))  # 1.0, where none may stand
        if kind_of(value) in kinds:
            return self._inside(value, node, path)
        if optional and _means_absent(value, kinds):
            self._note(path, "absent", f"{path_text(path)}: {value_text(value)} read as absent")
            return _ABSENT
        fixed = self._convert(value, kinds, node, path)
        if fixed is _UNCHANGED:
            return value
        return fixed

    def _is_exhausted(self, path: tuple[str | int, ...]) -> bool:
        """Return whether so many values were visited that the rest are left as they came."""
        return self.values_left < 0 or len(self.done) >= MOST_REPAIRS or len(path) > _MOST_DEPTH

    def _inside(self, value: Any, node: Any, path: tuple[str | int, ...]) -> Any:
        """Look inside a value that is of the right JSON type."""
        if isinstance(value, str):
            return self._choice(value, node, path)
        if is_list(value):
            return self._list(value, node, path)
        if is_object(value):
            return self._object(value, node, path)
        return value

    def _list(self, value: list[Any], node: Any, path: tuple[str | int, ...]) -> list[Any]:
        repaired: list[Any] = []
        for index, item in enumerate(value):
            if self.values_left <= 0:
                return repaired + value[index:]
            repaired.append(self._value(item, self.shape.child(node, index), (*path, index)))
        return repaired

    def _object(self, value: dict[str, Any], node: Any, path: tuple[str | int, ...]) -> Any:
        arm = self.shape.object_for(node, value)
        if arm is None:
            return value
        properties: dict[str, Any] = arm.get("properties", {})
        repaired: dict[str, Any] = {}
        for key, item in value.items():
            if self.values_left <= 0:
                repaired[key] = item
                continue
            optional = key in properties and key not in arm.get("required", ())
            node_of_key = self.shape.child(arm, key)
            fixed = self._value(item, node_of_key, (*path, key), optional=optional)
            if fixed is not _ABSENT:
                repaired[key] = fixed
        return repaired

    def _choice(self, value: str, node: Any, path: tuple[str | int, ...]) -> Any:
        """Read a string as one of the listed values: by case, or by a member's name."""
        if len(value) > _MOST_CHOICE:
            return value
        choices = self.shape.choices(node)
        if choices is None or value in choices.values:
            return value
        near = choices.named(value, _UNCHANGED)
        return value if near is _UNCHANGED else self._read(path, "choice", value, near)

    def _convert(
        self, value: Any, kinds: frozenset[str], node: Any, path: tuple[str | int, ...]
    ) -> Any:
        """Read a value of the wrong JSON type as one of the right type, if that is plain."""
        if isinstance(value, str):
            fixed = self._text(value, kinds, node, path)
            if fixed is not _UNCHANGED:
                return fixed
        if "array" in kinds and not is_list(value) and value is not None:
            before = len(self.done)
            item = self._value(value, self.shape.child(node, 0), (*path, 0))
            if self._is_item(item, self.shape.child(node, 0)):
                return self._read(path, "list", value, [item])
            del self.done[before:]
            if value == {}:
                return self._read(path, "list", value, [])
        return _UNCHANGED

    def _is_item(self, value: Any, node: Any) -> bool:
        """Return whether a value that came in place of a list can only be meant as one item."""
        kinds = self.shape.kinds(node) if is_object(node) else frozenset[str]()
        if kinds and kind_of(value) not in kinds:
            return False
        if not isinstance(value, str) or not may_be_several(value):
            return True
        choices = self.shape.choices(node)
        return choices is not None and value in choices.values

    def _text(
        self, text: str, kinds: frozenset[str], node: Any, path: tuple[str | int, ...]
    ) -> Any:
        if len(text) <= _MOST_CHOICE:
            folded = text.strip().casefold()
            if "boolean" in kinds and not kinds & {"integer", "number"}:
                if folded in _TRUE:
                    return self._read(path, "boolean", text, after=True)
                if folded in _FALSE:
                    return self._read(path, "boolean", text, after=False)
            near = self.shape.members(node).named(text, _UNCHANGED)
            if near is not _UNCHANGED:
                return self._read(path, "choice", text, near)
        decoded = self._decoded(text)
        if isinstance(decoded, float) and "number" not in kinds and decoded.is_integer():
            decoded = int(decoded)
        if decoded is UNREADABLE or kind_of(decoded) not in kinds:
            return _UNCHANGED
        self._note(path, "json", f"{path_text(path)}: text read as {kind_of(decoded)}")
        return self._inside(decoded, node, path)

    def _decoded(self, text: str) -> Any:
        if len(text) > min(self.text_left, MOST_TEXT):
            return UNREADABLE
        self.text_left -= len(text)
        return decode(text)

    def _read(self, path: tuple[str | int, ...], code: str, before: Any, after: Any) -> Any:
        self._note(
            path, code, f"{path_text(path)}: {value_text(before)} read as {value_text(after)}"
        )
        return after


def respelled(
    data: dict[str, Any], spellings: Mapping[str, Mapping[str, OtherSpelling]]
) -> tuple[dict[str, Any], list[Repair], list[Fault]]:
    """Return arguments under their published names, and a fault for each that came twice."""
    repairs: list[Repair] = []
    faults: list[Fault] = []
    renamed = dict(data)
    for part, names in spellings.items():
        part_data = renamed.get(part) if part else renamed
        if is_object(part_data):
            path = (part,) if part else ()
            fields = _respelled_fields(part_data, names, path, repairs, faults)
            renamed = {**renamed, part: fields} if part else fields
    return renamed, repairs, faults


def _respelled_fields(
    held: dict[str, Any],
    names: Mapping[str, OtherSpelling],
    path: tuple[str, ...],
    repairs: list[Repair],
    faults: list[Fault],
) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, value in held.items():
        spelling = names.get(name)
        argument = value if spelling is None else _meant(value, spelling)
        if spelling is None or argument is _UNCHANGED:
            renamed.setdefault(name, value)
            continue
        place = (*path, name)
        twin = held.get(spelling.key, renamed.get(spelling.key))
        if twin is not None:
            both = f"{path_text(place)} and {path_text((*path, spelling.key))}"
            faults.append(Fault(place, "twice", f"{both} are the same argument: send one of them"))
        elif argument is _ABSENT:
            repairs.append(Repair(place, "absent", f"{path_text(place)}: false read as absent"))
        else:
            renamed[spelling.key] = argument
            text = f"{path_text(place)} read as {path_text((*path, spelling.key))}"
            repairs.append(Repair(place, "name", text))
    return renamed


def _meant(value: Any, spelling: OtherSpelling) -> Any:
    """Return the value of the argument itself."""
    if not spelling.opposite and not spelling.choice:
        return value
    text = value.strip().casefold() if isinstance(value, str) and len(value) < 10 else value
    says = True if text in _TRUE else False if text in _FALSE else text
    if not isinstance(says, bool):
        return _UNCHANGED
    if spelling.opposite:
        return not says
    return spelling.choice if says else _ABSENT


def _means_absent(value: Any, kinds: frozenset[str]) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, str)
        and "string" not in kinds
        and len(value) <= _MOST_CHOICE
        and value.strip() in NO_VALUE
    )
