"""Targets that return given values, and their results in every way of calling."""

import base64

from pydantic import BaseModel

from tests.unit.ways import WAYS, box_of, payload_by
from toolwright.results import validate

OLD, NEW = "2025-11-25", "2026-07-28"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def returning(value, hint=...):
    """Make a function that returns a value, with or without a declared type."""

    def probe():
        return value

    if hint is not ...:
        probe.__annotations__["return"] = hint
    return probe


def each_way(target, **options):
    return {way: payload_by(way, box_of(target, **options), "probe", {}) for way in WAYS}


def same_each_way(target, **options):
    """Return the payload of a call, which must be the same in every way of calling."""
    seen = each_way(target, **options)
    assert seen["call"] == seen["call_async"] == seen["client"]
    validate(seen["old client"])
    assert seen["old client"]["content"] == seen["call"]["content"]
    return seen["call"]


def image(data=PNG, mime="image/png"):
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": mime}


def text(words):
    return {"type": "text", "text": words}


class Item(BaseModel):
    n: int
    word: str = "é"


def raising(error):
    def probe() -> int:
        raise error

    return probe
