"""Texts, numbers and enums as a dialect accepts them."""

from __future__ import annotations

import functools
import re
from typing import Any

from ..._json_values import JsonObject, kind_of
from ..codecs import JsonText
from ..rules import Rules
from .shapes import (
    ARRAY,
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    SchemaShape,
    enum_of,
)
from .words import in_words
from .written import IN_WORDS, ShapeWriter, Written, json_text

_LOOK_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])")
_BACK_REFERENCE = re.compile(r"\\(?:[0-9]|k<)|\(\?P=")
_SPECIAL = re.compile(r"\\[bBpPAZz]|\(\?(?![:P])")
_RANGE = re.compile(r"\{(\d*+)(?:,(\d*+))?\}")
_WIDEST_RANGE = 1000
_ANYTHING = r"[\s\S]*"
_INCLUSIVE = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}


def write_scalar(writer: ShapeWriter, shape: SchemaShape, path: str) -> Written:
    """Return a text, number, boolean or null."""
    schema: JsonObject = {"type": shape.kind}
    if not shape.limits and not shape.rest:
        return Written(writer.finish(schema, shape, []) if shape.notes else schema)
    sentences = write_limits(writer, schema, shape, path)
    sentences += writer.rest(schema, shape, path)
    return Written(writer.finish(schema, shape, sentences))


def write_limits(
    writer: ShapeWriter, schema: JsonObject, shape: SchemaShape, path: str
) -> list[str]:
    """Add the limits that the dialect has; return the others in words."""
    sentences: list[str] = []
    for key, value in shape.limits.items():
        keyword, accepted = _accepted(writer, shape, key, value, path)
        if keyword:
            schema[keyword] = _tighter(keyword, schema.get(keyword), accepted)
        elif value is not False:
            sentences.append(in_words(key, value))
            writer.lose(path, key)
    return sentences


def _tighter(key: str, known: Any, value: Any) -> Any:
    if known is None or not isinstance(value, int | float):
        return value
    return max(known, value) if key == "minimum" else min(known, value)


def _accepted(
    writer: ShapeWriter, shape: SchemaShape, key: str, value: Any, path: str
) -> tuple[str, Any]:
    """Return the keyword and value that say the same; an empty keyword if there is none."""
    rules = writer.rules
    if key == "pattern" and key in rules.keywords:
        rewritten = _pattern(str(value), rules.patterns)
        if rewritten is not None and rewritten[1]:
            writer.lose(path, key, "must match the whole text here")
        return (key, rewritten[0]) if rewritten is not None else ("", None)
    if key == "format":
        good = key in rules.keywords and (rules.formats is None or value in rules.formats)
        return (key, value) if good else ("", None)
    if key == "minItems" and rules.most_min_items is not None and value > rules.most_min_items:
        return "", None
    if key in rules.keywords:
        return key, value
    inclusive, step = _INCLUSIVE.get(key, ("", 0))
    if inclusive in rules.keywords and shape.kind == INTEGER and _is_whole(value):
        return inclusive, int(value) + step
    return "", None


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


@functools.lru_cache(maxsize=1024)
def _pattern(pattern: str, wanted: str) -> tuple[str, bool] | None:
    """Return a pattern for a dialect, and whether it is stricter there; None if unusable."""
    if wanted == "any":
        return pattern, False
    if wanted == "python":
        return (pattern, False) if _compiles(pattern) else None
    if not _compiles(pattern) or _LOOK_AROUND.search(pattern):
        return None
    if wanted == "plain":
        return pattern, False
    if _BACK_REFERENCE.search(pattern) or _SPECIAL.search(pattern) or _is_wide(pattern):
        return None
    if wanted == "simple":
        return pattern, False
    return _whole(pattern) if wanted == "whole" else _bare(pattern)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _is_wide(pattern: str) -> bool:
    bounds = (
        bound for bounds_of_range in _RANGE.findall(pattern) for bound in bounds_of_range if bound
    )
    return any(len(bound) > 6 or int(bound) > _WIDEST_RANGE for bound in bounds)


