"""How values of other libraries become JSON, or content.

`CONVERTERS` is one table, by the name of a class; `converter` adds to it. The libraries themselves
are never imported here, only recognised.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, cast

from .._door import public
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
    scalar,
)

F = TypeVar("F", bound=Callable[[Any], Any])

CONVERTERS: dict[str, Callable[[Any], Any]] = {}
"""Class name, with its module's top package, to the function that makes it JSON or `Content`."""


class UnknownType(TypeError):
    """There is no way to make JSON of a value."""


@public
def converter(name: str) -> Callable[[F], F]:
    """Teach how values of a class become JSON, or `Content`; `name` is `package.Class`.

    >>> @converter("shop.Money")
    ... def money(value):
    ...     return {"cents": value.cents}
    """

    def register(function: F) -> F:
        CONVERTERS[name] = function
        return function

    return register


def known_converter(value: Any) -> Callable[[Any], Any] | None:
    """Return the table's entry for a value's class, or for one it inherits from."""
    for cls in value.__class__.__mro__:
        known = CONVERTERS.get(f"{cls.__module__.split('.', 1)[0]}.{cls.__name__}")
        if known is not None:
            return known
    return None


def convert(value: Any) -> Any:
    """Make JSON, or `Content`, of a value by the table. Raises `TypeError` for an unknown type."""
    if isinstance(value, Content):
        return value
    own: type[Any] = value.__class__
    known = known_converter(value)
    if known is not None:
        return known(value)
    if isinstance(value, Mapping):
        return dict(cast("Mapping[Any, Any]", value))
    if isinstance(value, Collection):
        return list(cast("Collection[Any]", value))
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", value))
    fields = getattr(own, "__attrs_attrs__", None)
    if fields is not None:
        return {field.name: getattr(value, field.name) for field in fields}
    if hasattr(value, "__dict__") and getattr(own, "__annotations__", None):
        return {name: getattr(value, name) for name in own.__annotations__}
    msg = f"{own.__name__} cannot be written as JSON"
    raise UnknownType(msg)


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
    except OSError:  # a mode that PNG does not have
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
