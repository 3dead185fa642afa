"""How branches of a union are told apart when they return."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..._json_values import kind_of
from ..codecs import JSON_KEY, Branch, tag
from ..facts.rules import Rules
from ..names import published
from .parse import ParsedDocument
from .shapes import ANY, ARRAY, ENUM, OBJECT, REF, UNION, SchemaShape

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
