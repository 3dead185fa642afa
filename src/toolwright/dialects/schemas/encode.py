"""Writes the schema of a tool as a dialect accepts it."""

from __future__ import annotations

import json
from typing import NamedTuple

from ..._json_values import JsonObject, compact_json
from ..codecs import Codec, JsonText, NamedCodec, Wrapped
from ..rules import NameRule, Rules, published
from .containers import write_array, write_object
from .parse import ParsedDocument
from .scalars import enum_branches, write_enum, write_scalar
from .shapes import ANY, ARRAY, ENUM, NEVER, OBJECT, REF, SCALARS, UNION, SchemaShape
from .unions import Profiles, alone, with_null, write_union
from .words import with_sentences
from .written import LossPlace, ShapeWriter, Written, json_text

ROOT_KEY = "value"
"""The property that holds arguments whose root is a union."""
_MOST_UNROLLED = 3000
"""With more schemas than this in one tool, recursion is written out fewer times."""
_MOST_WRITTEN = 8000
"""How many schemas are written for one tool; the rest is left out."""
_LEVELS = (3, 2, 1)
"""How often a definition that contains itself is written inside itself."""
_DEFINITION_NAMES = NameRule("A-Za-z0-9_")


class EncodedSchema(NamedTuple):
    """A tool's schema as a dialect accepts it."""

    schema: bytes
    codec: Codec | None
    places: tuple[LossPlace, ...]
    sentences: tuple[str, ...]
    """What is to be said in the description of the tool."""

    def fresh(self) -> JsonObject:
        """Return a new copy of the schema."""
        return json.loads(self.schema)


def encode(document: ParsedDocument, rules: Rules) -> EncodedSchema:
    """Return a schema as a dialect accepts it."""
    for levels in _LEVELS[:-1] if rules.refs == "inline" and document.recursive else ():
        writer = DialectWriter(document, rules, levels)
        encoded = writer.encode()
        if writer.count <= _MOST_UNROLLED:
            return encoded
    return DialectWriter(document, rules, _LEVELS[-1]).encode()


