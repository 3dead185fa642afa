"""How values of other libraries become JSON, or content.

`CONVERTERS` is one table, by the name of a class; `converter` adds to it. The libraries themselves
are never imported here, only recognised.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Mapping
from types import MemberDescriptorType
from typing import Any, TypeVar, cast

from .._door import public
from .._json_values import bounded, bounded_pairs, without_surrogates
from ..errors import ResultError
from .kinds import Content, Image
from .tables import (
    array,
    arrow_table,
    cell,
    cells,
    pandas_frame,
    pandas_series,
    polars_frame,
    row,
    scalar,
)

F = TypeVar("F", bound=Callable[[Any], Any])

CONVERTERS: dict[str, Callable[[Any], Any]] = {}
"""By `package.Class`: the function that makes JSON or `Content` of a value."""
_UNSET: Any = object()


class UnknownType(TypeError):
    """Raised if there is no way to make JSON of a value."""


@public
def converter(name: str) -> Callable[[F], F]:
    """Teach how values of a class become JSON, or `Content`; `name` is `package.Class`.

    >>> @converter("shop.Money")
    ... def money(value):
    ...     return {"cents": value.cents}
    """
    if not isinstance(cast("object", name), str):
        msg = '`converter` needs the name of a class: write `@converter("package.Class")`'
        raise TypeError(msg)

    def register(function: F) -> F:
        CONVERTERS[name] = function
        return function

    return register


def is_converted(cls: Any) -> bool:
    """Return whether values of a class are in the table, by it or by a class it inherits from."""
    return isinstance(cls, type) and any(_name_of(base) in CONVERTERS for base in cls.__mro__)


def known_converter(value: Any) -> Callable[[Any], Any] | None:
    """Return the table's entry for a value's class, or for one it inherits from."""
    cls: type[Any] = value.__class__
    for name in _NAMES.get(cls) or map(_name_of, cls.__mro__):
        function = CONVERTERS.get(name)
        if function is not None:
            return function
    return None


def _name_of(cls: type[Any]) -> str:
    return f"{cls.__module__.split('.', 1)[0]}.{cls.__name__}"


_NAMES = {
    cls: tuple(map(_name_of, cls.__mro__))
    for cls in (dict, list, tuple, str, int, float, bool, type(None))
}
"""The names of the classes that almost every result is made of, and of their bases."""


def is_row(value: Any) -> bool:
    """Return whether a value is a row of a query, with names for its columns."""
    return known_converter(value) is row


def convert(value: Any, *, rows_as_lists: bool = False, built: Collection[type] = ()) -> Any:
    """Make JSON, or `Content`, of a value by the table, or by what its class says about it.

    An object of a class in `built` gives its attributes. Raises `TypeError` for an unknown type.
    """
    if isinstance(value, Content):
        return value
    cls: type[Any] = value.__class__
    function = known_converter(value)
    if rows_as_lists and function is row:
        return list(value)
    if function is not None:
        return function(value)
    if isinstance(value, Mapping):
        return dict(bounded_pairs(cast("Mapping[Any, Any]", value)))
    if isinstance(value, Collection):
        return list(bounded(cast("Collection[Any]", value)))
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", value))
    fields = getattr(cls, "__attrs_attrs__", None)
    if fields is not None:
        return {field.name: getattr(value, field.name) for field in fields}
    attributes = attributes_of(value) if cls in built else declared_attributes(value)
    if attributes or cls in built:
        return attributes
    text = _own_text(value)
    if text is not None:
        return text
    msg = f"{cls.__name__} cannot be written as JSON"
    raise UnknownType(msg)


def attributes_of(value: Any) -> dict[str, Any]:
    """Return the public attributes that an object holds itself, in slots, too."""
    attributes: dict[str, Any] = {}
    value_class: type[Any] = value.__class__
    for cls in reversed(value_class.__mro__):
        slots = [name for name, slot in vars(cls).items() if isinstance(slot, MemberDescriptorType)]
        attributes |= {name: getattr(value, name, _UNSET) for name in slots}
    attributes |= getattr(value, "__dict__", {})
    return {k: v for k, v in attributes.items() if not k.startswith("_") and v is not _UNSET}


def declared_attributes(value: Any) -> dict[str, Any]:
    """Return the public attributes that a class or its bases declare, if they are set."""
    attributes: dict[str, Any] = {}
    for cls in reversed(value.__class__.__mro__):
        for name, hint in getattr(cls, "__annotations__", {}).items():
            if not name.startswith("_") and "ClassVar" not in str(hint):
                attributes[name] = getattr(value, name, _UNSET)
    return {name: attribute for name, attribute in attributes.items() if attribute is not _UNSET}


def _own_text(value: Any) -> str | None:
    """Return the text that a class makes of a value; None if it has only the default one."""
    cls: type[Any] = value.__class__
    # A model may read the text of an exception only where `speak` says so.
    if cls.__str__ is object.__str__ or isinstance(value, BaseException):
        return None
    text = without_surrogates(str(value))
    return None if text == object.__repr__(value) else text


CONVERTERS.update(
    {
        "numpy.generic": scalar,
        "numpy.ndarray": array,
        "pandas.DataFrame": pandas_frame,
        "pandas.Series": pandas_series,
        "pandas.Index": lambda value: cells(value.tolist()),
        "pandas.ExtensionArray": lambda value: cells(value.tolist()),
        "pandas.Timestamp": cell,
        "pandas.Period": cell,
        "pandas.Interval": cell,
        "pandas.NAType": cell,
        "polars.DataFrame": polars_frame,
        "polars.Series": lambda value: cells(value.to_list()),
        "pyarrow.Table": arrow_table,
        "pyarrow.RecordBatch": arrow_table,
        "pyarrow.ChunkedArray": lambda value: cells(value.to_pylist()),
        "pyarrow.Array": lambda value: cells(value.to_pylist()),
        "pyarrow.Scalar": lambda value: cell(value.as_py()),
        "sqlite3.Row": row,
        "sqlalchemy.Row": row,
        "types.SimpleNamespace": vars,
        "argparse.Namespace": vars,
        "collections.UserString": str,
    }
)


@converter("polars.LazyFrame")
def _lazy_frame(_: Any) -> Any:
    raise ResultError(
        "the result is a query that was not run", hint="return what `collect()` gives"
    )


@converter("PIL.Image")
def _pil_image(value: Any) -> Any:
    stream = io.BytesIO()
    try:
        value.save(stream, format="PNG")
    except OSError:  # a mode that PNG does not support
        stream = io.BytesIO()
        plain = "RGB" if value.mode in ("CMYK", "YCbCr", "HSV") else "L"
        value = value.getchannel(0) if value.mode == "LAB" else value.convert(plain)
        value.save(stream, format="PNG")
    return Image(stream.getvalue(), "image/png")


@converter("matplotlib.Figure")
def _matplotlib_figure(value: Any) -> Any:
    stream = io.BytesIO()
    value.savefig(stream, format="png")
    return Image(stream.getvalue(), "image/png")
