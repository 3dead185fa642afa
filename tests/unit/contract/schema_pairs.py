"""Pairs of schemas and values for them, drawn at random: nothing here knows the classifier."""

import copy
import json
import random

NAMES = ("a", "b", "kind", "size")
WORDS = ("", "x", "red", "blue", "a1", "2024-02-03", "abcdef")
PATTERNS = ("^[a-z]+$", "^a", "[0-9]", "^x_")
FORMATS = ("date", "uuid", "ipv4", "email")
KEPT = 5


def schema(draw, depth=3, names=()):
    """Draw a schema; `names` are definitions that it may refer to."""
    kinds = ["integer", "number", "string", "boolean", "null", "enum", "const", "types"]
    if depth:
        kinds += ["object"] * 4 + ["array"] * 2 + ["anyOf"] * 2 + ["oneOf", "allOf", "not", "tuple"]
    if names:
        kinds += ["ref"] * 2
    return MAKERS[draw.choice(kinds)](draw, depth - 1, names)


def document(draw, depth=3):
    """Draw a whole schema, with definitions now and then, which may be recursive."""
    if draw.random() < 0.7:
        return schema(draw, depth)
    names = ("One", "Two")
    made = {"type": "object", "properties": {}}
    for name in draw.sample(NAMES, 2):
        made["properties"][name] = schema(draw, depth - 1, names)
    made["$defs"] = {name: guarded(draw, depth - 1, names) for name in names}
    return made


def guarded(draw, depth, names):
    """Draw a definition whose references are inside an object or an array."""
    made = {"type": "object", "properties": {"v": schema(draw, 0)}}
    for name in draw.sample(NAMES, draw.randint(0, 2)):
        made["properties"][name] = schema(draw, max(depth - 1, 0), names)
    return made


def bounds(draw, made, low, high, values):
    if draw.random() < 0.5:
        made[low] = draw.choice(values)
    if draw.random() < 0.5:
        made[high] = made.get(low, 0) + draw.choice(values)
    return made


def integer(draw, depth, names):
    made = {"type": "integer"}
    if draw.random() < 0.2:
        made["multipleOf"] = draw.choice((2, 3, 5, 10))
    if draw.random() < 0.2:
        return bounds(draw, made, "exclusiveMinimum", "exclusiveMaximum", (0, 1, 3, 10))
    return bounds(draw, made, "minimum", "maximum", (0, 1, 3, 10))


def number(draw, depth, names):
    made = integer(draw, depth, names) | {"type": "number"}
    if draw.random() < 0.2:
        made["minimum"] = draw.choice((-1.5, 0.5, 2.25))
    return made


def string(draw, depth, names):
    made = bounds(draw, {"type": "string"}, "minLength", "maxLength", (0, 1, 2, 6))
    if draw.random() < 0.2:
        made["pattern"] = draw.choice(PATTERNS)
    elif draw.random() < 0.2:
        made = {"type": "string", "format": draw.choice(FORMATS)}
    return made


def plain(kind):
    return lambda draw, depth, names: {"type": kind}


def enum(draw, depth, names):
    values = [*WORDS, 0, 1, 2, True, False, None, 1.5]
    return {"enum": draw.sample(values, draw.randint(1, 4))}


def const(draw, depth, names):
    return {"const": draw.choice([*WORDS, 0, 1, True, None])}


def types(draw, depth, names):
    kinds = ("null", "boolean", "integer", "number", "string", "array", "object")
    return {"type": draw.sample(kinds, draw.randint(2, 4))}


def object_(draw, depth, names):
    made = {"type": "object", "properties": {}}
    if draw.random() < 0.1:
        del made["type"]
    for name in draw.sample(NAMES, draw.randint(0, 3)):
        made["properties"][name] = schema(draw, depth, names)
    known = sorted(made["properties"])
    if known and draw.random() < 0.6:
        made["required"] = draw.sample(known, draw.randint(1, len(known)))
    extra = draw.random()
    if extra < 0.4:
        made["additionalProperties"] = False
    elif extra < 0.6:
        made["additionalProperties"] = schema(draw, 0)
    if draw.random() < 0.1:
        made["patternProperties"] = {draw.choice(PATTERNS): schema(draw, 0)}
    if draw.random() < 0.1:
        bounds(draw, made, "minProperties", "maxProperties", (0, 1, 2))
    if draw.random() < 0.07:
        made["propertyNames"] = {"pattern": draw.choice(PATTERNS)}
    if draw.random() < 0.07:
        made["dependentRequired"] = {draw.choice(NAMES): [draw.choice(NAMES)]}
    return made


