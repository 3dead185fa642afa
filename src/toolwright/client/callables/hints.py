"""Runtime hints for shapes: classes that inspect and pydantic know."""

from __future__ import annotations

import dataclasses
import datetime as dt
import pathlib
import sys
import typing
import uuid
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, Union

import typing_extensions

from .names import python_name
from .shapes import (
    ListShape,
    LiteralShape,
    MapShape,
    PlainShape,
    RecordField,
    RecordShape,
    SchemaShape,
    TupleShape,
    UnionShape,
    admits_none,
)
from .values import serializer

_PLAIN: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "None": None,
    "Any": Any,
    "datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
    "UUID": uuid.UUID,
    "Path": pathlib.Path,
}
_TYPED_DICT: Any = typing.TypedDict if sys.version_info >= (3, 12) else typing_extensions.TypedDict
"""The one that pydantic accepts."""


class HintMaker:
    """Makes hints: objects are `TypedDict`s for what is sent, data classes for what comes back."""

    def __init__(self, *, sent: bool, module: str = "") -> None:
        self.sent = sent
        self.module = module or __name__
        self.made: dict[RecordShape, Any] = {}

    def hint(self, shape: SchemaShape) -> Any:
        """Return the hint for a shape."""
        match shape:
            case PlainShape():
                return _PLAIN[shape.hint]
            case LiteralShape():
                return Literal[shape.values]
            case ListShape():
                return list[self.hint(shape.item)]
            case TupleShape():
                return tuple[tuple(map(self.hint, shape.items))]
            case MapShape():
                return dict[str, self.hint(shape.value)]
            case UnionShape():
                return _union([self.hint(arm) for arm in shape.arms])
            case RecordShape():
                return self._record(shape)

    def _record(self, record: RecordShape) -> Any:
        if record not in self.made:
            if self.sent or not has_plain_names(record.fields):
                self._typed_dict(record)
            else:
                self._data_class(record)
        return self.made[record]

    def _typed_dict(self, record: RecordShape) -> None:
        made = _TYPED_DICT(record.name, {each.name: Any for each in record.fields})
        self._dress(made, record)
        # Filled in afterwards: the hints may hold the class itself.
        made.__annotations__ = {
            each.name: self.hint(each.shape)
            if each.required
            else NotRequired[self.hint(each.shape)]
            for each in record.fields
        }
        made.__required_keys__ = frozenset(each.name for each in record.fields if each.required)
        made.__optional_keys__ = frozenset(each.name for each in record.fields if not each.required)

    def _data_class(self, record: RecordShape) -> None:
        names = [python_name(each.name) for each in record.fields]
        ordered = sorted(zip(names, record.fields, strict=True), key=lambda e: not e[1].required)
        made = dataclasses.make_dataclass(
            record.name,
            [(n, Any) if each.required else (n, Any, None) for n, each in ordered],
            kw_only=True,
            namespace={"__pydantic_serializer__": serializer()},
        )
        self._dress(made, record)
        hints = {name: self._field_hint(name, each) for name, each in ordered}
        made.__annotations__ = hints
        for field in dataclasses.fields(made):
            field.type = hints[field.name]

    def _field_hint(self, name: str, field: RecordField) -> Any:
        hint = self.hint(field.shape)
        if not field.required and not admits_none(field.shape):
            hint = _union([hint, None])
        if name != field.name:
            from pydantic import Field

            hint = Annotated[hint, Field(alias=field.name)]
        return hint

    def _dress(self, made: Any, record: RecordShape) -> None:
        self.made[record] = made
        made.__module__ = self.module
        if record.description:
            made.__doc__ = record.description


def has_plain_names(fields: Sequence[RecordField]) -> bool:
    """Return whether the names of fields make attribute names that are all different."""
    names = [python_name(each.name) for each in fields]
    hidden = any(name.startswith("__") for name in names)
    return not hidden and len(set(names)) == len(names)


def _union(hints: list[Any]) -> Any:
    """Return a union: `X | Y` where possible, which people read best."""
    made = hints[0]
    for each in hints[1:]:
        try:
            made = made | each
        except TypeError:
            made = Union[made, each]  # noqa: UP007
    return made
