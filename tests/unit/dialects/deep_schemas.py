"""Schemas that nest what dialects must write otherwise, with arguments for each."""


def obj(required=None, **properties):
    wanted = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": wanted}


def array(items, **more):
    return {"type": "array", "items": items, **more}


def mapping(values):
    return {"type": "object", "additionalProperties": values}


def places(*items):
    return {
        "type": "array",
        "prefixItems": list(items),
        "minItems": len(items),
        "maxItems": len(items),
    }


def either(*branches):
    return {"anyOf": list(branches)}


INT, TEXT, NULL = {"type": "integer"}, {"type": "string"}, {"type": "null"}
TREE = {
    "type": "object",
    "properties": {
        "children": mapping({"$ref": "#/$defs/Tree"}),
        "at": places(INT, INT),
        "note": TEXT,
    },
    "required": ["children"],
}

DEEP = {
    "map_of_maps": (
        obj(m=mapping(mapping(INT))),
        [{"m": {}}, {"m": {"a": {}}}, {"m": {"a": {"b": 1}, "key": {"value": 2}}}],
    ),
    "list_of_maps": (obj(l=array(mapping(TEXT))), [{"l": []}, {"l": [{}, {"a": "b"}]}]),
    "map_of_lists": (obj(m=mapping(array(INT))), [{"m": {"a": [1, 2], "b": []}}]),
    "map_of_tuples": (obj(m=mapping(places(TEXT, INT))), [{"m": {"a": ["x", 1]}}]),
    "tuple_of_maps": (obj(t=places(mapping(INT), INT)), [{"t": [{"a": 1}, 2]}]),
    "tuple_of_tuples": (obj(t=places(places(INT, TEXT), TEXT)), [{"t": [[1, "a"], "b"]}]),
    "list_of_tuples": (obj(l=array(places(TEXT, INT))), [{"l": [["a", 1], ["b", 2]]}]),
    "optional_map": (
        obj(["a"], a=INT, m=mapping(INT)),
        [{"a": 1}, {"a": 1, "m": {"x": 1}}, {"a": 1, "m": {}}],
    ),
    "nullable_map": (
        obj(m=either(mapping(INT), NULL)),
        [{"m": None}, {"m": {"x": 1}}],
    ),
    "map_or_text": (obj(m=either(mapping(INT), TEXT)), [{"m": "a"}, {"m": {"x": 1}}]),
    "map_of_nullable": (
        obj(m=mapping(either(INT, NULL))),
        [{"m": {"a": None, "b": 1}}],
    ),
    "optional_everywhere": (
        obj([], o=obj([], x=obj([], y=INT), z=TEXT)),
        [{}, {"o": {}}, {"o": {"x": {}}}, {"o": {"x": {"y": 1}, "z": "a"}}],
    ),
    "optional_nullable": (
        obj([], a=either(INT, NULL)),
        [{"a": 1}],
    ),
    "required_nullable": (obj(a=either(INT, NULL)), [{"a": None}, {"a": 1}]),
    "list_of_objects": (
        obj(l=array(obj(["x"], x=INT, y=TEXT))),
        [{"l": [{"x": 1}, {"x": 2, "y": "b"}]}],
    ),
    "odd_keys_in_depth": (
        obj(l=array(obj(["x-y"], **{"x-y": INT, "with space": TEXT, "größe": INT, "x.y": INT}))),
        [{"l": [{"x-y": 1}, {"x-y": 2, "with space": "b", "größe": 3, "x.y": 4}]}],
    ),
    "long_keys": (
        obj(**{"k" * 70: INT, "k" * 69 + "j": INT}),
        [{"k" * 70: 1, "k" * 69 + "j": 2}],
    ),
    "keys_of_codecs": (
        obj(key=TEXT, value=mapping(INT), items=array(obj(key=TEXT, value=INT))),
        [{"key": "a", "value": {"key": 1}, "items": [{"key": "b", "value": 2}]}],
    ),
    "tree_of_maps": (
        {**obj(t={"$ref": "#/$defs/Tree"}), "$defs": {"Tree": TREE}},
        [
            {"t": {"children": {}}},
            {"t": {"children": {"a": {"children": {}, "at": [1, 2]}}, "note": "n"}},
        ],
    ),
    "union_of_objects": (
        obj(
            u=either(
                obj(["k"], k={"const": "m", "type": "string"}, m=mapping(INT)),
                obj(["k"], k={"const": "t", "type": "string"}, t=places(INT, INT)),
            )
        ),
        [
            {"u": {"k": "m"}},
            {"u": {"k": "m", "m": {"a": 1}}},
            {"u": {"k": "t", "t": [1, 2]}},
        ],
    ),
    "numbers_in_enums": (
        obj(l=array({"type": "integer", "enum": [1, 2, 3]})),
        [{"l": [1, 3]}],
    ),
    "empty_object": (obj(o={"type": "object", "properties": {}}), [{"o": {}}]),
}
"""By name: a schema, and arguments that it allows."""
