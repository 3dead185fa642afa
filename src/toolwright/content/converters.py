"""How values of other libraries become JSON, or content.

`CONVERTERS` is one table, by the name of a class; `converter` adds to it. The libraries themselves
are never imported here, only recognised.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from numbers import Integral
from types import MemberDescriptorType
from typing import Any, NamedTuple, TypeVar, cast

from .._door import public
from .._json_values import bounded, bounded_pairs, without_surrogates
from ..errors import ResultError
from .kinds import Content, Image

_MOST_LABELS = 1000
"""The longest series that is written as one object: longer ones are rows, which can be cut."""
_PLAIN: frozenset[Any] = frozenset(
    (str, int, bool, type(None), float, dict, list, tuple, bytes, set)
)
_MISSING = frozenset(("NaTType", "NAType"))
_SPOKEN_AS_TEXT = frozenset(("Period", "Interval"))


class _Kind(NamedTuple):
    """How a kind of table is measured and cut."""

    width: Callable[[Any], int]
    """The fewest bytes of JSON that a row can have."""
    first: Callable[[Any, int], Any]


def _one(_: Any) -> int:
    return 2  # a digit and a comma


def _sliced(value: Any, rows: int) -> Any:
    return value[:rows]


def _located(value: Any, rows: int) -> Any:
    return value.iloc[:rows]


def _located_rows(value: Any, rows: int) -> Any:
    """Return the first rows of a series; the beginning of a long one must not become an object."""
    head = value.iloc[:rows]
    bare = value.index.nlevels == 1 and value.index.name is None
    long = bare and len(value) > _MOST_LABELS and not _is_numbered(value.index)
    return head.rename_axis("index") if long else head


def _head(value: Any, rows: int) -> Any:
    return value.head(rows)


def _slice(value: Any, rows: int) -> Any:
    return value.slice(0, rows)


def _of_columns(value: Any) -> int:
    return 3 + 6 * int(value.shape[1])  # `{}`, and `"a":1,` for each column


def _of_cells(value: Any) -> int:
    cells = 1
    for size in value.shape[1:]:
        cells *= int(size)
    return max(2 * cells, 2)


_KINDS: dict[str, _Kind] = {
    "pandas.DataFrame": _Kind(_of_columns, _located),
    "pandas.Series": _Kind(_one, _located_rows),
    "pandas.Index": _Kind(_one, _sliced),
    "pandas.ExtensionArray": _Kind(_one, _sliced),
    "polars.DataFrame": _Kind(_of_columns, _head),
    "polars.Series": _Kind(_one, _head),
    "pyarrow.Table": _Kind(_of_columns, _slice),
    "pyarrow.RecordBatch": _Kind(_of_columns, _slice),
    "pyarrow.ChunkedArray": _Kind(_one, _slice),
    "pyarrow.Array": _Kind(_one, _slice),
    "numpy.ndarray": _Kind(_of_cells, _sliced),
}


def _kind(value: Any) -> _Kind | None:
    value_class: type[Any] = value.__class__
    if value_class in _PLAIN:
        return None
    for cls in value_class.__mro__:
        kind = _KINDS.get(f"{cls.__module__.split('.', 1)[0]}.{cls.__name__}")
        if kind is not None:
            return kind
    return None


_FRAMES = ("pandas.DataFrame", "polars.DataFrame", "pyarrow.Table", "pyarrow.RecordBatch")


def is_frame(cls: Any) -> bool:
    """Return whether values of a class become a list of rows, each an object."""
    names = (
        f"{base.__module__.split('.', 1)[0]}.{base.__name__}"
        for base in getattr(cls, "__mro__", ())
    )
    return isinstance(cls, type) and any(name in _FRAMES for name in names)


def is_table(value: Any) -> bool:
    """Return whether a value is a table, a series or an array that becomes plain rows."""
    return _kind(value) is not None


def rows_within(value: Any, most: int) -> int | None:
    """Return how many rows of a table fit in `most` bytes; None if all may, or for other values."""
    kind = _kind(value)
    if kind is None or getattr(value, "shape", None) == ():
        return None
    rows = most // kind.width(value)
    fits = len(value) <= rows + 1 if rows else not len(value)
    return None if fits else rows


def first_rows(value: Any, rows: int) -> Any:
    """Return the first rows of a table, as a table."""
    kind = _kind(value)
    return value if kind is None else kind.first(value, rows)


# -- cells and labels


def is_missing(value: Any) -> bool:
    """Return whether a value is one that pandas uses for a missing value."""
    return type(value).__name__ in _MISSING and type(value).__module__.startswith("pandas")


def cell(value: Any) -> Any:
    """Return the value of a cell, with None for NaN, NaT and NA."""
    kind: type[Any] = value.__class__
    if isinstance(value, float):
        return None if value != value else value  # noqa: PLR0124 - only NaN differs from itself
    if kind in (str, int, bool, type(None)):
        return value
    if kind is list or kind is tuple:
        return [cell(item) for item in cast("Sequence[Any]", value)]
    if kind is dict:
        return {key: cell(item) for key, item in cast("dict[Any, Any]", value).items()}
    name = kind.__name__
    if name == "ndarray":
        return cell(array(value))
    if name in _MISSING:
        return None
    if name == "Timestamp":
        return value.isoformat()
    return str(value) if name in _SPOKEN_AS_TEXT else value


def _label(value: Any) -> str:
    if isinstance(value, tuple):  # with several levels, some of which may be empty
        parts = [_label(part) for part in cast("tuple[Any, ...]", value)]
        return ".".join(part for part in parts if part)
    if isinstance(value, str):
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _unique(labels: Iterable[Any]) -> list[str]:
    """Return labels as texts that differ: the second `a` is `a.1`."""
    texts = [_label(label) for label in labels]
    if len(set(texts)) == len(texts):
        return texts
    originals, used, counts = set(texts), set[str](), dict[str, int]()
    unique: list[str] = []
    for name in texts:
        label = name
        while label in used or (label is not name and label in originals):
            counts[name] = counts.get(name, 0) + 1
            label = f"{name}.{counts[name]}"
        used.add(label)
        unique.append(label)
    return unique


def _rows(names: Sequence[Any], columns: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    keys = _unique(names)
    return [
        {key: cell(field) for key, field in zip(keys, row, strict=True)}
        for row in zip(*columns, strict=True)
    ]


# -- pandas


def _is_numbered(index: Any) -> bool:
    """Return whether an index only counts the rows, from zero."""
    if index.nlevels > 1 or index.name is not None:
        return False
    if len(index) == 0:
        return True
    if index.dtype.kind not in ("i", "u"):
        return False
    counts = index[0] == 0 and index[-1] == len(index) - 1
    return bool(counts and index.is_unique and index.is_monotonic_increasing)


def _levels(index: Any) -> tuple[list[Any], list[Sequence[Any]]]:
    """Return the names and the values of an index, level by level."""
    if index.nlevels == 1:
        return ["index" if index.name is None else index.name], [index.tolist()]
    at_levels = range(index.nlevels)
    names = [
        f"level_{level}" if index.names[level] is None else index.names[level]
        for level in at_levels
    ]
    return names, [index.get_level_values(level).tolist() for level in at_levels]


def pandas_frame(frame: Any) -> list[dict[str, Any]]:
    """Return a frame as rows, which begin with its index unless that only counts them."""
    numbered = _is_numbered(frame.index)
    names, columns = ([], []) if numbered else _levels(frame.index)
    count = frame.shape[1]
    if not count and numbered:
        return [{} for _ in range(len(frame))]
    columns = [*columns, *(frame.iloc[:, column].tolist() for column in range(count))]
    return _rows([*names, *frame.columns.tolist()], columns)


def pandas_series(series: Any) -> Any:
    """Return a series: its values if its index only counts them, an object if it has labels
    without a name (like a row of a frame), else rows of index and value."""
    index, values = series.index, series.tolist()
    if _is_numbered(index):
        return [cell(value) for value in values]
    if _is_record(index):
        record = {str(label): cell(value) for label, value in zip(index, values, strict=True)}
        # The name of a row is its label in the frame; a number is usually just its place.
        if series.name is None or isinstance(series.name, Integral):
            return record
        return {_unique([*record, "name"])[-1]: _named(series.name), **record}
    names, columns = _levels(index)
    names.append("value" if series.name is None else series.name)
    return _rows(names, [*columns, values])


def _named(name: Any) -> Any:
    return _label(name) if isinstance(name, tuple) else cell(name)


def _is_record(index: Any) -> bool:
    if index.nlevels > 1 or index.name is not None or len(index) > _MOST_LABELS:
        return False
    return index.is_unique and all(isinstance(label, str) for label in index)


# -- polars, pyarrow, numpy


def polars_frame(frame: Any) -> list[dict[str, Any]]:
    """Return a frame as rows."""
    return _rows(frame.columns, [column.to_list() for column in frame.get_columns()])


def arrow_table(table: Any) -> list[dict[str, Any]]:
    """Return a table or a batch as rows; two columns may have the same name."""
    columns = [table.column(column).to_pylist() for column in range(table.num_columns)]
    return _rows(table.schema.names, columns)


def row(value: Any) -> dict[str, Any]:
    """Return a row of a query, from sqlite3 or SQLAlchemy, by the names of its columns."""
    names = value._fields if hasattr(value, "_fields") else value.keys()
    return dict(zip(_unique(names), cells(value), strict=True))


def cells(values: Iterable[Any]) -> list[Any]:
    """Return what a column or an index holds."""
    return [cell(value) for value in values]


def array(value: Any) -> Any:
    """Return an array as lists; one with fields as rows."""
    if value.dtype.names is None:
        return _times(value) if value.dtype.kind in "mM" else value.tolist()
    if value.ndim == 0:
        return {name: cell(array(value[name])) for name in value.dtype.names}
    if value.ndim > 1:
        return [array(part) for part in value]
    return _rows(value.dtype.names, [array(value[name]) for name in value.dtype.names])


def _times(value: Any) -> Any:
    """Return times and durations as Python's own, or as text where those are not exact."""
    micro = value
    if str(value.dtype).endswith(("[ns]", "[ps]", "[fs]", "[as]")):
        micro = value.astype(f"{value.dtype.kind}8[us]")
        exact = (micro.astype(value.dtype) == value) | (value != value)  # noqa: PLR0124 - NaT
        if not exact.all():
            return _without_nat(value.astype(str).tolist())
    # A time outside the range of Python's dates would become a plain number.
    if any(isinstance(number, int) for number in micro.ravel().tolist()):
        return _without_nat(value.astype(str).tolist())
    return micro.tolist()


def _without_nat(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nat(time) for time in cast("list[Any]", value)]
    return None if value == "NaT" else value


def scalar(value: Any) -> Any:
    """Return one value of an array; one with fields is an object."""
    if getattr(value.dtype, "names", None) is None:
        return array(value.reshape(())) if value.dtype.kind in "mM" else value.item()
    return {name: cell(_plain(value[name])) for name in value.dtype.names}


def _plain(value: Any) -> Any:
    return array(value) if type(value).__name__ == "ndarray" else scalar(value)


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
