"""Writes images, audio and files of a result to disk (`--save`)."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..usage import UsageError

_MOST_TRIES = 10_000
_ENDINGS = {"audio/wav": ".wav", "image/webp": ".webp", "image/jpeg": ".jpg"}
"""Endings that `mimetypes` does not know everywhere."""


def savable(blocks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the blocks that are files: images, audio, embedded resources."""
    return [block for block in blocks if _data(block) is not None]


def save(blocks: Sequence[Mapping[str, Any]], where: str, name: str) -> Iterator[tuple[Path, int]]:
    """Write each block: into a folder, or to a file; yield the paths with their sizes.

    A file that was named is replaced; in a folder, existing files stay. Raises `UsageError`.
    """
    place = Path(where)
    in_folder = where.endswith(("/", "\\")) or place.is_dir()
    for index, block in enumerate(blocks):
        data = _data(block) or b""
        if in_folder:
            path = _free(place / _own_name(block, name))
        elif index == 0:
            path = place
        else:
            path = _free(place)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        yield path, len(data)


def _data(block: Mapping[str, Any]) -> bytes | None:
    content: Mapping[str, Any] = block.get("resource", block)
    encoded = content.get("blob", content.get("data"))
    if isinstance(encoded, str):
        try:
            return base64.b64decode(encoded, validate=True)
        except ValueError:
            return None
    text = content.get("text")
    return text.encode() if "uri" in content and isinstance(text, str) else None


def _own_name(block: Mapping[str, Any], name: str) -> str:
    """Return the name for a block: the last part of its URI, or one made from the tool's name.

    It neither leads out of the folder nor hides the file.
    """
    content: Mapping[str, Any] = block.get("resource", block)
    uri = str(content.get("uri") or "").partition("?")[0].partition("#")[0]
    file_name = _plain(unquote(uri.rpartition("/")[2])) or _plain(name) or "result"
    kind = str(content.get("mimeType") or "").partition(";")[0]
    ending = _ENDINGS.get(kind) or mimetypes.guess_extension(kind) or ".bin"
    return file_name if "." in file_name else file_name + ending


def _plain(name: str) -> str:
    cleaned = "".join(char if char.isalnum() or char in "-_. " else "_" for char in name)
    return cleaned.strip(". ")[:100]


def _free(path: Path) -> Path:
    """Return a path that does not exist: with a number, if needed."""
    candidate = path
    for number in range(2, _MOST_TRIES):
        if not candidate.exists() and not candidate.is_symlink():
            return candidate
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
    raise UsageError(f"{path.parent} has too many files of that name")
