"""Arguments as a model makes them: drawn from a schema, or written to fit it."""

import json
import re

import jsonschema

from tests.unit.dialects.provider_rules.rules_walk import resolve, types_of

TEXTS = {
    "date-time": ["2026-01-02T03:04:05Z", "1999-12-31T23:59:59.5+02:00"],
    "date": ["2026-01-02"],
    "time": ["03:04:05Z"],
    "duration": ["P1DT2H", "PT5S"],
    "email": ["a@example.com"],
    "hostname": ["example.com"],
    "uri": ["https://example.com/a?b#c"],
    "ipv4": ["192.0.2.1"],
    "ipv6": ["2001:db8::1"],
    "uuid": ["12345678-1234-5678-1234-567812345678"],
}
WORDS = ["", "a", "abc", "red", "12", "null", "[1]", "{}", "cat", "größe 🙂", "P1D", "x" * 12]


class Unmakeable(Exception):
    """The schema is satisfiable, if at all, only by what this module does not know to make."""


def instance(schema, pick, root=None, depth=0):
    """Draw an instance of a schema. Raises `Unmakeable`."""
    root = schema if root is None else root
    if schema is True or schema == {}:
        return pick.choice([None, True, 1, "a", [1], {"a": "b"}])
    if schema is False or depth > 12:
        raise Unmakeable
    if "$ref" in schema:
        return instance(resolve(root, schema["$ref"]), pick, root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return pick.choice(schema["enum"])
    if schema.get("allOf"):
        merged = {key: value for key, value in schema.items() if key != "allOf"}
        for part in schema["allOf"]:
            merged = {**part, **merged}
        return instance(merged, pick, root, depth + 1)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return _branch(schema, key, pick, root, depth)
    if schema.get("nullable") and (pick.random() < 0.3 or depth > 6):
        return None
    kinds = [kind.lower() for kind in types_of(schema)] or ["string", "integer", "object"]
    return _MAKERS[pick.choice(kinds)](schema, pick, root, depth)


def _branch(schema, key, pick, root, depth):
    branches = list(schema[key])
    pick.shuffle(branches)
    if depth > 6:  # what ends soon first
        branches.sort(key=lambda each: len(json.dumps(each)) + 1000 * ("$ref" in json.dumps(each)))
    for branch in branches:
        try:
            made = instance(branch, pick, root, depth + 1)
        except Unmakeable:
            continue
        if isinstance(made, dict) and "properties" in schema:
            made |= instance({k: v for k, v in schema.items() if k != key}, pick, root, depth + 1)
        return made
    raise Unmakeable


def _text(schema, pick, root, depth):
    low, high = schema.get("minLength", 0), schema.get("maxLength", 10**6)
    said = schema.get("description", "")
    if said.startswith("JSON text"):  # models read descriptions, too
        return pick.choice(["{}"] if "empty" in said else ["{}", "[1]", '{"a": [true, null]}'])
    if "pattern" in schema:
        choices = [*WORDS, "aaaa", "12", "x12y", "^a", "aaa", "7.5", "-3", "2026-01-02"]
        fitting = [each for each in choices if _fits(schema["pattern"], each)]
    else:
        fitting = TEXTS.get(schema.get("format", ""), WORDS)
    fitting = [each for each in fitting if low <= len(each) <= high] or (
        ["x" * low] if "pattern" not in schema and "format" not in schema else []
    )
    if not fitting:
        raise Unmakeable
    return pick.choice(fitting)


def _fits(pattern, text):
    """Whether a text fits for everybody: some providers mean the whole of it, anchored or not."""
    return re.search(pattern, text) and re.fullmatch(pattern, text)


def _number(schema, pick, root, depth):
    low = schema.get("minimum", schema.get("exclusiveMinimum", -9))
    high = schema.get("maximum", schema.get("exclusiveMaximum", max(low, 0) + 9))
    step = schema.get("multipleOf", 1)
    choices = [n * step for n in range(int(low // step), int(high // step) + 1)]
    if "integer" not in types_of(schema) and "INTEGER" not in types_of(schema):
        choices += [low + (high - low) / 3, low, high]
    fitting = [each for each in choices if _is_within(each, schema)]
    if not fitting:
        raise Unmakeable
    return pick.choice(fitting)


def _is_within(number, schema):
    bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
    rules = {key: schema[key] for key in bounds if key in schema}
    return jsonschema.Draft202012Validator(rules).is_valid(number)


def _array(schema, pick, root, depth):
    first = [instance(each, pick, root, depth + 1) for each in schema.get("prefixItems", ())]
    low = max(schema.get("minItems", 0), len(first))
    high = schema.get("maxItems", low + 2)
    if high < low:
        raise Unmakeable
    items = schema.get("items", True)
    wanted = low if depth > 6 else pick.randint(low, min(high, low + 2))
    made = list(first)
    for _ in range(50):
        if len(made) >= wanted:
            break
        try:
            each = instance(items, pick, root, depth + 1)
        except Unmakeable:
            break
        if not _is_repeated(each, made, schema):
            made.append(each)
    if len(made) < low:
        raise Unmakeable
    return made


def _is_repeated(each, made, schema):
    """Whether an array must not have it again; of a map's entries, each key stands once."""
    if isinstance(each, dict) and each.keys() == {"key", "value"}:
        return each["key"] in [other["key"] for other in made]
    return schema.get("uniqueItems") and each in made


def _object(schema, pick, root, depth):
    made = {}
    required = schema.get("required", ())
    for key, inner in schema.get("properties", {}).items():
        if key in required:
            made[key] = instance(inner, pick, root, depth + 1)
        elif depth <= 6 and pick.random() < 0.5:
            try:
                made[key] = instance(inner, pick, root, depth + 1)
            except Unmakeable:
                continue
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and depth <= 6:
        for key in pick.sample(
            ["k1", "k2", "3"], max(pick.randrange(3), schema.get("minProperties", 0))
        ):
            made[key] = instance(extra, pick, root, depth + 1)
    return made


_MAKERS = {
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": lambda schema, pick, root, depth: pick.random() < 0.5,
    "null": lambda schema, pick, root, depth: None,
    "array": _array,
    "object": _object,
}


# -- writing known arguments to fit a schema


class Unfitting(Exception):
    """Nothing that is written for this schema means the value."""


def fitted(value, own, rendered, own_root=None, root=None):
    """Write a value of the tool's own schema as the rendered schema wants it.

    It knows only the schemas: where one has a map and the other an array of pairs, a tuple and an
    object, a key of another name at the same place, or a value that had to be boxed.
    Raises `Unfitting`.
    """
    own_root = own if own_root is None else own_root
    root = rendered if root is None else root
    own, rendered = _target(own, own_root), _target(rendered, root)
    if "anyOf" in rendered or "oneOf" in rendered:
        return _fit_branch(value, own, rendered, own_root, root)
    kinds = [kind.lower() for kind in types_of(rendered)]
    if isinstance(value, dict) and "array" in kinds:
        return _fit_pairs(value, own, rendered, own_root, root)
    if isinstance(value, list) and "object" in kinds and "array" not in kinds:
        return _fit_places(value, own, rendered, own_root, root)
    if isinstance(value, dict) and "object" in kinds:
        return _fit_object(value, own, rendered, own_root, root)
    if isinstance(value, list) and "array" in kinds:
        places = own.get("prefixItems", [])
        inner = [*places, *[own.get("items", {})] * len(value)]
        theirs = rendered.get("prefixItems", [])
        others = [*theirs, *[rendered.get("items", {})] * len(value)]
        return [
            fitted(each, mine, other, own_root, root)
            for each, mine, other in zip(value, inner, others, strict=False)
        ]
    if value is None and rendered.get("nullable"):
        return None
    kind = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
    kind |= {list: "array", type(None): "null"}
    named = kind[type(value)]
    if kinds and named not in kinds and not (named == "integer" and "number" in kinds):
        raise Unfitting(f"{value!r} for {rendered}")
    if "enum" in rendered and value not in rendered["enum"]:
        raise Unfitting(f"{value!r} for {rendered}")
    return value


def _target(schema, root):
    if not isinstance(schema, dict):
        return {}
    seen = 0
    while "$ref" in schema and seen < 20:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**resolve(root, schema["$ref"]), **rest}
        seen += 1
    if len(schema.get("allOf", ())) >= 1:
        merged = {"properties": {}, "required": []}
        for part in schema["allOf"]:
            part = _target(part, root)
            merged["properties"] |= part.get("properties", {})
            merged["required"] += part.get("required", [])
            merged |= {k: v for k, v in part.items() if k not in merged}
        return merged | {key: value for key, value in schema.items() if key != "allOf"}
    return schema


def _fit_branch(value, own, rendered, own_root, root):
    mine = own.get("anyOf") or own.get("oneOf") or [own]
    theirs = rendered.get("anyOf") or rendered["oneOf"]
    pairs = [(i == j, each, other) for i, each in enumerate(mine) for j, other in enumerate(theirs)]
    pairs.sort(key=lambda pair: not pair[0])  # branches mostly keep their places
    for _, each, other in pairs:
        if not _is_valid(value, each, own_root):
            continue
        try:
            made = fitted(value, each, other, own_root, root)
        except Unfitting:
            continue
        if _is_valid(made, other, root):
            return made
    raise Unfitting(f"{value!r} for any of {rendered}")


def _is_valid(value, schema, root):
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
    whole = {**definitions, **schema} if isinstance(schema, dict) else schema
    if "#/properties" in json.dumps(whole):
        return True
    return jsonschema.Draft202012Validator(nullable_as_null(whole)).is_valid(value)


def nullable_as_null(schema):
    """The schema with OpenAPI's `nullable` written as JSON Schema writes it."""
    if isinstance(schema, list):
        return [nullable_as_null(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: nullable_as_null(value) for key, value in schema.items()}
    if isinstance(made.get("type"), str):
        made["type"] = made["type"].lower()
        if made.get("nullable") is True:
            return {"anyOf": [made, {"type": "null"}]}
    return made


def _fit_pairs(value, own, rendered, own_root, root):
    """A map as an array of two-key objects."""
    item = _target(rendered.get("items", {}), root)
    keys = list(item.get("properties", ()))
    if len(keys) != 2:
        raise Unfitting(f"{value!r} for {rendered}")
    extra = own.get("additionalProperties", {})
    patterns = own.get("patternProperties", {})
    made = []
    for key, each in value.items():
        inner = own.get("properties", {}).get(key)
        if inner is None:
            inner = next((s for p, s in patterns.items() if re.search(p, key)), extra)
        other = item["properties"][keys[1]]
        made.append({keys[0]: key, keys[1]: fitted(each, inner, other, own_root, root)})
    return made


def _fit_places(value, own, rendered, own_root, root):
    """A tuple as an object with a key for each place."""
    keys = list(rendered.get("properties", ()))
    places = own.get("prefixItems", [])
    if len(keys) < len(value):
        raise Unfitting(f"{value!r} for {rendered}")
    made = {
        key: fitted(each, mine, rendered["properties"][key], own_root, root)
        for key, each, mine in zip(keys, value, places, strict=False)
    }
    return made | dict.fromkeys(keys[len(value) :])


def _fit_object(value, own, rendered, own_root, root):
    mine, theirs = list(own.get("properties", ())), list(rendered.get("properties", ()))
    boxed = set(theirs) - set(mine)
    if len(theirs) == 1 and len(mine) != 1 and boxed and "anyOf" in own:
        return {theirs[0]: fitted(value, own, rendered["properties"][theirs[0]], own_root, root)}
    renamed = dict(zip(mine, theirs, strict=False)) if len(mine) == len(theirs) else {}
    made = {}
    for key, each in value.items():
        other = key if key in theirs else renamed.get(key, key)
        inner = own.get("properties", {}).get(key, own.get("additionalProperties", {}))
        shape = rendered.get("properties", {}).get(other)
        if shape is None:
            shape = rendered.get("additionalProperties", {})
            if shape is False:
                raise Unfitting(f"{key} for {rendered}")
        made[other] = fitted(each, inner, shape, own_root, root)
    for key in rendered.get("required", ()):
        if key not in made:
            made[key] = None  # what is optional, and not given, is null
    return made
