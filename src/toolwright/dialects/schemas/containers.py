"""Objects, maps, lists and tuples as a dialect accepts them."""

from __future__ import annotations

from typing import Any

from ..._json_values import JsonObject
from ..codecs import Codec, Items, JsonText, Pairs, Positions, PublishedField, PublishedFields
from .scalars import write_limits
from .shapes import ANY, ARRAY, ENUM, NULL, REF, STRING, UNION, SchemaShape, union_of
from .unions import (
    REST,
    alone,
    has_others,
    has_rest,
    is_tuple,
    others_name,
    own_names,
    position_names,
    with_null,
)
from .words import in_words, shown
from .written import IN_WORDS, ShapeWriter, Written, closed_object, json_text

_PAIR_LIMITS = {"minProperties": "minItems", "maxProperties": "maxItems"}


def write_object(
    writer: ShapeWriter, shape: SchemaShape, path: str, *, is_root: bool = False
) -> Written:
    """Return an object with named properties, or a map."""
    rules = writer.rules
    if shape.is_map and not is_root:
        return (
            _write_pairs(writer, shape, path)
            if rules.maps == "pairs"
            else _map(writer, shape, path)
        )
    if not shape.properties and not rules.empty_objects and not is_root:
        schema = json_text(rules, "JSON text of an empty object: {}")
        return Written(writer.finish(schema, shape, [], changed=True), JsonText(), is_text=True)
    properties, required, fields = _properties(writer, shape, path)
    schema: JsonObject = {"type": "object", "properties": properties}
    sentences: list[str] = []
    others_codec: Codec | None = None
    extra_codec: Codec | None = None
    spreads = others_name(properties) if has_others(shape, rules) else ""
    if spreads:
        others_codec = _write_others(writer, shape, path, spreads, properties, required)
    if required or rules.required == "all":
        schema["required"] = required
    if not spreads:
        extra_codec = _write_extra(writer, schema, shape, path)
    elif rules.extra != "omit":
        schema["additionalProperties"] = False
    sentences += _key_rules(writer, schema, shape, path, is_open=not spreads and not rules.closed)
    sentences += write_limits(writer, schema, shape, path)
    sentences += writer.rest(schema, shape, path)
    changed = (
        bool(spreads)
        or extra_codec is not None
        or any(
            key != published.name or published.codec is not None or published.drops_null
            for key, published in fields.items()
        )
    )
    codec = PublishedFields(fields, spreads, others_codec, extra_codec) if changed else None
    return Written(writer.finish(schema, shape, sentences, changed=changed), codec)


def _properties(
    writer: ShapeWriter, shape: SchemaShape, path: str
) -> tuple[JsonObject, list[str], dict[str, PublishedField]]:
    rules = writer.rules
    names = own_names(shape, rules)
    needed = set(shape.required)
    all_needed = rules.required == "all" or (rules.required == "some" and not needed)
    properties: JsonObject = {}
    required: list[str] = []
    fields: dict[str, PublishedField] = {}
    for key, property_shape in shape.properties.items():
        name = names[key]
        property_path = f"{path}.{key}" if path else key
        encoded = writer.write(property_shape, property_path)
        schema, drops = encoded.schema, False
        if key not in needed and all_needed:
            drops = _null_is_absent(writer, property_shape)
            if not drops and "default" not in property_shape.notes:
                writer.lose(
                    property_path,
                    "required",
                    "cannot be left out here: null is sent, and stays null",
                )
            schema = alone(with_null(schema, rules), rules)
        if key in needed or all_needed:
            required.append(name)
        properties[name] = schema
        fields[name] = PublishedField(key, encoded.codec, drops)
    return properties, required, fields


def _null_is_absent(writer: ShapeWriter, shape: SchemaShape) -> bool:
    """Return whether null means that an optional property was left out."""
    if "default" in shape.notes:
        return shape.notes["default"] is None or not _takes_null(writer, shape)
    return shape.kind == ANY or not _takes_null(writer, shape)


