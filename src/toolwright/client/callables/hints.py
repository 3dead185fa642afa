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
        typed_dict = _TYPED_DICT(record.name, {field.name: Any for field in record.fields})
        self._dress(typed_dict, record)
        # Filled in afterwards: the hints may hold the class itself.
        typed_dict.__annotations__ = {
            field.name: self.hint(field.shape)
            if field.required
            else NotRequired[self.hint(field.shape)]
            for field in record.fields
        }
        typed_dict.__required_keys__ = frozenset(
            field.name for field in record.fields if field.required
        )
        typed_dict.__optional_keys__ = frozenset(
            field.name for field in record.fields if not field.required
        )

    def _data_class(self, record: RecordShape) -> None:
        names = [python_name(field.name) for field in record.fields]
        ordered = sorted(zip(names, record.fields, strict=True), key=lambda e: not e[1].required)
        data_class = dataclasses.make_dataclass(
            record.name,
            [(n, Any) if record_field.required else (n, Any, None) for n, record_field in ordered],
            kw_only=True,
            namespace={"__pydantic_serializer__": serializer()},
        )
        self._dress(data_class, record)
        hints = {name: self._field_hint(name, record_field) for name, record_field in ordered}
        data_class.__annotations__ = hints
        for field in dataclasses.fields(data_class):
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
    names = [python_name(field.name) for field in fields]
    hidden = any(name.startswith("__") for name in names)
    return not hidden and len(set(names)) == len(names)


def _union(hints: list[Any]) -> Any:
    """Return a union: `X | Y` where possible, which people read best."""
    union = hints[0]
    for hint in hints[1:]:
        try:
            union = union | hint
        except TypeError:
            union = Union[union, hint]  # noqa: UP007
    return union
