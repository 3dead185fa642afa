"""What the checks of all providers share: a walk over a schema, and rules of JSON Schema itself."""

import functools
import json
import re
from collections import Counter

import jsonschema

NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = (
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
)
ROOT_COMBINATORS = ("oneOf", "anyOf", "allOf", "enum", "const", "not", "if", "then", "else")
LOOKAROUND = re.compile(r"\(\?(?:=|!|<=|<!)")
BACKREFERENCE = re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]|\(\?P=")
WORD_EDGE = re.compile(r"(?<!\\)(?:\\\\)*\\[bB]")
UNICODE_CLASS = re.compile(r"(?<!\\)(?:\\\\)*\\[pP]")


def children(node):
    """Every schema right below a node, with the steps that lead to it."""
    if not isinstance(node, dict):
        return
    for key in NAMED:
        inner = node.get(key)
        if isinstance(inner, dict):
            for name, child in inner.items():
                yield (key, name), child
    for key in LISTED:
        inner = node.get(key)
        if isinstance(inner, list):
            for at, child in enumerate(inner):
                yield (key, str(at)), child
    for key in SINGLE:
        if isinstance(node.get(key), dict) or (key in ("items", "not") and key in node):
            yield from _of_key(key, node[key])


def _of_key(key, value):
    """Yield the schema of a keyword, or, as draft 7 has it for items, those of a list."""
    if isinstance(value, list):
        for at, child in enumerate(value):
            yield (key, str(at)), child
    else:
        yield (key,), value


_walked = {}
"""The nodes of schemas that were walked, with the schema itself so that its id is its own."""


def forget():
    """Forget what was walked: a schema may be another by now."""
    _walked.clear()


def walk(schema):
    """Every node of a schema with its path; definitions too, each once; references not followed."""
    kept = _walked.get(id(schema))
    if kept is None:
        kept = _walked[id(schema)] = (schema, list(_walk(schema)))
    return kept[1]


def _walk(schema):
    waiting = [((), schema)]
    while waiting:
        where, node = waiting.pop()
        yield where, node
        waiting.extend((where + steps, child) for steps, child in children(node))


def written(path):
    return "/".join(path) or "the root"


def types_of(node):
    kind = node.get("type") if isinstance(node, dict) else None
    return kind if isinstance(kind, list) else [] if kind is None else [kind]


def resolve(root, pointer):
    """What a reference inside a document points to; `KeyError` if nothing."""
    if not pointer.startswith("#"):
        raise KeyError(pointer)
    found = root
    for step in pointer[1:].split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        found = found[int(step)] if isinstance(found, list) else found[step]
    return found


def cycles(root):
    """The references that lead back to themselves."""
    found = set()
    for _, node in walk(root):
        pointer = node.get("$ref") if isinstance(node, dict) else None
        if isinstance(pointer, str) and pointer in reachable(root, pointer):
            found.add(pointer)
    return found


def reachable(root, pointer):
    """Every reference below the place a reference points to, over any number of steps."""
    seen, waiting = set(), [pointer]
    while waiting:
        try:
            target = resolve(root, waiting.pop())
        except (KeyError, IndexError, ValueError, TypeError):
            continue
        for path, node in walk(target):
            if path and path[0] in ("$defs", "definitions"):
                continue
            inner = node.get("$ref") if isinstance(node, dict) else None
            if isinstance(inner, str) and inner not in seen:
                seen.add(inner)
                waiting.append(inner)
    return seen


def general_faults(schema):
    """What is wrong for everybody: not JSON, references that dangle, required but unknown keys."""
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError) as error:
        return [f"the root: not JSON: {error}"]
    if not isinstance(schema, dict):
        return ["the root: not an object"]
    found = []
    for path, node in walk(schema):
        if not isinstance(node, dict):
            continue
        at = written(path)
        if "$ref" in node:
            try:
                resolve(schema, node["$ref"])
            except (KeyError, IndexError, ValueError, TypeError):
                found.append(f"{at}: {node['$ref']} points to nothing")
        if "properties" in node:
            unknown = set(node.get("required", ())) - set(node["properties"])
            if unknown:
                found.append(f"{at}: requires {sorted(unknown)}, which it does not have")
        if not isinstance(node.get("description", ""), str):
            found.append(f"{at}: its description is not text")
        if "enum" in node and not node["enum"]:
            found.append(f"{at}: an enum of nothing")
        if "anyOf" in node and not node["anyOf"]:
            found.append(f"{at}: an anyOf of nothing")
    return found


