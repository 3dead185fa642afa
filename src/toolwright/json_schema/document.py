"""Documents of any draft, and what references in them lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._json_values import JsonObject, is_list, is_object

Draft = int
"""3, 4, 6, 7, 2019 or 2020."""
LATEST: Draft = 2020
_DRAFTS: dict[str, Draft] = {
    "draft-03": 3,
    "draft-04": 4,
    "draft-06": 6,
    "draft-07": 7,
    "2019-09": 2019,
    "2020-12": 2020,
}
NOTES = (
    *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
    "$comment",
)
"""Keywords that say something and check nothing."""
_CHANGED = frozenset(
    (
        *("dependencies", "exclusiveMinimum", "exclusiveMaximum", "additionalItems"),
        *("extends", "disallow", "divisibleBy", "$recursiveRef", "nullable"),
    )
)
_BESIDE_OLD_REFERENCE = frozenset((*NOTES, "$schema", "$defs", "definitions"))


def draft_of(root: Any, default: Draft = LATEST) -> Draft:
    """Return the draft that a document names; the default if it names none that is known."""
    address = root.get("$schema") if is_object(root) else None
    if isinstance(address, str):
        for part, draft in _DRAFTS.items():
            if part in address:
                return draft
    return default


def modern(node: JsonObject, draft: Draft = LATEST, *, nullable: bool = False) -> JsonObject:
    """Return a node as draft 2020-12 writes it; the node itself where that is no different.

    Only the node: schemas inside it stay as they are. With `nullable`, as OpenAPI 3.0 means it.
    """
    if draft <= 7 and isinstance(node.get("$ref"), str):  # nothing else counts (8.3)
        beside = node.keys() - _BESIDE_OLD_REFERENCE - {"$ref"}
        return {key: node[key] for key in node if key not in beside} if beside else node
    if is_list(node.get("items")):
        node = _positions(node)
    if node.keys() & _CHANGED:
        node = _renamed(dict(node), nullable=nullable)
    return _third(node) if draft == 3 else node


def _positions(node: JsonObject) -> JsonObject:
    """Write one schema per position (up to 2019-09) as `prefixItems`."""
    modern = {key: value for key, value in node.items() if key != "items"}
    if node["items"]:
        modern["prefixItems"] = node["items"]
    if "additionalItems" in modern:
        modern["items"] = modern.pop("additionalItems")
    return modern


def _renamed(node: JsonObject, *, nullable: bool) -> JsonObject:
    for bound in ("minimum", "maximum"):
        name = f"exclusive{bound.capitalize()}"
        if isinstance(node.get(name), bool) and node.pop(name) and bound in node:
            node[name] = node.pop(bound)
    if is_object(tied := node.pop("dependencies", None)):
        for name, needs in tied.items():
            is_schema = is_object(needs) or isinstance(needs, bool)
            key = "dependentSchemas" if is_schema else "dependentRequired"
            demand = [needs] if isinstance(needs, str) else needs  # draft 3
            node[key] = {**(node[key] if is_object(node.get(key)) else {}), name: demand}
    if "divisibleBy" in node:
        node.setdefault("multipleOf", node.pop("divisibleBy"))
    if "$recursiveRef" in node:
        node.setdefault("$dynamicRef", node.pop("$recursiveRef"))
    if nullable and node.pop("nullable", False) is True:
        _with_null(node)
    return node


def _with_null(node: JsonObject) -> None:
    kinds = node.get("type")
    if isinstance(kinds, str):
        kinds = [kinds]
    if is_list(kinds) and "null" not in kinds:
        node["type"] = [*kinds, "null"]
    if is_list(node.get("enum")) and None not in node["enum"]:
        node["enum"] = [*node["enum"], None]


def _third(node: JsonObject) -> JsonObject:
    """Write what only draft 3 has: schemas as types, and parts that say they are required."""
    modern = dict(node)
    kinds = modern.get("type")
    if is_list(kinds) and any(is_object(kind) for kind in kinds):
        del modern["type"]
        arms = [kind if is_object(kind) else {"type": kind} for kind in kinds]
        modern["allOf"] = [*_listed(modern.get("allOf")), {"anyOf": arms}]
    if modern.get("type") == "any" or (is_list(kinds) and "any" in kinds):
        modern.pop("type", None)
    extended = modern.pop("extends", None)
    if extended is not None:
        parts = extended if is_list(extended) else [extended]
        modern["allOf"] = [*_listed(modern.get("allOf")), *parts]
    if isinstance(modern.get("required"), bool):
        del modern["required"]
    properties = modern.get("properties")
    if is_object(properties):
        parts = [(name, part) for name, part in properties.items() if is_object(part)]
        modern["required"] = [name for name, part in parts if part.get("required") is True]
    return modern


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else []


MISSING: Any = object()
"""What a reference leads to that leads nowhere."""
_MOST_NODES = 50_000
"""How many parts of a document are looked at for names of their own."""
_REFERENCES = ("$ref", "$dynamicRef")
_NAMES = ("$id", "id", "$anchor", "$dynamicAnchor")


class Combined(NamedTuple):
    """The schemas that a node holds for the same value, by how they are combined."""

    reference: str | None
    all_of: list[Any]
    any_of: list[Any] | None
    one_of: list[Any] | None

    @property
    def arms(self) -> list[Any]:
        """Every schema in it, in the order in which readers look at them."""
        return [*self.all_of, *(self.any_of or ()), *(self.one_of or ())]

    def unions(self) -> Iterator[list[Any]]:
        """Yield each list of alternatives."""
        for arms in (self.any_of, self.one_of):
            if arms is not None:
                yield arms


def combined(node: JsonObject) -> Combined:
    """Return what a node refers to and is put together from."""
    reference = node.get("$ref", node.get("$dynamicRef"))
    every, some, exclusive = node.get("allOf"), node.get("anyOf"), node.get("oneOf")
    return Combined(
        reference if isinstance(reference, str) else None,
        every if is_list(every) else [],
        some if is_list(some) else None,
        exclusive if is_list(exclusive) else None,
    )


COMBINING = frozenset((*_REFERENCES, "$recursiveRef", "allOf", "anyOf", "oneOf"))
"""The keywords that `combined` reads."""


def own_part(node: JsonObject) -> JsonObject:
    """Return what a node itself says, without what it refers to and is put together from."""
    if not node.keys() & COMBINING:
        return node
    return {key: value for key, value in node.items() if key not in COMBINING}


class Document:
    """A JSON document that references point into. Nothing is ever fetched.

    `uri` is the address that its relative references start from. With `nullable`, a node may say
    `nullable: true`, as in OpenAPI 3.0.
    """

    def __init__(
        self, root: Any, *, uri: str = "", draft: Draft = LATEST, nullable: bool = False
    ) -> None:
        self.root = root
        self.uri = uri
        self.draft = draft_of(root, draft)
        self.nullable = nullable
        self._named: _NamedParts | None = None
        self._has_names: bool | None = None

    def modern(self, node: JsonObject) -> JsonObject:
        """Return one of its nodes as draft 2020-12 writes it."""
        return modern(node, self.draft, nullable=self.nullable)

    def resolve(self, reference: str, node: Any = None) -> Any:
        """Return what a reference leads to, or `MISSING`; `node` is the part that holds it."""
        is_pointer = reference in ("", "#") or reference.startswith("#/")
        if is_pointer and not self.has_names:
            return self.at(reference[1:])
        if self._named is None:
            self._named = _NamedParts(self)
        return self._named.resolve(reference, node)

    def at(self, pointer: str) -> Any:
        """Return the part that a JSON pointer leads to (RFC 6901), or `MISSING`."""
        part = self.root
        for step in pointer.split("/")[1:]:
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if is_object(part) and name in part:
                part = part[name]
            elif is_list(part) and name.isascii() and name.isdecimal() and len(name) < 9:
                if int(name) >= len(part):
                    return MISSING
                part = part[int(name)]
            else:
                return MISSING
        return part

    @property
    def has_names(self) -> bool:
        """Whether parts have an address or a name of their own, so that pointers may start there."""
        if self._has_names is None:
            self._has_names = _any_part(self.root, _is_named)
        return self._has_names

    def is_dynamic(self, node: JsonObject) -> bool:
        """Return whether the way to a node decides what it refers to, and not its place alone."""
        reference = node.get("$dynamicRef", node.get("$recursiveRef"))
        if not isinstance(reference, str) or not self.has_names:
            return False
        if "$recursiveRef" in node or self.draft == 2019:
            return _any_part(self.root, lambda part: part.get("$recursiveAnchor") is True)
        name = reference.rpartition("#")[2]
        return _any_part(self.root, lambda part: part.get("$dynamicAnchor") == name)


def _is_named(part: JsonObject) -> bool:
    has_name = any(isinstance(part.get(key), str) for key in _NAMES)
    return has_name or part.get("$recursiveAnchor") is True


def _any_part(root: Any, holds: Callable[[JsonObject], bool]) -> bool:
    """Return whether something holds for any object in a document."""
    waiting = [root]
    for _ in range(_MOST_NODES):
        if not waiting:
            break
        part = waiting.pop()
        if is_object(part):
            if holds(part):
                return True
            waiting.extend(part.values())
        elif is_list(part):
            waiting.extend(part)
    return False


class _NamedParts:
    """The parts of a document that have an address of their own, by the `referencing` package.

    Importing it takes 50 ms, and few documents need it.
    """

    def __init__(self, document: Document) -> None:
        from referencing import Resource
        from referencing.jsonschema import specification_with

        self.document = document
        self._specification = specification_with(_ADDRESSES[document.draft])
        resource: Any = Resource(contents=document.root, specification=self._specification)
        self._resolvers: dict[int, Any] = {}
        """What resolves the references of a part, by the identity of parts, all of which are in
        documents that are held."""
        registry = _registry()
        self._root: Any = registry.resolver()
        try:
            address = document.uri or resource.id() or ""
            self._root = registry.with_resource(address, resource).resolver(address)
        except Exception:  # noqa: BLE001 - a foreign document: its address may be anything
            return
        self._place(resource, self._root)

    def _place(self, resource: Any, resolver: Any) -> None:
        waiting = [(resource, resolver)]
        for _ in range(_MOST_NODES):
            if not waiting:
                break
            part, resolver = waiting.pop()
            try:
                resolver = resolver.in_subresource(part)
                subresources = list(part.subresources())
            except Exception:  # noqa: BLE001 - a foreign document: keywords may hold anything
                subresources = []
            if is_object(part.contents):
                self._resolvers[id(part.contents)] = resolver
            waiting.extend((subresource, resolver) for subresource in subresources)

    def resolve(self, reference: str, node: Any) -> Any:
        """Return what a reference leads to, or `MISSING`."""
        resolver = self._resolvers.get(id(node), self._root)
        try:
            resolved = resolver.lookup(reference)
        except Exception:  # noqa: BLE001 - as above; a reference may be no address at all
            return MISSING
        target = resolved.contents
        if is_object(target) and id(target) not in self._resolvers:
            from referencing import Resource

            specification: Any = self._specification
            resource: Any = Resource.from_contents(target, default_specification=specification)
            self._place(resource, resolved.resolver)
        return target


_ADDRESSES = {
    3: "http://json-schema.org/draft-03/schema#",
    4: "http://json-schema.org/draft-04/schema#",
    6: "http://json-schema.org/draft-06/schema#",
    7: "http://json-schema.org/draft-07/schema#",
    2019: "https://json-schema.org/draft/2019-09/schema",
    2020: "https://json-schema.org/draft/2020-12/schema",
}


def _registry() -> Any:
    """Return a registry of the meta-schemas of every draft."""
    from importlib import import_module

    return import_module("jsonschema_specifications").REGISTRY  # it has no types


REF = "$ref"
ONE_OF = "oneOf"
REF_PREFIX = "#/$defs/"


def reference_to(name: str) -> JsonObject:
    """Return a reference to a definition of the same document."""
    return {REF: f"{REF_PREFIX}{name.replace('~', '~0').replace('/', '~1')}"}


def any_of(arms: Iterable[Any]) -> JsonObject:
    """Return the schema of what fits one of several."""
    return {"anyOf": list(arms)}


def all_of(parts: Iterable[Any]) -> JsonObject:
    """Return the schema of what fits all of several."""
    return {"allOf": list(parts)}


def typed(kinds: Iterable[str]) -> JsonObject:
    """Return the schema of some kinds of values; it is `False` in effect if there are none."""
    listed = list(kinds)
    if "number" in listed and "integer" in listed:
        listed.remove("integer")
    return {"type": listed[0]} if len(listed) == 1 else {"type": listed}


def with_definitions(schema: Mapping[str, Any], root: Any) -> JsonObject:
    """Return a part of a document with the definitions of its root, which it may refer to."""
    definitions = {key: root[key] for key in ("$schema", "$defs", "definitions") if key in root}
    return {**definitions, **schema}
