"""JSON Schemas that no program wrote: every keyword, in any company, from a seed."""

import random

NAMES = ["a", "b", "x-y", "x_y", "x.y", "$ref", "type", "key", "value", "items", "größe", "k" * 70]
WORDS = ["", "a", "red", "x y", "größe", "12"]
PATTERNS = ["^a+$", "b", r"^\d{2,3}", r"(?=a)a", r"(a)\1", r"\bword\b", "(?i)x", "^[^@]+@[^@]+$"]
FORMATS = ["date-time", "date", "email", "uri", "uuid", "ipv4", "binary", "regex", "x-own"]
VALUES = [None, True, False, 0, 1, 2.5, "", "a", "red", [1], {"a": 1}]


def schema(seed):
    """An object schema for the input of a tool."""
    pick = random.Random(seed)
    made = _object(pick, 3)
    if pick.random() < 0.3:
        made["$defs"] = {name: _any(pick, 2) for name in ("A", "B")}
        made["properties"]["r"] = {"$ref": "#/$defs/A"}
        if pick.random() < 0.5:
            made["$defs"]["A"] = _object(pick, 1)
            made["$defs"]["A"]["properties"]["again"] = {"$ref": "#/$defs/A"}
            made["properties"]["r"]["description"] = "Beside a reference."
    if pick.random() < 0.1:
        made["properties"]["whole"] = {"$ref": "#"}
    if pick.random() < 0.1:
        branch = {"required": [pick.choice(NAMES)]}
        made[pick.choice(["anyOf", "oneOf", "allOf"])] = [branch, {"minProperties": 0}]
    if pick.random() < 0.1:
        made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return made


def _any(pick, depth):
    made = pick.choice(_KINDS if depth > 0 else _LEAVES)(pick, depth - 1)
    if isinstance(made, dict) and pick.random() < 0.2:
        made["description"] = pick.choice(["", "Words.", "Long " * 30, '`quoted` "\\ 🙂'])
    if isinstance(made, dict) and pick.random() < 0.1:
        made["title"] = "A title"
    if isinstance(made, dict) and pick.random() < 0.1:
        made["default"] = pick.choice(VALUES)
    return made


def _some(pick, **keywords):
    """Some of these keywords."""
    return {key: value for key, value in keywords.items() if pick.random() < 0.3}


def _text(pick, depth):
    keywords = _some(
        pick,
        minLength=pick.choice([0, 1, 3]),
        maxLength=pick.choice([3, 5000]),
        pattern=pick.choice(PATTERNS),
        format=pick.choice(FORMATS),
        examples=["a"],
    )
    return {"type": "string", **keywords}


def _number(pick, depth):
    keywords = _some(
        pick,
        minimum=pick.choice([0, -5]),
        maximum=pick.choice([9, 2.5]),
        exclusiveMinimum=-1,
        exclusiveMaximum=10,
        multipleOf=pick.choice([1, 2, 0.5]),
    )
    return {"type": pick.choice(["integer", "number"]), **keywords}


def _fixed(pick, depth):
    if pick.random() < 0.5:
        return {"const": pick.choice(VALUES)}
    values = pick.sample(VALUES, pick.randint(1, 4))
    return {"enum": [each for at, each in enumerate(values) if each not in values[:at]]}


def _plain(pick, depth):
    return pick.choice(
        [{}, True, {"type": "boolean"}, {"type": "null"}, {"type": ["string", "null"]}]
    )


def _array(pick, depth):
    made = {"type": "array"}
    if pick.random() < 0.8:
        made["items"] = _any(pick, depth)
    rest = _some(pick, minItems=pick.choice([0, 1, 2]), maxItems=3, uniqueItems=True)
    if pick.random() < 0.2:
        made["prefixItems"] = [_any(pick, depth) for _ in range(pick.randint(1, 3))]
        rest["minItems"] = len(made["prefixItems"])
    return {**made, **rest, **(_some(pick, contains={"type": "string"}) if depth > 1 else {})}


def _object(pick, depth):
    names = pick.sample(NAMES, pick.choice([0, 1, 2, 3, 5]))
    made = {"type": "object", "properties": {name: _any(pick, depth - 1) for name in names}}
    if pick.random() < 0.8:
        made["required"] = [name for name in names if pick.random() < 0.6]
    if pick.random() < 0.5:
        made["additionalProperties"] = pick.choice([True, False, False, {"type": "integer"}])
    return made


def _map(pick, depth):
    values = _some(
        pick,
        propertyNames={"pattern": "^[a-z]+$"},
        patternProperties={"^x-": {"type": "integer"}},
        minProperties=1,
        maxProperties=3,
    )
    return {"type": "object", "additionalProperties": _any(pick, depth), **values}


def _union(pick, depth):
    keyword = pick.choice(["anyOf", "anyOf", "oneOf"])
    return {keyword: [_any(pick, depth) for _ in range(pick.randint(1, 3))]}


def _all(pick, depth):
    return {"allOf": [_object(pick, depth), _object(pick, depth)][: pick.randint(1, 2)]}


def _types(pick, depth):
    kinds = pick.sample(["string", "integer", "array", "object", "boolean", "null"], 2)
    return {"type": kinds, **_some(pick, minLength=2, minimum=1, items={"type": "string"})}


def _conditional(pick, depth):
    made = _object(pick, depth)
    return made | _some(pick, **{"if": {"required": ["a"]}, "then": {"required": ["b"]}})


def _without(pick, depth):
    return {"type": "string", "not": {"const": "x"}}


def _dependent(pick, depth):
    return _object(pick, depth) | {"dependentRequired": {"a": ["b"]}}


_LEAVES = [_text, _number, _fixed, _plain, _without]
_KINDS = [*_LEAVES, _array, _object, _map, _union, _all, _types, _conditional, _dependent]