def _takes_null(writer: ShapeWriter, shape: SchemaShape, depth: int = 0) -> bool:
    if shape.kind == REF and depth < 10:
        return _takes_null(writer, writer.document.shape_of(shape.target), depth + 1)
    if shape.kind == UNION and depth < 10:
        return any(_takes_null(writer, branch, depth + 1) for branch in shape.branches)
    return shape.kind in (ANY, NULL) or (shape.kind == ENUM and None in shape.values)


def _value_shape(shape: SchemaShape) -> SchemaShape:
    """Return the shape of the values of a map."""
    shapes = list(shape.patterns.values())
    if isinstance(shape.extra, SchemaShape):
        shapes.append(shape.extra)
    elif shape.extra is True or not shapes:
        return SchemaShape(ANY)
    return union_of(shapes)


def _key_shape(shape: SchemaShape) -> SchemaShape:
    """Return the shape of the keys of a map."""
    key = (
        shape.keys
        if shape.keys is not None and shape.keys.kind in (STRING, ENUM)
        else SchemaShape(STRING)
    )
    lone = (
        len(shape.patterns) == 1
        and not isinstance(shape.extra, SchemaShape)
        and shape.extra is not True
    )
    if lone and key.kind == STRING and "pattern" not in key.limits:
        key = key.copy()
        [key.limits["pattern"]] = shape.patterns
    return key


def _pairs(writer: ShapeWriter, shape: SchemaShape, path: str) -> tuple[JsonObject, Codec]:
    """Return a map as an array of keys and values."""
    if len(shape.patterns) > 1 or (shape.patterns and isinstance(shape.extra, SchemaShape)):
        writer.lose(path, "patternProperties", "is not said: which values go with which keys")
    key = writer.write(_key_shape(shape), f"{path}{{}}")
    value = writer.write(_value_shape(shape), f"{path}{{}}")
    pair = closed_object({"key": key.schema, "value": value.schema}, writer.rules)
    return {"type": "array", "items": pair}, Pairs(value.codec)


def _write_pairs(writer: ShapeWriter, shape: SchemaShape, path: str) -> Written:
    schema, codec = _pairs(writer, shape, path)
    sentences = _pair_limits(writer, schema, shape, path)
    sentences += writer.rest(schema, shape, path)
    if not shape.notes.get("description"):
        sentences.insert(0, "One entry for each key.")
    return Written(writer.finish(schema, shape, sentences, changed=True), codec)


def _pair_limits(
    writer: ShapeWriter, schema: JsonObject, shape: SchemaShape, path: str
) -> list[str]:
    """Count entries as items; note limits that cannot be written, and return them in words."""
    rules, sentences = writer.rules, list[str]()
    most = rules.most_min_items
    for key, value in shape.limits.items():
        counted = _PAIR_LIMITS[key]
        too_many = counted == "minItems" and most is not None and value > most
        if counted in rules.keywords and not too_many:
            schema[counted] = value
        else:
            sentences.append(in_words(key, value))
            writer.lose(path, key)
    return sentences


def _write_others(
    writer: ShapeWriter,
    shape: SchemaShape,
    path: str,
    name: str,
    properties: JsonObject,
    required: list[str],
) -> Codec:
    """Add a property that holds all properties that nobody named."""
    further = SchemaShape("object")
    further.extra, further.patterns, further.keys = shape.extra, shape.patterns, shape.keys
    schema, codec = _pairs(writer, further, f"{path}.{name}" if path else name)
    schema["description"] = "Further properties, one entry for each."
    if writer.rules.required == "all":
        schema = with_null(schema, writer.rules)
        required.append(name)
    properties[name] = alone(schema, writer.rules)
    return codec


