"""The rules of Gemini: `parametersJsonSchema`, and the older `parameters`."""

from tests.unit.dialects.provider_rules.rules_walk import (
    cycles,
    general_faults,
    items_faults,
    key_faults,
    keyword_faults,
    name_faults,
    named,
    pattern_faults,
    reachable,
    root_faults,
    shape_faults,
    text_faults,
    walk,
    written,
)

NAME = r"[A-Za-z_][A-Za-z0-9_.:-]*"
KEY = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
JSON_KEYWORDS = frozenset(
    "$id $defs $ref $anchor type format description enum items prefixItems minItems maxItems "
    "minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering "
    "default".split()
)
OPENAPI_KEYWORDS = frozenset(
    "type nullable enum anyOf items properties required format description minLength maxLength "
    "pattern minProperties maxProperties default example minimum maximum minItems maxItems "
    "propertyOrdering".split()
)
OPENAPI_FORMATS = {"string": ("enum", "date-time"), "integer": ("int32", "int64")}
TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")


def functions_of(definitions):
    found, functions = [], []
    for each in definitions:
        found += shape_faults(each, ("functionDeclarations",))
        functions += each.get("functionDeclarations", [])
    if len(definitions) > 1:
        found.append("function declarations in more than one tool")
    return functions, found


def gemini_faults(definitions, strict=False):
    functions, found = functions_of(definitions)
    known = ("description", "parametersJsonSchema", "responseJsonSchema", "behavior")
    return found + _faults(functions, known, "parametersJsonSchema", json_schema_faults)


def gemini_openapi_faults(definitions, strict=False):
    functions, found = functions_of(definitions)
    known = ("description", "parameters", "response", "behavior")
    return found + _faults(functions, known, "parameters", openapi_faults)


def _faults(functions, known, key, schema_faults):
    found = name_faults([each.get("name") for each in functions], NAME, 64)
    for each in functions:
        own = shape_faults(each, ("name",), known, "declaration") + text_faults(each, "description")
        if key in each:
            own += schema_faults(each[key])
        found += named(each.get("name"), own)
    return found


def json_schema_faults(schema, banned=()):
    """What is wrong with `parametersJsonSchema`; with `banned`, keywords not listed may be there."""
    found = general_faults(schema)
    if found and found[0].startswith("the root: not"):
        return found
    found += root_faults(schema) + key_faults(schema, KEY)
    allowed = None if banned else JSON_KEYWORDS
    found += keyword_faults(schema, banned=banned, allowed=allowed)
    for path, node in walk(schema):
        at = written(path)
        if not isinstance(node, dict):
            found.append(f"{at}: a boolean schema")
            continue
        if "$ref" in node and set(node) - {"$ref", "description", "default"}:
            found.append(f"{at}: keywords beside $ref")
        for value in node.get("enum", ()):
            if isinstance(value, bool) or not isinstance(value, str | int | float):
                found.append(f"{at}: {value!r} in an enum")
        if "items" in node and not isinstance(node["items"], dict):
            found.append(f"{at}: items is no schema")
    return found + recursion_faults(schema)


def recursion_faults(schema):
    """Recursion may stand only where a property is not required."""
    circular = cycles(schema)
    if not circular:
        return []
    found = []
    for path, node in walk(schema):
        if not isinstance(node, dict):
            continue
        for key in node.get("required", ()):
            if not path[:1] == ("$defs",):
                continue
            own = f"#/$defs/{path[1]}"
            inner = node.get("properties", {}).get(key, {})
            used = {
                each["$ref"] for _, each in walk(inner) if isinstance(each, dict) and "$ref" in each
            }
            if own in circular and any(
                pointer == own or own in reachable(schema, pointer) for pointer in used
            ):
                found.append(f"{written(path)}: {key} is required and recursive")
    return found


def openapi_faults(schema):
    found = general_faults(schema)
    if found and found[0].startswith("the root: not"):
        return found
    if str(schema.get("type", "")).lower() != "object":
        found.append(f"the root: type is {schema.get('type')!r}, not object")
    found += key_faults(schema, KEY) + keyword_faults(schema, allowed=OPENAPI_KEYWORDS)
    found += items_faults(_lowered(schema)) + pattern_faults(schema)
    for path, node in walk(schema):
        if isinstance(node, dict):
            found += [f"{written(path)}: {fault}" for fault in _node_faults(node)]
        else:
            found.append(f"{written(path)}: a boolean schema")
    return found


def _node_faults(node):
    found = []
    if "anyOf" in node:
        return [f"{key} beside anyOf" for key in node if key != "anyOf"]
    kind = node.get("type")
    if not isinstance(kind, str) or kind.lower() not in TYPES:
        return [f"type is {kind!r}"]
    kind = kind.lower()
    found += [
        f"{value!r} in an enum"
        for value in node.get("enum", ())
        if not isinstance(value, str) or not value
    ]
    if "format" in node and node["format"] not in OPENAPI_FORMATS.get(kind, ()):
        found.append(f"format {node['format']} of {kind}")
    if kind == "object" and not node.get("properties"):
        found.append("object without properties")
    return found


def _lowered(schema):
    """The schema with its types in small letters: Gemini takes both."""
    if isinstance(schema, dict):
        kind = schema.get("type")
        inner = {key: _lowered(value) for key, value in schema.items()}
        return {**inner, "type": kind.lower()} if isinstance(kind, str) else inner
    return [_lowered(each) for each in schema] if isinstance(schema, list) else schema