def array(draw, depth, names):
    made = {"type": "array", "items": schema(draw, depth, names)}
    bounds(draw, made, "minItems", "maxItems", (0, 1, 2))
    if draw.random() < 0.2:
        made["uniqueItems"] = True
    if draw.random() < 0.1:
        made["contains"] = schema(draw, 0)
    return made


def tuple_(draw, depth, names):
    made = {"type": "array", "prefixItems": [schema(draw, depth, names) for _ in range(2)]}
    made["items"] = draw.choice((False, True, {"type": "integer"}))
    return bounds(draw, made, "minItems", "maxItems", (0, 1, 2))


def arms(keyword):
    def make(draw, depth, names):
        return {keyword: [schema(draw, depth, names) for _ in range(draw.randint(2, 3))]}

    return make


def negation(draw, depth, names):
    return {"not": schema(draw, 0)}


def reference(draw, depth, names):
    return {"$ref": f"#/$defs/{draw.choice(names)}"}


MAKERS = {
    **{kind: plain(kind) for kind in ("boolean", "null")},
    **{keyword: arms(keyword) for keyword in ("anyOf", "oneOf", "allOf")},
    "integer": integer,
    "number": number,
    "string": string,
    "enum": enum,
    "const": const,
    "types": types,
    "object": object_,
    "array": array,
    "tuple": tuple_,
    "not": negation,
    "ref": reference,
}


# -- changes as releases make them


def places(node):
    """Return every schema inside a schema."""
    found = [node] if isinstance(node, dict) else []
    if isinstance(node, dict):
        for key, inner in node.items():
            if key in ("properties", "$defs", "patternProperties"):
                found += [each for value in inner.values() for each in places(value)]
            elif key in ("items", "additionalProperties", "not", "contains"):
                found += places(inner)
            elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
                found += [each for value in inner for each in places(value)]
    return found


def changed(draw, old):
    """Return a schema with one to three changes."""
    new = copy.deepcopy(old)
    for _ in range(draw.randint(1, 3)):
        node = draw.choice(places(new))
        draw.choice(CHANGES)(draw, node)
    return new


def shift(draw, node):
    keys = [key for key, value in node.items() if type(value) is int]
    if keys:
        key = draw.choice(keys)
        node[key] = max(0 if key != "multipleOf" else 1, node[key] + draw.choice((-2, -1, 1, 2)))


def drop(draw, node):
    keys = [key for key in node if key not in ("$defs", "$ref")]
    if keys:
        node.pop(draw.choice(keys))


def widen_values(draw, node):
    if "enum" in node:
        node["enum"] = [*node["enum"], draw.choice(WORDS)]


def narrow_values(draw, node):
    if len(node.get("enum", ())) > 1:
        node["enum"] = node["enum"][1:]


def add_property(draw, node):
    if "properties" in node:
        node["properties"][draw.choice(("new", *NAMES))] = schema(draw, 1)


def toggle_required(draw, node):
    if node.get("properties"):
        name = draw.choice(sorted(node["properties"]))
        node["required"] = sorted(set(node.get("required", ())) ^ {name})


def close(draw, node):
    if "properties" in node:
        node["additionalProperties"] = draw.choice((False, True))


def allow_null(draw, node):
    if isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"]


def to_union(draw, node):
    if node and "$defs" not in node:
        old = dict(node)
        node.clear()
        node["anyOf"] = [old, schema(draw, 1)]


def integer_to_number(draw, node):
    if node.get("type") == "integer":
        node["type"] = "number"
    elif node.get("type") == "number":
        node["type"] = "integer"


def replace(draw, node):
    if "$defs" not in node:
        node.clear()
        node.update(schema(draw, 1))


CHANGES = (
    *(shift, shift, drop, widen_values, narrow_values, add_property, toggle_required, close),
    *(allow_null, to_union, integer_to_number, replace),
)


