"""Images, sound, files and tables; converters for values of other libraries."""

from __future__ import annotations

from .converters import CONVERTERS, convert, converter
from .kinds import Audio, Content, File, Image

__all__ = ["CONVERTERS", "Audio", "Content", "File", "Image", "convert", "converter"]