class DialectWriter(ShapeWriter):
    """Writes shapes as one dialect has them."""

    def __init__(self, document: ParsedDocument, rules: Rules, levels: int) -> None:
        super().__init__(document, rules)
        self.count = 0
        self._profiles = Profiles(document, rules)
        self._levels = levels
        self._open: dict[str, int] = {}
        self._codecs: dict[str, Codec | None] = {}
        self._names: dict[str, str] = {}
        self._definitions: dict[str, JsonObject] = {}

    def encode(self) -> EncodedSchema:
        """Return the root, with all definitions that it needs."""
        root, sentences = self._rootless(self.document.root)
        for target in self.document.lost:
            self.lose("", "$ref", f"to {target[:100]} leads nowhere: any value is taken there")
        if root.kind == OBJECT:
            encoded = write_object(self, root, "", is_root=True)
            schema, codec = encoded.schema, encoded.codec
        else:
            schema, codec = self._wrapped(root)
        if self.rules.root_keys is not None:
            description = schema.get("description")
            sentences = [*([description] if description else []), *sentences]
            schema = {key: value for key, value in schema.items() if key in self.rules.root_keys}
        if self._definitions:
            schema["$defs"] = self._definitions
        return EncodedSchema(compact_json(schema), codec, tuple(self.places), tuple(sentences))

    def _rootless(self, root: SchemaShape) -> tuple[SchemaShape, list[str]]:
        """Return the root without what is not allowed there, and that in words."""
        if not root.rest:
            return root, []
        root = root.copy()
        sentences = self.all_in_words(root.rest, "")
        root.rest = {}
        return root, sentences

    def _wrapped(self, root: SchemaShape) -> tuple[JsonObject, Codec | None]:
        """Return arguments that are not a plain object, inside a property."""
        if root.kind in (ANY, NEVER):
            return write_object(self, SchemaShape(OBJECT), "", is_root=True).schema, None
        encoded = self.write(root, "")
        schema: JsonObject = {
            "type": "object",
            "properties": {ROOT_KEY: encoded.schema},
            "required": [ROOT_KEY],
        }
        if self.rules.extra != "omit":
            schema["additionalProperties"] = False
        return schema, Wrapped(ROOT_KEY, encoded.codec)

    def write(self, shape: SchemaShape, path: str) -> Written:
        """Return a shape as a schema."""
        self.count += 1
        kind = shape.kind
        if "examples" in shape.notes and "examples" not in self.rules.keywords:
            self.lose(path, "examples")
        if self.count > _MOST_WRITTEN and kind not in SCALARS:
            self.lose(path, "$ref", "is cut here: written out, the schema is too large")
            return self._stub(shape, "")
        if kind in SCALARS:
            return write_scalar(self, shape, path)
        if kind == OBJECT:
            return write_object(self, shape, path)
        if kind == ARRAY:
            return write_array(self, shape, path)
        if kind == UNION:
            return write_union(self, self._profiles, shape, path)
        if kind == ENUM:
            return self._enum(shape, path)
        if kind == REF:
            return self._ref(shape, path)
        return self._anything(shape, path)

    def _enum(self, shape: SchemaShape, path: str) -> Written:
        branches = enum_branches(shape)
        if len(branches) == 1:
            return write_enum(self, shape, path)
        union = SchemaShape(UNION)
        union.branches, union.notes = branches, shape.notes
        return write_union(self, self._profiles, union, path)

    def _anything(self, shape: SchemaShape, path: str) -> Written:
        """Return what any value fits: never an empty schema, which some clients misread."""
        if shape.kind == NEVER:
            self.lose(path, "not", "is not said: no value fits here")
            return Written(self.finish({"type": "null"}, shape, ["Leave it out."]))
        scalars: list[JsonObject] = [{"type": kind} for kind in ("string", "number", "boolean")]
        sentences: list[str] = []
        if self.rules.anything == "text":
            text = json_text(self.rules, "JSON text of an object or a list.")
            branches, codec = [*scalars, text], JsonText()
        else:
            free = write_object(self, SchemaShape(OBJECT), path).schema
            items: JsonObject = {"anyOf": [*scalars, free, {"type": "null"}]}
            branches, codec = [*scalars, free, {"type": "array", "items": items}], None
        schema: JsonObject = {"anyOf": branches}
        sentences += self.rest(schema, shape, path)
        schema = self.finish(schema, shape, sentences, changed=codec is not None)
        return Written(alone(with_null(schema, self.rules), self.rules), codec, is_text=False)

    def _ref(self, shape: SchemaShape, path: str) -> Written:
        target = shape.target
        if self.rules.refs == "keep":
            return self._kept(shape, path)
        if self._open.get(target, 0) >= self._levels:
            self.lose(path, "$ref", "is not followed further: it contains itself")
            return self._stub(shape, target)
        self._open[target] = self._open.get(target, 0) + 1
        target_shape = self.document.shape_of(target).noted(shape.notes)
        encoded = self.write(target_shape, path)
        if shape.rest:
            sentences = self.all_in_words(shape.rest, path)
            description = with_sentences(encoded.schema.get("description", ""), sentences)
            encoded = encoded._replace(schema={**encoded.schema, "description": description})
        self._open[target] -= 1
        if not self._open[target]:
            self._codecs[target] = encoded.codec
        return encoded

    def _stub(self, shape: SchemaShape, target: str) -> Written:
        """Return what stands for a definition that is not written out again."""
        target_shape = self.document.shape_of(target) if target else shape
        name = target.rpartition("/")[2]
        sentence = f"Of the same shape as the {name} around it." if name not in ("", "#") else ""
        if self.rules.anything == "text":
            schema = json_text(self.rules, f"JSON text. {sentence}".strip())
            codec = NamedCodec(target, self._codecs) if target else None
            done = self.finish(schema, shape, [], changed=True)
            return Written(done, JsonText(codec), is_text=True)
        kind = target_shape.kind if target_shape.kind in (OBJECT, ARRAY) else ANY
        stub = SchemaShape(kind).noted(shape.notes)
        encoded = self._anything(stub, "") if kind == ANY else self._free(stub)
        if sentence:
            encoded.schema["description"] = with_sentences(
                encoded.schema.get("description", ""), [sentence]
            )
        return encoded

    def _free(self, stub: SchemaShape) -> Written:
        if stub.kind == ARRAY:
            return write_array(self, stub, "")
        return write_object(self, stub, "")

    def _kept(self, shape: SchemaShape, path: str) -> Written:
        """Return a reference to a definition, which is written once."""
        target = shape.target
        if target not in self._names:
            self._names[target] = self._definition_name(target)
            name = self._names[target]
            self._definitions[name] = {}
            encoded = self.write(self.document.shape_of(target), path)
            self._definitions[name] = encoded.schema
            self._codecs[target] = encoded.codec
        schema: JsonObject = {"$ref": f"#/$defs/{self._names[target]}"}
        needs = self._profiles.needs_codec(shape)
        codec = NamedCodec(target, self._codecs) if needs else None
        sentences = self.all_in_words(shape.rest, path)
        if (shape.notes or sentences) and not self.rules.ref_siblings:
            schema = {"anyOf": [schema]}
        return Written(self.finish(schema, shape, sentences, changed=needs), codec)

    def _definition_name(self, target: str) -> str:
        last = target.rpartition("/")[2]
        title = "root" if last in ("", "#") else last
        [plain] = published([title], _DEFINITION_NAMES).values()
        name, number = plain, 2
        while name in self._definitions:
            name, number = f"{plain}_{number}", number + 1
        return name
