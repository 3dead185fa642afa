"""Images, sound and files; tables; how values of other libraries become JSON or content."""

from __future__ import annotations

from .converters import CONVERTERS, convert, converter
from .kinds import Audio, Content, File, Image

__all__ = ["CONVERTERS", "Audio", "Content", "File", "Image", "convert", "converter"]