def pair(seed):
    """Return two schemas: mostly one and a changed one, now and then two of no relation."""
    draw = random.Random(seed)
    first = document(draw)
    second = document(draw) if draw.random() < 0.15 else changed(draw, first)
    return (first, second) if draw.random() < 0.5 else (second, first)


# -- values


SOME = (None, True, False, 0, 1, 2, 3, 5, 10, 13, -1, 1.5, 0.5, 2.25, *WORDS, "zz", "x_1", "A9")
SHOWN = {
    "date": "2024-02-03",
    "uuid": "12345678-1234-4234-8234-123456789abc",
    "ipv4": "127.0.0.1",
    "email": "a@example.com",
}
MATCHING = {"^[a-z]+$": ("abc", "q"), "^a": ("a", "abcd"), "[0-9]": ("7", "ab12"), "^x_": ("x_",)}


def values(draw, schemas, count):
    """Yield values near some schemas."""
    for _ in range(count):
        root = draw.choice(schemas)
        yield value(draw, root, root, 4)


def value(draw, node, root, depth):
    """Draw a value that probably fits a schema, and may not."""
    if depth < 0 or not isinstance(node, dict) or draw.random() < 0.04:
        return anything(draw, 2)
    if "$ref" in node:
        return value(draw, root["$defs"][node["$ref"].rsplit("/", 1)[1]], root, depth - 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if node.get(keyword):
            return value(draw, draw.choice(node[keyword]), root, depth)
    if "enum" in node or "const" in node:
        return draw.choice(node.get("enum") or [node.get("const")])
    kind = node.get("type", "object" if "properties" in node else None)
    kind = draw.choice(kind) if isinstance(kind, list) else kind
    return DRAWERS.get(kind, lambda *_: anything(draw, 2))(draw, node, root, depth)


def anything(draw, depth):
    kind = draw.random()
    if depth and kind < 0.12:
        return [anything(draw, depth - 1) for _ in range(draw.randint(0, 3))]
    if depth and kind < 0.3:
        return {draw.choice((*NAMES, "q")): anything(draw, depth - 1) for _ in range(2)}
    return draw.choice(SOME)


def near_number(draw, node, root, depth):
    at = [node[key] for key in node if key.lower().endswith(("minimum", "maximum"))] or [0]
    found = draw.choice(at) + draw.choice((-1, 0, 0, 1, 2, 6))
    step = node.get("multipleOf", 1)
    found = found // step * step if draw.random() < 0.6 else found
    if node["type"] == "number" and draw.random() < 0.3:
        return found + draw.choice((0.5, 0.25))
    return int(found)


def near_string(draw, node, root, depth):
    if "format" in node and draw.random() < 0.9:
        return SHOWN[node["format"]]
    if "pattern" in node and draw.random() < 0.8:
        return draw.choice(MATCHING[node["pattern"]])
    length = draw.choice((node.get("minLength", 0), node.get("maxLength", 3)))
    return draw.choice("a1") * max(0, length + draw.choice((-1, 0, 0, 0, 1)))


def near_array(draw, node, root, depth):
    first = node.get("prefixItems", [])
    low = node.get("minItems", 0)
    length = draw.choice((low, len(first), node.get("maxItems", low + 2), low + 1))
    length = max(0, min(5, length + draw.choice((-1, 0, 0, 0, 1))))
    rest = node.get("items", True)
    return [
        value(draw, first[at] if at < len(first) else rest, root, depth - 1) for at in range(length)
    ]


def near_object(draw, node, root, depth):
    made = {}
    for name, inner in node.get("properties", {}).items():
        if name in node.get("required", ()) or draw.random() < 0.5:
            made[name] = value(draw, inner, root, depth - 1)
    if draw.random() < 0.06 and made:
        made.pop(draw.choice(sorted(made)))
    if draw.random() < 0.25:
        rest = node.get("additionalProperties", True)
        made[draw.choice(("q", "a1", "x_", *NAMES))] = value(draw, rest, root, depth - 1)
    return made


DRAWERS = {
    "integer": near_number,
    "number": near_number,
    "string": near_string,
    "array": near_array,
    "object": near_object,
    "boolean": lambda draw, *_: draw.random() < 0.5,
    "null": lambda *_: None,
}


def shown(old, new):
    """Return a pair as text, for a message."""
    return f"\nold: {json.dumps(old)}\nnew: {json.dumps(new)}"
