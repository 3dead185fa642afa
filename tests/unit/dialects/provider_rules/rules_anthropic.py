"""The rules of Anthropic's Messages."""

import re

import jsonschema

from tests.unit.dialects.provider_rules.rules_walk import (
    BACKREFERENCE,
    LOOKAROUND,
    WORD_EDGE,
    closed_faults,
    cycles,
    format_faults,
    general_faults,
    is_object,
    key_faults,
    keyword_faults,
    metaschema_faults,
    name_faults,
    named,
    pattern_faults,
    root_faults,
    shape_faults,
    text_faults,
    types_of,
    walk,
    written,
)

NAME = r"[a-zA-Z0-9_-]{1,128}"
KEY = r"[a-zA-Z0-9_.-]{1,64}"
STRICT_FORMATS = "date-time time date duration email hostname uri ipv4 ipv6 uuid".split()
SIZES = ("minLength", "maxLength")
STRICT_BANNED = frozenset(
    "oneOf maxItems uniqueItems contains minContains maxContains prefixItems minimum maximum "
    "exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minProperties maxProperties "
    "patternProperties propertyNames dependentRequired dependentSchemas dependencies "
    "unevaluatedProperties unevaluatedItems if then else not".split()
)
OPTIONAL_KEYS = (
    "description",
    "strict",
    "input_examples",
    "defer_loading",
    "eager_input_streaming",
    "cache_control",
    "allowed_callers",
    "type",
)
BIG_RANGE = re.compile(r"\{\d*,?\d{4,}\}|\{\d{4,},?\d*\}")


def anthropic_faults(definitions, strict=False):
    found = name_faults([each.get("name") for each in definitions], NAME, 128)
    for each in definitions:
        own = shape_faults(each, ("name", "input_schema"), OPTIONAL_KEYS)
        own += text_faults(each, "description")
        if each.get("type", "custom") != "custom":
            own.append(f"type is {each['type']!r}, not custom")
        if each.get("strict") and not strict:
            own.append("strict, though nobody asked for it")
        own += schema_faults(each.get("input_schema"))
        if each.get("strict"):
            own += strict_faults(each["input_schema"])
        found += named(each.get("name"), own)
    return found + budget_faults(
        [each["input_schema"] for each in definitions if each.get("strict")]
    )


def schema_faults(schema):
    """A draft 2020-12 object schema without combinators at its root, with keys that it knows."""
    found = general_faults(schema)
    if found and found[0].startswith("the root: not"):
        return found
    found += root_faults(schema, ("oneOf", "allOf", "anyOf"))
    found += key_faults(schema, KEY)
    if "$schema" in schema and "2020-12" not in schema["$schema"]:
        found.append(f"the root: $schema is {schema['$schema']}")
    for path, node in walk(schema):
        if isinstance(node, dict) and str(node.get("$ref", "")).startswith("#/definitions"):
            found.append(f"{written(path)}: refers to definitions, not $defs")
    return found + metaschema_faults(schema, jsonschema.Draft202012Validator)


def strict_faults(schema, banned=STRICT_BANNED):
    found = keyword_faults(schema, banned=banned) + closed_faults(schema)
    found += format_faults(schema, STRICT_FORMATS)
    found += pattern_faults(schema, LOOKAROUND, BACKREFERENCE, WORD_EDGE, BIG_RANGE)
    found += [f"the root: {pointer} is recursive" for pointer in sorted(cycles(schema))]
    for path, node in walk(schema):
        if not isinstance(node, dict):
            continue
        at = written(path)
        if node.get("minItems", 0) not in (0, 1):
            found.append(f"{at}: minItems {node['minItems']}")
        if any("$ref" in each for each in node.get("allOf", ()) if isinstance(each, dict)):
            found.append(f"{at}: allOf with $ref")
        if any(isinstance(each, dict | list) for each in node.get("enum", ())):
            found.append(f"{at}: enum of other than primitive values")
        if "enum" in node and isinstance(node.get("type"), list):
            found.append(f"{at}: enum beside a list of types")
    return found


def budget_faults(schemas):
    """Over all strict tools: how many, how many optional parameters, how many unions."""
    optional = unions = 0
    for schema in schemas:
        for path, node in walk(schema):
            if not isinstance(node, dict) or path[:1] in (("$defs",), ("definitions",)):
                continue
            if is_object(node):
                optional += len(set(node.get("properties", ())) - set(node.get("required", ())))
            unions += "anyOf" in node or len(types_of(node)) > 1
    found = [] if len(schemas) <= 20 else [f"{len(schemas)} strict tools, more than 20"]
    if optional > 24:
        found.append(f"{optional} optional parameters of strict tools, more than 24")
    if unions > 16:
        found.append(f"{unions} unions in strict tools, more than 16")
    return found
