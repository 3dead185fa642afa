"""The rules of providers that take the shape of OpenAI's functions, each with its own subset."""

import re

from tests.unit.dialects.provider_rules.rules_openai import NAME
from tests.unit.dialects.provider_rules.rules_walk import (
    BACKREFERENCE,
    LOOKAROUND,
    UNICODE_CLASS,
    WORD_EDGE,
    closed_faults,
    cycles,
    format_faults,
    general_faults,
    is_object,
    items_faults,
    keyword_faults,
    name_faults,
    named,
    pattern_faults,
    required_faults,
    root_faults,
    shape_faults,
    text_faults,
    types_of,
    walk,
    written,
)

FLAGS = re.compile(r"\(\?[aiLmsux-]")
ANCHOR = re.compile(r"(?<!\\)(?:\\\\)*(?<!\[)[\^$]")
COHERE_BANNED = frozenset(
    "allOf oneOf not minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems minLength "
    "maxLength uniqueItems".split()
)
COHERE_FORMATS = ("date-time", "uuid", "date", "time")
DEEPSEEK_KEYWORDS = frozenset(
    "type enum const anyOf $ref $defs definitions items properties required additionalProperties "
    "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default title "
    "description".split()
)
DEEPSEEK_FORMATS = ("email", "hostname", "ipv4", "ipv6", "uuid")


def mistral_faults(definitions, strict=False):
    return _faults(definitions, ("strict",), _mistral)


def cohere_faults(definitions, strict=False):
    """Strict is a flag of the request, so it is for all tools or for none."""
    found = _faults(definitions, (), _cohere_strict if strict else _any)
    if strict:
        fields = sum(
            len(node.get("properties", ()))
            for each in definitions
            for _, node in walk(each["function"].get("parameters", {}))
            if isinstance(node, dict)
        )
        if fields > 200:
            found.append(f"{fields} fields, more than 200")
    return found


def xai_faults(definitions, strict=False):
    return _faults(definitions, ("strict",), _xai)


def groq_faults(definitions, strict=False):
    found = _faults(definitions, ("strict",), _any)
    if len(definitions) > 128:
        found.append(f"{len(definitions)} tools, more than 128")
    for each in definitions:
        function = each["function"]
        if function.get("strict"):
            schema = function.get("parameters", {})
            own = [] if strict else ["strict, though nobody asked for it"]
            own += closed_faults(schema) + required_faults(schema)
            found += named(function.get("name"), own)
    return found


def deepseek_faults(definitions, strict=False):
    found = _faults(definitions, ("strict",), _any)
    functions = [each["function"] for each in definitions]
    if len({bool(each.get("strict")) for each in functions}) > 1:
        found.append("some tools are strict, and some are not")
    for each in functions:
        if each.get("strict"):
            own = [] if strict else ["strict, though nobody asked for it"]
            found += named(each.get("name"), own + _deepseek_strict(each.get("parameters", {})))
    return found


def ollama_faults(definitions, strict=False):
    return _faults(definitions, (), _any)


def _faults(definitions, known, schema_faults):
    found = []
    functions = []
    for each in definitions:
        found += shape_faults(each, ("type", "function"))
        if each.get("type") != "function":
            found.append(f"type is {each.get('type')!r}, not function")
        functions.append(each.get("function", {}))
    found += name_faults([each.get("name") for each in functions], NAME, 64)
    for each in functions:
        known_keys = ("description", *known)
        own = shape_faults(each, ("name", "parameters"), known_keys, "function")
        own += text_faults(each, "description")
        if "strict" in each and not isinstance(each["strict"], bool):
            own.append("strict is neither true nor false")
        schema = each.get("parameters", {})
        own += general_faults(schema)
        if isinstance(schema, dict):
            own += root_faults(schema) + pattern_faults(schema) + schema_faults(schema)
        found += named(each.get("name"), own)
    return found


def _any(schema):
    return []


def _mistral(schema):
    found = keyword_faults(schema, banned=("$id", "$schema"))
    for path, node in walk(schema):
        for key in ("exclusiveMinimum", "exclusiveMaximum"):
            if isinstance(node, dict) and isinstance(node.get(key), bool):
                found.append(f"{written(path)}: {key} of draft 4")
    return found


def _cohere_strict(schema):
    found = keyword_faults(schema, banned=COHERE_BANNED)
    found += format_faults(schema, COHERE_FORMATS) + pattern_faults(schema, ANCHOR, LOOKAROUND)
    others = ("required", "dependencies", "propertyNames", "anyOf")
    for path, node in walk(schema):
        if not is_object(node):
            continue
        at = written(path)
        extra = node.get("additionalProperties", False)
        if extra is not False and any(node.get(key) for key in others):
            found.append(f"{at}: additionalProperties beside others")
        if not node.get("required") and (extra is False or node.get("properties")):
            found.append(f"{at}: nothing required")
    return found


def _xai(schema):
    found = keyword_faults(schema, banned=("minContains", "maxContains"))
    found += pattern_faults(schema, BACKREFERENCE, UNICODE_CLASS, WORD_EDGE, LOOKAROUND, FLAGS)
    found += [f"the root: {pointer} is recursive" for pointer in sorted(cycles(schema))]
    for path, node in walk(schema):
        at = written(path)
        if isinstance(node, bool) and path[-2:-1] == ("properties",):
            found.append(f"{at}: a boolean schema")
        if isinstance(node, dict) and isinstance(node.get("items"), list):
            found.append(f"{at}: a list of items")
    return found


def _deepseek_strict(schema):
    found = keyword_faults(schema, allowed=DEEPSEEK_KEYWORDS)
    found += closed_faults(schema) + required_faults(schema) + items_faults(schema)
    found += format_faults(schema, DEEPSEEK_FORMATS)
    for path, node in walk(schema):
        at = written(path)
        if not isinstance(node, dict) or not node:
            found.append(f"{at}: untyped")
            continue
        kinds = types_of(node)
        if len(kinds) > 1 and {"object", "array"} & set(kinds):
            found.append(f"{at}: a list of types with {kinds}")
        if path and is_object(node) and not node.get("properties"):
            found.append(f"{at}: an empty object")
        if any("$ref" in each for each in node.get("anyOf", ()) if isinstance(each, dict)):
            found.append(f"{at}: $ref in anyOf")
    return found
