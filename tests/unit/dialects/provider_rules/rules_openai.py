"""The rules of OpenAI, Chat Completions and Responses."""

from tests.unit.dialects.provider_rules.rules_walk import (
    LOOKAROUND,
    closed_faults,
    format_faults,
    general_faults,
    items_faults,
    keyword_faults,
    name_faults,
    named,
    pattern_faults,
    required_faults,
    root_faults,
    shape_faults,
    text_faults,
    untyped_faults,
    walk,
    written,
)

NAME = r"[a-zA-Z0-9_-]{1,64}"
MOST_TOOLS = 128
STRICT_FORMATS = "date-time time date duration email hostname ipv4 ipv6 uuid".split()
STRICT_KEYWORDS = frozenset(
    "type enum const anyOf $ref $defs definitions items properties required additionalProperties "
    "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems "
    "minLength maxLength default title examples description".split()
)


def openai_faults(definitions, strict=False):
    found = []
    functions = [each.get("function", {}) for each in definitions if isinstance(each, dict)]
    for each in definitions:
        found += shape_faults(each, ("type", "function"))
        if isinstance(each, dict) and each.get("type") != "function":
            found.append(f"type is {each.get('type')!r}, not function")
    for each in functions:
        known = ("description", "parameters", "strict")
        found += named(each.get("name"), shape_faults(each, ("name",), known, "function"))
    return found + functions_faults(functions, strict)


def responses_faults(definitions, strict=False):
    found = []
    optional = ("description", "defer_loading", "output_schema", "allowed_callers")
    for each in definitions:
        needed = ("type", "name", "parameters", "strict")
        found += shape_faults(each, needed, optional)
        if isinstance(each, dict) and each.get("type") != "function":
            found.append(f"type is {each.get('type')!r}, not function")
        if isinstance(each, dict) and not isinstance(each.get("strict"), bool):
            found.append("strict is not said: Responses is strict by default")
    return found + functions_faults(definitions, strict)


def functions_faults(functions, strict):
    """The rules of functions, whatever is around them."""
    found = name_faults([each.get("name") for each in functions], NAME, 64)
    if len(functions) > MOST_TOOLS:
        found.append(f"{len(functions)} tools, more than {MOST_TOOLS}")
    for each in functions:
        own = text_faults(each, "description")
        if each.get("strict") and not strict:
            own.append("strict, though nobody asked for it")
        own += parameter_faults(each.get("parameters", {"type": "object", "properties": {}}))
        if each.get("strict"):
            own += strict_faults(each.get("parameters", {"type": "object"}))
        found += named(each.get("name"), own)
    return found


def parameter_faults(schema):
    found = general_faults(schema)
    if found and found[0].startswith("the root: not"):
        return found
    found += root_faults(schema)
    if "properties" not in schema:
        found.append("the root: no properties")
    return found + items_faults(schema) + pattern_faults(schema)


def strict_faults(schema):
    found = keyword_faults(schema, allowed=STRICT_KEYWORDS)
    found += closed_faults(schema) + required_faults(schema) + untyped_faults(schema)
    found += format_faults(schema, STRICT_FORMATS) + pattern_faults(schema, LOOKAROUND)
    return found + reference_faults(schema) + size_faults(schema)


def reference_faults(schema):
    """References with siblings, or to anything but the root and its definitions."""
    found = []
    for path, node in walk(schema):
        if not isinstance(node, dict) or "$ref" not in node:
            continue
        if len(node) > 1:
            found.append(f"{written(path)}: keywords beside $ref")
        steps = str(node["$ref"]).split("/")
        if node["$ref"] != "#" and not (
            len(steps) == 3 and steps[0] == "#" and steps[1] in ("$defs", "definitions")
        ):
            found.append(f"{written(path)}: refers to {node['$ref']}")
    return found


def size_faults(schema, levels=10, most_properties=5000, most_letters=120_000, most_values=1000):
    found, properties, letters, values = [], 0, 0, 0
    for path, node in walk(schema):
        if not isinstance(node, dict):
            continue
        steps = path[2:] if path[:1] in (("$defs",), ("definitions",)) else path
        if steps.count("properties") > levels:
            found.append(f"{written(path)}: more than {levels} levels")
        properties += len(node.get("properties", ()))
        letters += sum(len(key) for key in (*node.get("properties", ()), *node.get("$defs", ())))
        enum = node.get("enum", [])
        values += len(enum)
        texts = [each for each in (*enum, node.get("const")) if isinstance(each, str)]
        letters += sum(map(len, texts))
        if len(enum) > 250 and sum(map(len, texts)) > 15_000:
            found.append(f"{written(path)}: enum of over 250 values and 15,000 letters")
    if properties > most_properties:
        found.append(f"{properties} properties, more than {most_properties}")
    if letters > most_letters:
        found.append(f"{letters} letters of names and values, more than {most_letters}")
    if values > most_values:
        found.append(f"{values} values of enums, more than {most_values}")
    return found
