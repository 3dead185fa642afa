"""What an entry of `tools/list` says, as a set of (path, keyword, value), to compare lists.

Two entries that say the same in different ways have the same set. `$ref`s are followed, a box
around a value is opened, `["string", "null"]` and a union of the two are the same, `const` is an
`enum` of one value, texts are compared by their words and line by line.
"""

import json
import re

BOXES = ("x-toolwright-box", "x-fastmcp-wrap-result")
NO_INFORMATION = frozenset(("title", "$schema", "$defs", "discriminator", *BOXES))
"""Titles that pydantic makes from names say nothing; no tool of the workloads has its own."""
UNIONS = ("anyOf", "oneOf")
DESCRIBED = "description"


def facts(entry):
    """Return what a tool's entry says: a set of (path, keyword, value), values as JSON."""
    found = {("", "name", json.dumps(entry["name"]))}
    found |= {("", DESCRIBED, line) for line in lines(entry.get(DESCRIBED, ""))}
    for key in ("annotations", "icons", "_meta"):
        if entry.get(key) and key != "_meta":
            found.add(("", key, json.dumps(entry[key], sort_keys=True)))
    for side in ("inputSchema", "outputSchema"):
        if side in entry:
            schema = entry[side]
            _walk(opened(schema), side, schema.get("$defs", {}), (), found)
    return found


def lines(text):
    """Return the lines of a text, words only."""
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def opened(schema):
    """Return what is in the box if a schema is one."""
    properties = schema.get("properties", {})
    marked = any(box in schema for box in BOXES)
    if list(properties) == ["result"] and (marked or str(schema.get("title")).endswith("Output")):
        return properties["result"]
    return schema


def _walk(node, path, definitions, within, found):
    node, within = resolved(node, definitions, within)
    if node is None:
        found.add((path, "recursive", ""))
        return
    for keyword, value in node.items():
        if keyword in UNIONS:
            _union(value, path, definitions, within, found)
        elif keyword == "properties":
            for name, inner in value.items():
                _walk(inner, f"{path}.{name}", definitions, within, found)
        elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
            _walk(value, f"{path}[{keyword}]", definitions, within, found)
        elif keyword == "prefixItems":
            for at, inner in enumerate(value):
                _walk(inner, f"{path}[{at}]", definitions, within, found)
        else:
            found.update((path, *said) for said in spelled(keyword, value))


def _union(arms, path, definitions, within, found):
    rest = [arm for arm in arms if arm != {"type": "null"}]
    if len(rest) < len(arms):
        found.add((path, "type", '"null"'))
    bare = all(set(arm) == {"type"} for arm in rest)
    for at, arm in enumerate(rest):
        here = path if bare or len(rest) == 1 else f"{path}|{at}"
        _walk(arm, here, definitions, within, found)


def resolved(node, definitions, within):
    """Follow references; keywords beside one are added. None if it leads to itself."""
    texts = [node.get(DESCRIBED)]
    while "$ref" in node:
        name = node["$ref"].removeprefix("#/$defs/")
        if name in within:
            return None, within
        within = (*within, name)
        target = definitions[name]
        texts.append(target.get(DESCRIBED))
        both = [*target.get("required", ()), *node.get("required", ())]
        node = {**target, **{word: said for word, said in node.items() if word != "$ref"}}
        node |= {"required": both} if both else {}
    said = "\n".join(text for text in texts if text)
    return ({**node, DESCRIBED: said} if said else node), within


def spelled(keyword, value):
    """Yield a keyword and its value in the form that is compared; one pair for each item of a list."""
    if keyword in NO_INFORMATION:
        return
    if keyword == DESCRIBED:
        yield from ((DESCRIBED, line) for line in lines(value))
    elif keyword in ("type", "required", "enum") and isinstance(value, list):
        yield from ((keyword, json.dumps(each)) for each in value)
    elif keyword == "const":
        yield "enum", json.dumps(value)
    else:
        yield keyword, json.dumps(value, sort_keys=True)


# -- what a peer does not say at all


def subtracted(entry, peer):
    """Return an entry without what the peer's entry does not say in any place."""
    said = facts(peer)
    keywords = {(keyword, value) for _, keyword, value in said}
    words = " ".join(" ".join(strings(peer)).split())
    made = {**entry}
    for key in (*made,):
        if key.endswith("Schema"):
            made[key] = _subtracted(made[key], keywords, words)
        elif key == DESCRIBED:
            made[key] = _said_text(made[key], words)
        elif key not in peer:
            del made[key]
    return made


def strings(value):
    """Yield every text inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def _subtracted(node, keywords, words):
    made = {}
    for keyword, value in node.items():
        if keyword in ("properties", "$defs"):
            inner = {name: _subtracted(each, keywords, words) for name, each in value.items()}
            made[keyword] = inner
        elif keyword in UNIONS:
            made[keyword] = [_subtracted(arm, keywords, words) for arm in value]
        elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
            made[keyword] = _subtracted(value, keywords, words)
        elif keyword == DESCRIBED:
            text = _said_text(value, words)
            made.update({DESCRIBED: text} if text else {})
        elif keyword in ("$ref", *NO_INFORMATION) or set(spelled(keyword, value)) <= keywords:
            made[keyword] = value
        elif keyword in ("type", "enum", "required"):
            made[keyword] = value  # the peer says it in another way
    return made


def _said_text(text, words):
    kept = [line for line in text.split("\n") if " ".join(line.split()) in words]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def size(value):
    """Return how many bytes a value has on the wire."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def least(entry):
    """Return the fewest bytes that can say what an entry says: equal parts of a schema once.

    A part that is there already costs only what differs the second time (a text, a default),
    less than any reference. Keywords and values cannot be left out: each is a fact that is compared.
    """
    saved = 0
    for side in ("inputSchema", "outputSchema"):
        if side in entry:
            saved += _repeated(entry[side], set())
    return size(entry) - saved


def _repeated(node, seen):
    if isinstance(node, list):
        return sum(_repeated(each, seen) for each in node)
    if not isinstance(node, dict):
        return 0
    own = {word: node[word] for word in (DESCRIBED, "default") if word in node}
    text = json.dumps(
        {word: said for word, said in node.items() if word not in own}, sort_keys=True
    )
    if text in seen:
        return size(node) - size(own)
    seen.add(text)
    return sum(_repeated(each, seen) for each in node.values())
