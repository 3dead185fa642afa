"""Values that are more than JSON: images, sound, files, and how other libraries' values become them.

`CONVERTERS` is one table, by the name of a class; `converter` adds to it. The libraries themselves
are never imported here, only recognised.
"""

from __future__ import annotations

import base64
import io
import mimetypes
import os
import stat
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from ._door import public
from .errors import ResultError

__all__ = ["CONVERTERS", "Audio", "Content", "File", "Image", "convert", "converter"]

F = TypeVar("F", bound=Callable[[Any], Any])

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)
_RIFF = {b"WAVE": "audio/wav", b"WEBP": "image/webp"}


def sniff(data: bytes) -> str:
    """Return the MIME type of bytes, judged by their first ones."""
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    for start, mime in _SIGNATURES:
        if data.startswith(start):
            return mime
    return "application/octet-stream"


class Content:
    """Bytes with a MIME type; the base of `Image`, `Audio` and `File`."""

    kind = "resource"

    def __init__(
        self,
        data: bytes | str | Path,
        mime_type: str | None = None,
        *,
        name: str | None = None,
        uri: str | None = None,
    ) -> None:
        self.path = None if isinstance(data, bytes) else Path(data)
        self._data = data if isinstance(data, bytes) else None
        self._mime_type = mime_type
        self.name = name or (self.path.name if self.path else "data")
        self._uri = uri

    @property
    def data(self) -> bytes:
        """The bytes; a file is read when they are needed."""
        if self._data is None and self.path is not None:
            self._data = _file_bytes(self.path, self.name)
        return self._data or b""

    @property
    def size(self) -> int:
        """How many bytes it has; a file is not read for that."""
        if self._data is None and self.path is not None:
            found = self.path.stat()
            _check_regular(found, self.name)
            return found.st_size
        return len(self.data)

    @property
    def mime_type(self) -> str:
        """The MIME type: as given, by the file's name, or by the first bytes."""
        guessed = mimetypes.guess_type(self.name)[0] if self.path else None
        return self._mime_type or guessed or sniff(self.data)

    def block(self) -> dict[str, Any]:
        """Return the content block."""
        data = base64.b64encode(self.data).decode()
        if self.kind != "resource":
            return {"type": self.kind, "data": data, "mimeType": self.mime_type}
        where = self._uri or f"file:///{self.name}"
        resource: dict[str, Any] = {"uri": where, "mimeType": self.mime_type}
        if self.mime_type.startswith("text/"):
            resource["text"] = self.data.decode("utf-8", "replace")
        else:
            resource["blob"] = data
        return {"type": "resource", "resource": resource}


_MOST_UNKNOWN = 32 * 1024 * 1024
"""Bytes that are read of a file which says that it has fewer: it grows, or the system makes it up."""


def _file_bytes(path: Path, name: str) -> bytes:
    """Read a file, but no more than it says it has. Raises `ResultError`."""
    _check_regular(path.stat(), name)
    # If it has become a pipe, opening it would block until it has a writer.
    with open(path, "rb", opener=lambda at, flags: os.open(at, flags | _NEVER_WAIT)) as file:
        found = os.fstat(file.fileno())
        _check_regular(found, name)
        most = max(found.st_size, _MOST_UNKNOWN)
        data = file.read(most + 1)
    if len(data) > most:
        raise ResultError(f"the file `{name}` has more than {most} bytes")
    return data


def _check_regular(found: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ResultError(f"`{name}` is not a regular file, so it cannot be sent")


_NEVER_WAIT: int = getattr(os, "O_NONBLOCK", 0)


@public
class Image(Content):
    """An image, from bytes or from a file."""

    kind = "image"


@public
class Audio(Content):
    """Sound, from bytes or from a file."""

    kind = "audio"


@public
class File(Content):
    """A file, from a path or from bytes; shown by its MIME type."""

    def block(self) -> dict[str, Any]:
        """Return the content block that fits the MIME type."""
        family = self.mime_type.split("/", 1)[0]
        if family in ("image", "audio"):
            data = base64.b64encode(self.data).decode()
            return {"type": family, "data": data, "mimeType": self.mime_type}
        return super().block()


def of_bytes(data: bytes) -> Content:
    """Return bytes as the kind of content that their first bytes show."""
    return File(data)


CONVERTERS: dict[str, Callable[[Any], Any]] = {}
"""Class name, with its module's top package, to the function that makes it JSON or `Content`."""


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
    raise TypeError(msg)


@converter("numpy.generic")
def _numpy_scalar(value: Any) -> Any:
    return value.item()


@converter("numpy.ndarray")
def _numpy_array(value: Any) -> Any:
    return value.tolist()


@converter("pandas.DataFrame")
def _pandas_frame(value: Any) -> Any:
    return [
        {str(key): _missing_as_none(cell) for key, cell in row.items()}
        for row in value.to_dict(orient="records")
    ]


@converter("pandas.Series")
def _pandas_series(value: Any) -> Any:
    return [_missing_as_none(cell) for cell in value.tolist()]


def _missing_as_none(cell: Any) -> Any:
    missing = cell is None or (isinstance(cell, float) and cell != cell)  # noqa: PLR0124
    return None if missing or type(cell).__name__ in ("NAType", "NaTType") else cell


@converter("pandas.Timestamp")
def _pandas_time(value: Any) -> Any:
    return value.isoformat()


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