def _inner(pattern: str) -> tuple[str, bool, bool] | None:
    """Return a pattern without its anchors, and which it had; None if it has more."""
    starts = pattern.startswith("^")
    ends = pattern.endswith("$") and not re.search(r"(?<!\\)(?:\\\\)*\\\$$", pattern)
    bare = pattern[starts : len(pattern) - ends]
    plain = re.sub(r"\\.|\[\^", "", bare)
    if "^" in plain or "$" in plain or ((starts or ends) and "|" in plain):
        return None
    return bare, starts, ends


def _whole(pattern: str) -> tuple[str, bool] | None:
    """Return a pattern for a provider that matches the whole text."""
    parts = _inner(pattern)
    if parts is None:
        return None
    bare, starts, ends = parts
    if starts and ends:
        return pattern, False
    before, behind = "^" if starts else _ANYTHING, "$" if ends else _ANYTHING
    return f"{before}(?:{bare}){behind}", False


def _bare(pattern: str) -> tuple[str, bool] | None:
    """Return a pattern for a provider that takes no anchors."""
    parts = _inner(pattern)
    return None if parts is None else (parts[0], not (parts[1] and parts[2]))


def by_type(values: list[Any]) -> dict[str, list[Any]]:
    """Return values by their JSON type; integers beside other numbers are numbers."""
    groups: dict[str, list[Any]] = {}
    for value in values:
        groups.setdefault(kind_of(value), []).append(value)
    if NUMBER in groups and INTEGER in groups:
        numbers = {NUMBER, INTEGER}
        groups[NUMBER] = [value for value in values if kind_of(value) in numbers]
        del groups[INTEGER]
    return groups


def enum_branches(shape: SchemaShape) -> list[SchemaShape]:
    """Return one enum for each type of an enum's values."""
    groups = by_type(shape.values)
    branches = [
        SchemaShape(NULL) if kind == NULL else enum_of(members) for kind, members in groups.items()
    ]
    for branch in branches:
        branch.rest = shape.rest
    return branches


def write_enum(writer: ShapeWriter, shape: SchemaShape, path: str) -> Written:
    """Return values of one type."""
    [(kind, values)] = by_type(shape.values).items()
    if kind == NULL:
        return write_scalar(writer, _as_kind(shape, NULL), path)
    if _is_enum(kind, values, writer.rules):
        # Where an array must say what its items are, an array in an enum must as well.
        array = writer.write(SchemaShape(ARRAY), path).schema if kind == ARRAY else {}
        schema: JsonObject = {"type": kind, **array, "enum": _unique(values)}
        sentences = writer.rest(schema, shape, path)
        return Written(writer.finish(schema, shape, sentences))
    if kind == BOOLEAN and len(_unique(values)) == 2:
        return Written(writer.finish({"type": kind}, shape, []))
    writer.lose(path, "enum", IN_WORDS)
    words = in_words("enum", values)
    if kind in (ARRAY, OBJECT):
        if writer.rules.anything == "text":
            schema = json_text(writer.rules, words)
            sentences = writer.rest(schema, shape, path)
            return Written(
                writer.finish(schema, shape, sentences, changed=True), JsonText(), is_text=True
            )
        encoded = writer.write(SchemaShape(kind), path)
        return Written(writer.finish(dict(encoded.schema), shape, [words]), encoded.codec)
    return Written(writer.finish({"type": kind}, shape, [words]))


def _as_kind(shape: SchemaShape, kind: str) -> SchemaShape:
    converted = SchemaShape(kind)
    converted.notes, converted.rest = shape.notes, shape.rest
    return converted


def _is_enum(kind: str, values: list[Any], rules: Rules) -> bool:
    if kind == STRING and "" in values and not rules.empty_enum_text:
        return False
    return kind in rules.enums


def _unique(values: list[Any]) -> list[Any]:
    unique: list[Any] = []
    keys: set[str] = set()
    for value in values:
        key = f"{kind_of(value)}:{value!r}"
        if key not in keys:
            keys.add(key)
            unique.append(value)
    return unique
