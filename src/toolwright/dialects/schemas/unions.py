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
        variant
        for branch in shape.branches
        for variant in (enum_branches(branch) if branch.kind == ENUM else [branch])
    ]
    has_null = any(branch.kind == NULL for branch in branches)
    branches = [branch for branch in branches if branch.kind != NULL]
    encoded = [writer.write(branch, path) for branch in branches]
    schemas, codec = _together(encoded, branches, profiles, writer.rules)
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
    flat: list[JsonObject] = []
    for schema in schemas:
        if schema.keys() == {"anyOf"}:
            flat.extend(schema["anyOf"])
        else:
            flat.append(schema)
    return flat


def _together(
    written: list[Written], branches: list[SchemaShape], profiles: Profiles, rules: Rules
) -> tuple[list[JsonObject], Codec | None]:
    """Return the schemas of branches, and the codec that finds the branch of a value."""
    codecs = [part.codec for part in written]
    if not any(codecs):
        return [part.schema for part in written], None
    if len(written) == 1:
        return [written[0].schema], codecs[0]
    part_profiles = [
        TEXT if part.is_text else profiles.of(branch)
        for part, branch in zip(written, branches, strict=True)
    ]
    if is_ambiguous(part_profiles, [codec is not None for codec in codecs]):
        return _boxed(written, part_profiles, rules)
    lists = [codec for codec, profile in zip(codecs, part_profiles, strict=True) if profile.is_list]
    objects = [
        Branch(branch.keys, branch.required, branch.closed, branch.tags, codec)
        for codec, profile in zip(codecs, part_profiles, strict=True)
        for branch in profile.objects
    ]
    array = next((codec for codec in lists if codec is not None), None)
    return [part.schema for part in written], Union(array, objects)


def _boxed(
    written: list[Written], seen: list[Profile], rules: Rules
) -> tuple[list[JsonObject], Codec]:
    schemas: list[JsonObject] = []
    boxes: dict[str, Codec | None] = {}
    for number, (part, profile) in enumerate(zip(written, seen, strict=True), 1):
        if not profile.is_list and not profile.objects:
            schemas.append(part.schema)
            continue
        name = f"option_{number}"
        boxes[name] = part.codec
        schemas.append(closed_object({name: part.schema}, rules))
    return schemas, Boxes(boxes)


def _overlaps(writer: ShapeWriter, branches: list[SchemaShape]) -> bool:
    if len(branches) > _MOST_COMPARED:
        return True
    return any(
        may_overlap(branch, later, writer.document)
        for index, branch in enumerate(branches)
        for later in branches[index + 1 :]
    )


def with_null(schema: JsonObject, rules: Rules) -> JsonObject:
    """Return a schema that null also fits."""
    if rules.null == "nullable":
        if "anyOf" in schema and rules.lone_unions:
            return {**schema, "anyOf": [{**branch, "nullable": True} for branch in schema["anyOf"]]}
        return {**schema, "nullable": True}
    kind = schema.get("type")
    if kind == "null" or (is_list(kind) and "null" in kind):
        return schema
    listed = rules.null == "list" and isinstance(kind, str) and kind not in ("object", "array")
    if listed and "enum" not in schema:
        return {**schema, "type": [kind, "null"]}
    null: JsonObject = {"type": "null"}
    if "anyOf" in schema:
        branches: list[Any] = schema["anyOf"]
        return schema if null in branches else {**schema, "anyOf": [*branches, null]}
    beside = {key: value for key, value in schema.items() if key in _BESIDE_NULL}
    plain = {key: value for key, value in schema.items() if key not in _BESIDE_NULL}
    return {"anyOf": [plain, null], **beside}


def alone(schema: JsonObject, rules: Rules) -> JsonObject:
    """Return a union with nothing beside it, if the dialect requires that."""
    if not rules.lone_unions or "anyOf" not in schema or len(schema) == 1:
        return schema
    first, *further = schema["anyOf"]
    description = schema.get("description", "")
    own_description = first.get("description", "")
    if description:
        first = {**first, "description": f"{description} {own_description}".strip()}
    branches = [first, *further]
    if schema.get("nullable"):
        branches = [{**branch, "nullable": True} for branch in branches]
    return {"anyOf": branches}
