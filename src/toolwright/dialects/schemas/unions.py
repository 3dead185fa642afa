"""Unions as a dialect accepts them, told apart when they return."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..._json_values import JsonObject, is_list, kind_of
from ..codecs import JSON_KEY, Boxes, Branch, Codec, Union, tag
from ..rules import Rules, published
from .parse import ParsedDocument
from .scalars import enum_branches
from .shapes import ANY, ARRAY, ENUM, NULL, OBJECT, REF, UNION, SchemaShape
from .written import ShapeWriter, Written, closed_object

REST = "more_items"
_NO_KEYS: frozenset[str] = frozenset()
_MOST_COMPARED = 100


class Profile(NamedTuple):
    """What a shape looks like where it is published: whether as a list, and as which objects."""

    is_list: bool = False
    objects: tuple[Branch, ...] = ()


TEXT = Profile(objects=(Branch(frozenset((JSON_KEY,)), frozenset((JSON_KEY,)), True, {}, None),))
_OPEN = Branch(_NO_KEYS, _NO_KEYS, closed=False, tags={}, codec=None)


class Profiles:
    """Looks at shapes as one dialect publishes them, without writing them."""

    def __init__(self, document: ParsedDocument, rules: Rules) -> None:
        self._document = document
        self._rules = rules
        self._needs: dict[str, bool] = {}

    def of(self, shape: SchemaShape, seen: frozenset[str] = _NO_KEYS) -> Profile:
        """Return what a shape looks like."""
        if shape.kind == OBJECT:
            return self._of_object(shape)
        if shape.kind == ARRAY:
            if self._rules.tuples == "object" and is_tuple(shape):
                keys = frozenset(position_names(shape))
                return Profile(objects=(Branch(keys, _NO_KEYS, True, {}, None),))
            return Profile(is_list=True)
        if shape.kind == ANY:
            return TEXT if self._rules.anything == "text" else Profile(True, (_OPEN,))
        if shape.kind == ENUM:
            kinds = {kind_of(value) for value in shape.values}
            if kinds & {OBJECT, ARRAY} and self._rules.anything == "text":
                return TEXT
            return Profile(ARRAY in kinds, (_OPEN,) if OBJECT in kinds else ())
        if shape.kind == REF:
            if shape.target in seen:
                return Profile(True, (_OPEN,))
            return self.of(self._document.shape_of(shape.target), seen | {shape.target})
        profiles = [self.of(branch, seen) for branch in shape.branches]
        return Profile(
            any(profile.is_list for profile in profiles),
            tuple(branch for profile in profiles for branch in profile.objects),
        )

    def _of_object(self, shape: SchemaShape) -> Profile:
        rules = self._rules
        if shape.is_map:
            return Profile(True) if rules.maps == "pairs" else Profile(objects=(_OPEN,))
        if not shape.properties and not rules.empty_objects:
            return TEXT
        names = own_names(shape, rules)
        keys = frozenset(names.values())
        if has_others(shape, rules):
            keys |= {others_name(keys)}
        required = (
            keys
            if rules.required == "all"
            else frozenset(names[key] for key in shape.required if key in names)
        )
        tags = {
            names[key]: frozenset(map(tag, property_shape.values))
            for key, property_shape in shape.properties.items()
            if property_shape.kind == ENUM and key in shape.required
        }
        closed = rules.closed or (shape.extra is False and not shape.patterns)
        return Profile(objects=(Branch(keys, required, closed, tags, None),))

    def needs_codec(self, shape: SchemaShape) -> bool:
        """Return whether anything in a shape must be undone."""
        if not self._rules.changes:
            return False
        targets: set[str] = set()
        looked_at: set[int] = set()  # a merged shape may be part of many shapes
        todo, needs = [shape], False
        while todo and not needs:
            part = todo.pop()
            if id(part) in looked_at:
                continue
            looked_at.add(id(part))
            if part.kind == REF:
                if part.target in self._needs:
                    needs = self._needs[part.target]
                elif part.target not in targets:
                    targets.add(part.target)
                    todo.append(self._document.shape_of(part.target))
            else:
                needs = self._is_changed(part)
                todo.extend(inner_shapes(part))
        if not needs:
            self._needs.update(dict.fromkeys(targets, False))
        elif shape.kind == REF:
            self._needs[shape.target] = True
        return needs

    def _is_changed(self, shape: SchemaShape) -> bool:
        rules = self._rules
        if shape.kind == ANY:
            return rules.anything == "text"
        if shape.kind == ENUM:
            kinds = {kind_of(value) for value in shape.values}
            return rules.anything == "text" and bool(kinds & {OBJECT, ARRAY})
        if shape.kind == ARRAY:
            return rules.tuples == "object" and is_tuple(shape)
        if shape.kind != OBJECT:
            return False
        if shape.is_map:
            return rules.maps == "pairs"
        if not shape.properties:
            return not rules.empty_objects
        if any(key != name for key, name in own_names(shape, rules).items()):
            return True
        if rules.required != "as-is" and shape.properties.keys() - set(shape.required):
            return True
        return has_others(shape, rules)


def inner_shapes(shape: SchemaShape) -> list[SchemaShape]:
    """Return the shapes directly inside one."""
    shapes = [*shape.properties.values(), *shape.patterns.values(), *shape.prefix, *shape.branches]
    shapes += [part for part in (shape.extra, shape.items) if isinstance(part, SchemaShape)]
    return shapes


def own_names(shape: SchemaShape, rules: Rules) -> Mapping[str, str]:
    """Return the published name of each property, by its own."""
    if rules.keys is None:
        return {key: key for key in shape.properties}
    return published(shape.properties, rules.keys)


def has_others(shape: SchemaShape, rules: Rules) -> bool:
    """Return whether further properties are published as a property of their own."""
    is_open = shape.extra is True or isinstance(shape.extra, SchemaShape) or bool(shape.patterns)
    return is_open and (rules.closed or rules.maps == "pairs")


def others_name(names: Collection[str]) -> str:
    """Return the name of the property that holds all undeclared properties."""
    name, number = "additional_properties", 2
    while name in names:
        name, number = f"additional_properties_{number}", number + 1
    return name


def is_tuple(shape: SchemaShape) -> bool:
    """Return whether an array has positions of different shapes."""
    return bool(shape.prefix)


def position_names(shape: SchemaShape) -> Sequence[str]:
    """Return the names of positions where a list is published as an object."""
    names = [f"item_{position}" for position in range(1, len(shape.prefix) + 1)]
    return [*names, REST] if has_rest(shape) else names


def has_rest(shape: SchemaShape) -> bool:
    """Return whether there may be items after the positions."""
    most = shape.limits.get("maxItems")
    return shape.items is not False and (most is None or most > len(shape.prefix))


def is_ambiguous(profiles: Sequence[Profile], needs: Sequence[bool]) -> bool:
    """Return whether a value could belong to two branches, one of which must be undone."""
    if not any(needs):
        return False
    if sum(profile.is_list for profile in profiles) > 1:
        lists = [need for profile, need in zip(profiles, needs, strict=True) if profile.is_list]
        if any(lists):
            return True
    objects = [branch for profile in profiles for branch in profile.objects]
    object_needs = [
        need for profile, need in zip(profiles, needs, strict=True) for _ in profile.objects
    ]
    if len(objects) < 2 or not any(object_needs):
        return False
    if len(objects) > _MOST_COMPARED:
        return not _all_tagged(objects)
    return any(
        not _apart(branch, later)
        for index, branch in enumerate(objects)
        for later in objects[index + 1 :]
    )


def _apart(one: Branch, other: Branch) -> bool:
    """Return whether no object can look like both branches."""
    for key in one.tags.keys() & other.tags.keys():
        if not one.tags[key] & other.tags[key]:
            return True
    return _never_fits(one, other) and _never_fits(other, one)


def _never_fits(one: Branch, other: Branch) -> bool:
    return other.closed and not one.required <= other.keys


def _all_tagged(branches: Sequence[Branch]) -> bool:
    for key in branches[0].tags:
        tags: set[object] = set()
        for branch in branches:
            values = branch.tags.get(key)
            if values is None or values & tags:
                break
            tags |= values
        else:
            return True
    return False


def may_overlap(one: SchemaShape, other: SchemaShape, document: ParsedDocument) -> bool:
    """Return whether a value may fit both shapes, as far as can be seen."""
    one, other = (_followed(shape, document) for shape in (one, other))
    if ANY in (one.kind, other.kind) or UNION in (one.kind, other.kind):
        return True
    if ENUM in (one.kind, other.kind):
        kinds, other_kinds = (_kinds_of(shape) for shape in (one, other))
        if one.kind == other.kind:
            return bool(set(map(tag, one.values)) & set(map(tag, other.values)))
        return bool(kinds & other_kinds)
    if not _kinds_of(one) & _kinds_of(other):
        return False
    if one.kind != OBJECT:
        return True
    return _objects_overlap(one, other)


def _followed(shape: SchemaShape, document: ParsedDocument) -> SchemaShape:
    for _ in range(10):
        if shape.kind != REF:
            break
        shape = document.shape_of(shape.target)
    return shape


def _kinds_of(shape: SchemaShape) -> set[str]:
    if shape.kind == ENUM:
        return {kind_of(value) for value in shape.values}
    return {"integer", "number"} if shape.kind == "number" else {shape.kind}


def _objects_overlap(one: SchemaShape, other: SchemaShape) -> bool:
    for key in set(one.required) & set(other.required):
        property_shape, other_property = one.properties.get(key), other.properties.get(key)
        if (
            property_shape is None
            or other_property is None
            or property_shape.kind != ENUM
            or other_property.kind != ENUM
        ):
            continue
        if not set(map(tag, property_shape.values)) & set(map(tag, other_property.values)):
            return False
    apart = (one.extra is False and not set(other.required) <= one.properties.keys()) or (
        other.extra is False and not set(one.required) <= other.properties.keys()
    )
    return not apart


_MOST_EXCLUSIVE = 50
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
    if len(branches) > _MOST_EXCLUSIVE:
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
