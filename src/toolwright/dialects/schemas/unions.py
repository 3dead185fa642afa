"""Unions as a dialect accepts them, and back."""

from __future__ import annotations

from typing import Any

from ..._json_values import JsonObject, is_list
from ..codecs import Boxes, Branch, Codec, Union
from ..facts.rules import Rules
from .profiles import TEXT, Profile, Profiles, is_ambiguous, may_overlap
from .scalars import enum_branches
from .shapes import ENUM, NULL, SchemaShape
from .written import ShapeWriter, Written, closed_object

_MOST_COMPARED = 50
_BESIDE_NULL = frozenset(("description", "default", "title"))


def write_union(writer: ShapeWriter, profiles: Profiles, shape: SchemaShape, path: str) -> Written:
    """Return a union; branches that could not be told apart are put into boxes."""
    branches = [
        each
        for branch in shape.branches
        for each in (enum_branches(branch) if branch.kind == ENUM else [branch])
    ]
    has_null = any(branch.kind == NULL for branch in branches)
    branches = [branch for branch in branches if branch.kind != NULL]
    written = [writer.write(branch, path) for branch in branches]
    schemas, codec = _together(written, branches, profiles, writer.rules)
    sentences: list[str] = []
    key = "anyOf"
    if shape.exclusive:
        if "oneOf" in writer.rules.keywords and codec is None and not has_null:
            key = "oneOf"
        elif _overlaps(writer, branches):
            writer.lose(path, "oneOf", "is anyOf here: that just one may fit is not said")
    if len(schemas) == 1:
        schema = dict(schemas[0])
    elif schemas:
        schema = {key: _flat(schemas) if key == "anyOf" else schemas}
    else:
        return writer.write(SchemaShape(NULL).noted(shape.notes), path)
    sentences += writer.rest(schema, shape, path)
    schema = writer.finish(schema, shape, sentences, changed=codec is not None)
    if has_null:
        schema = with_null(schema, writer.rules)
    return Written(alone(schema, writer.rules), codec)


def _flat(schemas: list[JsonObject]) -> list[JsonObject]:
    made: list[JsonObject] = []
    for each in schemas:
        if each.keys() == {"anyOf"}:
            made.extend(each["anyOf"])
        else:
            made.append(each)
    return made


def _together(
    written: list[Written], branches: list[SchemaShape], profiles: Profiles, rules: Rules
) -> tuple[list[JsonObject], Codec | None]:
    """Return the schemas of branches, and the codec that finds the branch of a value."""
    codecs = [each.codec for each in written]
    if not any(codecs):
        return [each.schema for each in written], None
    if len(written) == 1:
        return [written[0].schema], codecs[0]
    seen = [
        TEXT if each.is_text else profiles.of(branch)
        for each, branch in zip(written, branches, strict=True)
    ]
    if is_ambiguous(seen, [codec is not None for codec in codecs]):
        return _boxed(written, seen, rules)
    lists = [codec for codec, each in zip(codecs, seen, strict=True) if each.is_list]
    objects = [
        Branch(each.keys, each.required, each.closed, each.tags, codec)
        for codec, found in zip(codecs, seen, strict=True)
        for each in found.objects
    ]
    array = next((codec for codec in lists if codec is not None), None)
    return [each.schema for each in written], Union(array, objects)


def _boxed(
    written: list[Written], seen: list[Profile], rules: Rules
) -> tuple[list[JsonObject], Codec]:
    schemas: list[JsonObject] = []
    boxes: dict[str, Codec | None] = {}
    for at, (each, profile) in enumerate(zip(written, seen, strict=True), 1):
        if not profile.is_list and not profile.objects:
            schemas.append(each.schema)
            continue
        name = f"option_{at}"
        boxes[name] = each.codec
        schemas.append(closed_object({name: each.schema}, rules))
    return schemas, Boxes(boxes)


def _overlaps(writer: ShapeWriter, branches: list[SchemaShape]) -> bool:
    if len(branches) > _MOST_COMPARED:
        return True
    return any(
        may_overlap(one, other, writer.document)
        for at, one in enumerate(branches)
        for other in branches[at + 1 :]
    )


def with_null(schema: JsonObject, rules: Rules) -> JsonObject:
    """Return a schema that null also fits."""
    if rules.null == "nullable":
        if "anyOf" in schema and rules.lone_unions:
            return {**schema, "anyOf": [{**each, "nullable": True} for each in schema["anyOf"]]}
        return {**schema, "nullable": True}
    kind = schema.get("type")
    if kind == "null" or (is_list(kind) and "null" in kind):
        return schema
    listed = rules.null == "list" and isinstance(kind, str) and kind not in ("object", "array")
    if listed and "enum" not in schema:
        return {**schema, "type": [kind, "null"]}
    null: JsonObject = {"type": "null"}
    if "anyOf" in schema:
        held: list[Any] = schema["anyOf"]
        return schema if null in held else {**schema, "anyOf": [*held, null]}
    beside = {key: value for key, value in schema.items() if key in _BESIDE_NULL}
    inner = {key: value for key, value in schema.items() if key not in _BESIDE_NULL}
    return {"anyOf": [inner, null], **beside}


def alone(schema: JsonObject, rules: Rules) -> JsonObject:
    """Return a union with nothing beside it, if the dialect requires that."""
    if not rules.lone_unions or "anyOf" not in schema or len(schema) == 1:
        return schema
    first, *others = schema["anyOf"]
    said = schema.get("description", "")
    own = first.get("description", "")
    if said:
        first = {**first, "description": f"{said} {own}".strip()}
    made = [first, *others]
    if schema.get("nullable"):
        made = [{**each, "nullable": True} for each in made]
    return {"anyOf": made}
