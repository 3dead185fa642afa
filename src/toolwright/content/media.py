"""MIME types, recognised by first bytes or file name."""

from __future__ import annotations

import mimetypes

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