def _write_extra(
    writer: ShapeWriter, schema: JsonObject, shape: SchemaShape, path: str
) -> Codec | None:
    """Write the rule for further properties."""
    rules = writer.rules
    if rules.extra == "omit":
        if isinstance(shape.extra, SchemaShape):
            writer.lose(path, "additionalProperties", "is not said")
        return None
    if rules.closed or shape.extra is False:
        schema["additionalProperties"] = False
    elif isinstance(shape.extra, SchemaShape):
        encoded = writer.write(shape.extra, f"{path}{{}}")
        schema["additionalProperties"] = encoded.schema
        return encoded.codec
    elif shape.extra is True:
        schema["additionalProperties"] = True
    elif rules.extra == "write":
        schema["additionalProperties"] = not shape.properties
    return None


def _key_rules(
    writer: ShapeWriter, schema: JsonObject, shape: SchemaShape, path: str, *, is_open: bool
) -> list[str]:
    """Write the rules for keys, in a dialect that takes open objects."""
    sentences: list[str] = []
    if shape.patterns and is_open:
        if "patternProperties" in writer.rules.keywords:
            schema["patternProperties"] = {
                key: writer.write(pattern_shape, f"{path}{{}}").schema
                for key, pattern_shape in shape.patterns.items()
            }
        else:
            sentences.append(f"Keys must match: {', '.join(shape.patterns)}")
            writer.lose(path, "patternProperties", IN_WORDS)
    if shape.keys is not None:
        if "propertyNames" in writer.rules.keywords and is_open:
            schema["propertyNames"] = writer.write(shape.keys, path).schema
        else:
            sentences.append(_names_in_words(shape.keys))
            writer.lose(path, "propertyNames", IN_WORDS)
    return sentences


def _names_in_words(keys: SchemaShape) -> str:
    sentences = [in_words(key, value) for key, value in keys.limits.items()]
    if keys.kind == ENUM:
        sentences.append(in_words("enum", keys.values))
    return f"Keys: {' '.join(sentences)}"


def _map(writer: ShapeWriter, shape: SchemaShape, path: str) -> Written:
    """Return a map as an object whose values have one shape."""
    schema: JsonObject = {"type": "object"}
    sentences: list[str] = []
    keeps_patterns = "patternProperties" in writer.rules.keywords
    value = shape.extra if keeps_patterns else _value_shape(shape)
    codec: Codec | None = None
    if isinstance(value, SchemaShape) and value.kind != ANY:
        encoded = writer.write(value, f"{path}{{}}")
        schema["additionalProperties"], codec = encoded.schema, encoded.codec
    elif value is not None and writer.rules.extra != "omit":
        is_open = shape.extra is not None or writer.rules.extra == "write"
        schema |= {"additionalProperties": True} if is_open else {}
    sentences += _key_rules(writer, schema, shape, path, is_open=True)
    sentences += write_limits(writer, schema, shape, path)
    sentences += writer.rest(schema, shape, path)
    undo = None if codec is None else PublishedFields({}, inner=codec)
    return Written(writer.finish(schema, shape, sentences, changed=undo is not None), undo)


def write_array(writer: ShapeWriter, shape: SchemaShape, path: str) -> Written:
    """Return a list, or a tuple."""
    how = writer.rules.tuples
    if is_tuple(shape) and how == "object":
        return _tuple_object(writer, shape, path)
    schema: JsonObject = {"type": "array"}
    codec: Codec | None = None
    sentences: list[str] = []
    if is_tuple(shape) and how == "native":
        parts = [
            writer.write(position_shape, f"{path}[{position}]")
            for position, position_shape in enumerate(shape.prefix)
        ]
        schema["prefixItems"] = [part.schema for part in parts]
        codecs = [part.codec for part in parts]
        rest_shape = shape.items
        if isinstance(rest_shape, SchemaShape):
            encoded = writer.write(rest_shape, f"{path}[]")
            schema["items"] = encoded.schema
            codecs.append(encoded.codec)
        elif rest_shape is False:
            schema["items"] = False
        if any(codecs):
            behind = codecs[len(parts)] if len(codecs) > len(parts) else None
            codec = Positions((), codecs[: len(parts)], rest_codec=behind)
    else:
        encoded = writer.write(_item_shape(writer, shape, path, sentences), f"{path}[]")
        schema["items"] = encoded.schema
        codec = Items(encoded.codec) if encoded.codec is not None else None
    limits = _counts(shape) if is_tuple(shape) and how != "native" else shape
    sentences += write_limits(writer, schema, limits, path)
    sentences += writer.rest(schema, shape, path)
    return Written(writer.finish(schema, shape, sentences, changed=codec is not None), codec)


