"""Values that are more than JSON: images, sound, files; their types."""

from __future__ import annotations

import base64
import mimetypes
import os
import stat
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from .._door import public
from .._files import open_file
from ..errors import ResultError

UNKNOWN = "application/octet-stream"

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"OggS\x00", "audio/ogg"),
    (b"fLaC\x00", "audio/flac"),
    (b"fLaC\x80", "audio/flac"),
    (b"MThd\x00", "audio/midi"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
)
_FORMS = {  # the container, and the kind of its content
    (b"RIFF", b"WAVE"): "audio/wav",
    (b"RIFF", b"WEBP"): "image/webp",
    (b"FORM", b"AIFF"): "audio/aiff",
}
_BRANDS = {  # of ISO media files; the first one here that a file names counts
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"mif1": "image/heif",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
}
_BMP_HEADERS = frozenset((12, 40, 52, 56, 64, 108, 124))
# Systems differ in what they know, and some have older names.
_SUFFIXES = {
    ".aac": "audio/aac",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".flac": "audio/flac",
    ".heic": "image/heic",
    ".ico": "image/x-icon",
    ".m4a": "audio/mp4",
    ".md": "text/markdown",
    ".mp3": "audio/mpeg",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".svg": "image/svg+xml",
    ".wav": "audio/wav",
    ".webp": "image/webp",
}
_HEAD = 4096
"""How many bytes are looked at for the first element of an XML document."""
# Signs of binary data: all control characters except those of text and of terminals.
_BINARY = bytes(code for code in range(32) if code not in b"\b\t\n\f\r\x1b") + b"\x7f"


def recognised(data: bytes) -> str | None:
    """Return the MIME type that the first bytes show; None if they show none."""
    for start, mime in _SIGNATURES:
        if data.startswith(start):
            return mime
    mime_type = _FORMS.get((data[:4], data[8:12]))
    if mime_type is not None:
        return mime_type
    if data[4:8] == b"ftyp":
        return _of_brands(data)
    if data[:2] == b"BM" and int.from_bytes(data[14:18], "little") in _BMP_HEADERS:
        return "image/bmp"
    return _of_sound(data) or ("image/svg+xml" if _is_svg(data) else None)


def by_name(name: str) -> str | None:
    """Return the MIME type that the name of a file shows."""
    dot = name.rfind(".")
    mime_type = _SUFFIXES.get(name[dot:].lower()) if dot >= 0 else None
    if mime_type is not None:
        return mime_type
    guessed, packed = mimetypes.guess_type(name)
    return guessed if packed is None else None  # if packed, the bytes show how


def as_text(data: bytes) -> str | None:
    """Return bytes that are valid UTF-8 text as that text; None if they are something else."""
    if len(data.translate(None, _BINARY)) != len(data):
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _of_brands(data: bytes) -> str:
    size = min(int.from_bytes(data[:4], "big"), 256, len(data))
    brands = {data[8:12], *(data[start : start + 4] for start in range(16, size - 3, 4))}
    return next((mime for brand, mime in _BRANDS.items() if brand in brands), "video/mp4")


def _of_sound(data: bytes) -> str | None:
    """Recognise MPEG and AAC sound: by a tag, or by the header of the first frame."""
    if data[:3] == b"ID3" and data[3:4] in (b"\x02", b"\x03", b"\x04"):
        return "audio/mpeg"
    if data[:1] != b"\xff" or len(data) < 2:
        return None
    if data[1] in (0xFA, 0xFB, 0xF2, 0xF3):
        return "audio/mpeg"
    return "audio/aac" if data[1] in (0xF1, 0xF9) else None


def _is_svg(data: bytes) -> bool:
    """Return whether the first element of a document is `svg`."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    while head[:2] in (b"<?", b"<!"):
        end = b"-->" if head.startswith(b"<!--") else b">"
        _, closing, head = head.partition(end)
        if not closing:
            return False
        head = head.lstrip()
    return head[:4] == b"<svg" and head[4:5] in b" \t\r\n/>" and len(head) > 4


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
