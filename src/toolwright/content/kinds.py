"""Values that are more than JSON: images, sound and files."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from .._door import public
from .._files import open_file
from ..errors import ResultError
from .media import UNKNOWN, as_text, by_name, recognised


class Content:
    """Bytes with a MIME type; the base of `Image`, `Audio` and `File`."""

    kind = "resource"
    usual_type = UNKNOWN
    """The MIME type of what nothing else shows the type of."""

    def __init__(
        self,
        data: bytes | bytearray | memoryview | str | Path | None = None,
        mime_type: str | None = None,
        *,
        path: str | Path | None = None,
        name: str | None = None,
        uri: str | None = None,
    ) -> None:
        if (data is None) == (path is None):
            class_name = type(self).__name__
            msg = f"{class_name} takes either bytes or a path: {class_name}(data) or {class_name}(path=...)"
            raise TypeError(msg)
        source: Any = path if data is None else data
        is_bytes = isinstance(source, bytes | bytearray | memoryview)
        self.path = None if is_bytes else Path(source)
        self._data = bytes(cast("bytes", source)) if is_bytes else None
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
            status = self.path.stat()
            _check_regular(status, self.name)
            return status.st_size
        return len(self.data)

    @property
    def mime_type(self) -> str:
        """The MIME type: as given, by the name, or by the bytes."""
        return self._known_type() or self.usual_type

    def _known_type(self) -> str | None:
        """Return the MIME type; None if nothing shows it."""
        by_suffix = by_name(self.path.name if self.path else self.name)
        mime_type = self._mime_type or by_suffix or recognised(self.data)
        # Bytes are what the author calls them, even if they happen to be text.
        if mime_type is None and self.path and self.kind == "resource":
            return None if as_text(self.data) is None else "text/plain"
        return mime_type

    @property
    def uri(self) -> str:
        """Where it is: as given, the place of the file, or only a name."""
        if self._uri is not None:
            return self._uri
        return self.path.absolute().as_uri() if self.path else f"file:///{quote(self.name)}"

    def block(self) -> dict[str, Any]:
        """Return the content block."""
        mime_type = self.mime_type
        kind = self._kind_of(mime_type)
        if kind == "resource":
            return {"type": "resource", "resource": self._resource(mime_type)}
        return {"type": kind, "data": self._base64(), "mimeType": mime_type}

    def blocks(self) -> list[dict[str, Any]]:
        """Return the content block, and a text that says so if its type was not recognised."""
        block = self.block()
        if self._known_type() is not None:
            return [block]
        text = f"[`{self.name}`: {len(self.data)} byte{'s' * (len(self.data) != 1)} of a type that was not recognised]"
        return [block, {"type": "text", "text": text}]

    def _kind_of(self, mime_type: str) -> str:
        return self.kind

    def _base64(self) -> str:
        return base64.b64encode(self.data).decode()

    def _resource(self, mime_type: str) -> dict[str, Any]:
        resource: dict[str, Any] = {"uri": self.uri, "mimeType": mime_type}
        text: str | None = None
        if mime_type.startswith("text/"):
            text = self.data.decode("utf-8", "replace")
        elif (self.path or mime_type != UNKNOWN) and recognised(self.data) is None:
            text = as_text(self.data)
        if text is None:
            return {**resource, "blob": self._base64()}
        return {**resource, "text": text}


_MOST_UNKNOWN = 32 * 1024 * 1024
"""The most bytes to read if a file reports fewer: it grows, or the system generates it."""


def _file_bytes(path: Path, name: str) -> bytes:
    """Read a file: at most its reported size, or `_MOST_UNKNOWN` if more. Raises `ResultError`."""
    _check_regular(path.stat(), name)
    with open_file(path) as file:
        most = max(os.fstat(file.fileno()).st_size, _MOST_UNKNOWN)
        data = file.read(most + 1)
    if len(data) > most:
        raise ResultError(f"the file `{name}` has more than {most} bytes")
    return data


def _check_regular(found: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ResultError(f"`{name}` is not a regular file, so it cannot be sent")


@public
class Image(Content):
    """An image, from bytes or from a file."""

    kind = "image"
    usual_type = "image/png"


@public
class Audio(Content):
    """Sound, from bytes or from a file."""

    kind = "audio"
    usual_type = "audio/wav"


@public
class File(Content):
    """A file, from a path or from bytes; shown by its MIME type."""

    def _kind_of(self, mime_type: str) -> str:
        family = mime_type.split("/", 1)[0]
        return family if family in ("image", "audio") else self.kind


def of_bytes(data: bytes) -> Content | str:
    """Return bytes as the media that their first bytes show, as text, or as a file."""
    text = as_text(data) if recognised(data) is None else None
    return File(data) if text is None else text