def metaschema_faults(schema, draft):
    """What the draft's own schema says of it."""
    return list(_metaschema_faults(json.dumps(schema), draft))


@functools.lru_cache(2000)
def _metaschema_faults(text, draft):
    try:
        draft.check_schema(json.loads(text))
    except jsonschema.SchemaError as error:
        return (f"{error.json_path}: breaks {draft.META_SCHEMA['$schema']}: {error.message}",)
    return ()


def root_faults(schema, combinators=ROOT_COMBINATORS):
    found = []
    if schema.get("type") != "object":
        found.append(f"the root: type is {schema.get('type')!r}, not object")
    found += [f"the root: has {key}" for key in combinators if key in schema]
    return found


def keyword_faults(schema, banned=(), allowed=None):
    """Keywords that must not be there, or that are not among those known."""
    found = []
    for path, node in walk(schema):
        if isinstance(node, dict):
            bad = [
                key for key in node if key in banned or (allowed is not None and key not in allowed)
            ]
            found += [f"{written(path)}: has {key}" for key in bad]
    return found


def items_faults(schema, *, may_be_empty=False):
    """Arrays whose items are not said, or only as anything."""
    found = []
    for path, node in walk(schema):
        if "array" in types_of(node):
            items = node.get("items")
            if not isinstance(items, dict) or (not items and not may_be_empty):
                found.append(f"{written(path)}: array without items")
    return found


def untyped_faults(schema):
    """Nodes that say neither type nor values nor branches."""
    known = ("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref")
    return [
        f"{written(path)}: untyped"
        for path, node in walk(schema)
        if not isinstance(node, dict) or not any(key in node for key in known)
    ]


def closed_faults(schema):
    """Objects that are not closed."""
    return [
        f"{written(path)}: additionalProperties is {node.get('additionalProperties')!r}, not false"
        for path, node in walk(schema)
        if is_object(node) and node.get("additionalProperties") is not False
    ]


def is_object(node):
    return isinstance(node, dict) and ("object" in types_of(node) or "properties" in node)


def required_faults(schema):
    """Objects that leave some key out of what they require, or do not say what they require."""
    found = []
    for path, node in walk(schema):
        if is_object(node):
            if not isinstance(node.get("required"), list):
                found.append(f"{written(path)}: nothing said of what is required")
            missing = set(node.get("properties", ())) - set(node.get("required", ()))
            if missing:
                found.append(f"{written(path)}: {sorted(missing)} not required")
    return found


def format_faults(schema, known):
    return [
        f"{written(path)}: format {node['format']}"
        for path, node in walk(schema)
        if isinstance(node, dict) and "format" in node and node["format"] not in known
    ]


def pattern_faults(schema, *bad):
    """Patterns that Python cannot read, or that have something a provider cannot."""
    found = []
    for path, node in walk(schema):
        pattern = node.get("pattern") if isinstance(node, dict) else None
        if pattern is None:
            continue
        try:
            re.compile(pattern)
        except re.error as error:
            found.append(f"{written(path)}: pattern {pattern!r}: {error}")
        found += [
            f"{written(path)}: pattern {pattern!r} has {each.pattern}"
            for each in bad
            if each.search(pattern)
        ]
    return found


def key_faults(schema, pattern):
    return [
        f"{written(path)}: key {key!r}"
        for path, node in walk(schema)
        if isinstance(node, dict)
        for key in node.get("properties", ())
        if not re.fullmatch(pattern, key)
    ]


def name_faults(names, pattern, longest, prefix=""):
    """Names of the wrong letters, too long with what a client puts before them, or given twice."""
    found = [f"name {name!r} is given twice" for name, n in Counter(names).items() if n > 1]
    for name in names:
        if not isinstance(name, str) or not re.fullmatch(pattern, name):
            found.append(f"name {name!r} is not {pattern}")
        elif len(prefix) + len(name) > longest:
            found.append(f"name {name!r} is longer than {longest} with {prefix!r}")
    return found


def shape_faults(value, needed, optional=(), what="definition"):
    """Keys that a wire object lacks, or that nobody knows."""
    if not isinstance(value, dict):
        return [f"{what} is no object"]
    found = [f"{what} lacks {key}" for key in needed if key not in value]
    return found + [f"{what} has {key}" for key in value if key not in (*needed, *optional)]


def text_faults(value, key, what="definition"):
    text = value.get(key, "")
    return [] if isinstance(text, str) else [f"{what}: {key} is not text"]


def named(name, faults):
    return [f"{name}: {fault}" for fault in faults]
