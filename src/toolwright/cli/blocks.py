"""Content of results, shown or written to files."""

from __future__ import annotations

import base64
import json
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from . import output
from .terminal import image_for
from .usage import UsageError


def print_blocks(blocks: Sequence[Mapping[str, Any]], *, is_json: bool = False) -> None:
    """Print the content of a result; a terminal shows JSON with indentation and colours."""
    if is_json and output.is_terminal() and len(blocks) == 1 and blocks[0]["type"] == "text":
        text = blocks[0]["text"]
        try:
            value = json.loads(text) if text[:1] in ("{", "[") else None
        except (ValueError, RecursionError):  # cut, because it was too long
            value = None
        if value is not None:
            output.print_json(value)
            return
    for block in blocks:
        image = image_for(block) if output.is_terminal() else ""
        if image:
            output.write(f"{image}\n")
        else:
            output.say(block_text(block))


def block_text(block: Mapping[str, Any]) -> str:
    """Return a block as text: its own, or how to see it."""
    content: Mapping[str, Any] = block.get("resource", block)
    if isinstance(content.get("text"), str):
        return str(content["text"])
    kind = str(block.get("type", "content"))
    if kind == "resource_link":
        label = " ".join(str(block[key]) for key in ("title", "description") if block.get(key))
        return f"{block.get('uri', '')}  {label}".rstrip()
    about = " ".join(filter(None, (kind, str(content.get("mimeType") or ""))))
    return f"[{about}; --save FILE writes it, --json shows it]"


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