def _item_shape(
    writer: ShapeWriter, shape: SchemaShape, path: str, sentences: list[str]
) -> SchemaShape:
    """Return the shape of the items of a list; for a tuple, that of all positions."""
    if not is_tuple(shape):
        return shape.items if isinstance(shape.items, SchemaShape) else SchemaShape(ANY)
    positions = [_brief(position_shape) for position_shape in shape.prefix]
    sentences.append(f"Positions: {', '.join(positions)}.")
    writer.lose(path, "prefixItems", "is only said in words: which position holds what")
    shapes = list(shape.prefix)
    if has_rest(shape):
        shapes.append(shape.items if isinstance(shape.items, SchemaShape) else SchemaShape(ANY))
    return union_of(_distinct(shapes))


def _distinct(shapes: list[SchemaShape]) -> list[SchemaShape]:
    distinct: list[SchemaShape] = []
    kinds: set[str] = set()
    for shape in shapes:
        plain = shape.is_bare and shape.kind in ("string", "number", "integer", "boolean", "null")
        if plain and shape.kind in kinds:
            continue
        kinds.add(shape.kind if plain else "")
        distinct.append(shape.copy() if plain else shape)
        if plain:
            distinct[-1].notes = {}
    return distinct


def _brief(shape: SchemaShape) -> str:
    name = shape.notes.get("title") or shape.kind
    if shape.kind == ENUM:
        name = " or ".join(shown(value) for value in shape.values[:5])
    return f"{name} ({shape.notes['description']})" if shape.notes.get("description") else str(name)


def _counts(shape: SchemaShape) -> SchemaShape:
    counted = shape.copy()
    if not has_rest(shape):
        counted.limits.setdefault("maxItems", len(shape.prefix))
    return counted


def _tuple_object(writer: ShapeWriter, shape: SchemaShape, path: str) -> Written:
    """Return a tuple as an object, with one property for each position."""
    rules = writer.rules
    names = position_names(shape)
    count = len(shape.prefix)
    needed = min(int(shape.limits.get("minItems", 0)), count)
    properties: dict[str, Any] = {}
    codecs: list[Codec | None] = []
    for position, position_shape in enumerate(shape.prefix):
        encoded = writer.write(position_shape, f"{path}[{position}]")
        optional = position >= needed
        properties[names[position]] = (
            alone(with_null(encoded.schema, rules), rules) if optional else encoded.schema
        )
        codecs.append(encoded.codec)
    rest_codec: Codec | None = None
    if has_rest(shape):
        encoded = writer.write(
            shape.items if isinstance(shape.items, SchemaShape) else SchemaShape(ANY), f"{path}[]"
        )
        schema = {"type": "array", "items": encoded.schema, "description": "Further items."}
        properties[REST] = alone(with_null(schema, rules), rules)
        rest_codec = encoded.codec
    schema = closed_object(properties, rules)
    unwritten = SchemaShape(ARRAY)
    unwritten.limits = {
        key: value
        for key, value in shape.limits.items()
        if key == "uniqueItems" or (has_rest(shape) and (key == "maxItems" or value > count))
    }
    sentences = _limits_in_words(writer, unwritten, path) + writer.rest(schema, shape, path)
    codec = Positions(names[:count], codecs, needed, REST if has_rest(shape) else "", rest_codec)
    return Written(writer.finish(schema, shape, sentences, changed=True), codec)


def _limits_in_words(writer: ShapeWriter, shape: SchemaShape, path: str) -> list[str]:
    for key in shape.limits:
        writer.lose(path, key)
    return [in_words(key, value) for key, value in shape.limits.items()]
