"""Definitions of hostile servers: names, texts, and schemas that are deep, huge or tangled."""

import inspect
import time
import typing

import pytest

from toolwright import ArgumentError, ResultError
from toolwright.client import make_param, schema_to_signature
from toolwright.client.callables.remote_callable import remote_callable
from toolwright.client.callables.shapes import python_name


def echo(name, arguments):
    return arguments


def tool(root, **more):
    return {"name": "tool", "inputSchema": root, **more}


def seconds(work):
    since = time.process_time()
    work()
    return time.process_time() - since


NAMES = [
    "a b",
    "a\nb",
    "__import__('os').system('x')",
    "); import os #",
    "lambda",
    "None",
    "self",
    "args",
    "x" * 100_000,
    "\u202eevil",
    "ﬁ",
    "ｉｆ",  # `if`, as Python would read it
    "𝓬𝓵𝓪𝓼𝓼",
    "a\x00b",
    "é",
    "名前",
    "\ud800",
    "__class__",
    "__init__",
    "__signature__",
    "__debug__",
    "1",
    "-",
    "",
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_any_name_is_a_parameter_and_comes_back(name):
    call = remote_callable(tool({"properties": {name: {}}, "required": [name]}), echo)
    (parameter,) = inspect.signature(call).parameters.values()
    assert parameter.name.isidentifier()
    compile(f"def f({parameter.name}): pass", "", "exec")
    assert call(1) == {name: 1}
    assert call(**{parameter.name: 1}) == {name: 1}
    assert call(**{name: 1}) == {name: 1}


@pytest.mark.parametrize("name", [name for name in NAMES if name], ids=lambda n: ascii(n)[:20])
def test_any_name_is_that_of_a_tool(name):
    definition = {"name": name[:1000], "description": "a\x1b[2Jb\u202e", "inputSchema": {}}
    call = remote_callable(definition, echo)
    assert call.__name__.isidentifier()
    assert "\x1b" not in call.__doc__
    assert "\u202e" not in call.__doc__
    repr(call)


def test_names_that_python_reads_alike_are_kept_apart_or_refused():
    import keyword
    import unicodedata

    for name in NAMES:
        made = python_name(name)
        assert unicodedata.normalize("NFKC", made) == made
        assert not keyword.iskeyword(made)


DEFAULTS = [
    "__import__('os')",
    {"a": {"b": [1]}},
    [[[]]],
    float("inf"),
    10**400,
    "x" * 1_000_000,
    None,
    "\ud800",
]


@pytest.mark.parametrize("default", DEFAULTS, ids=lambda each: repr(each)[:20])
def test_any_default_is_shown_and_never_sent(default):
    call = remote_callable(tool({"properties": {"x": {"default": default}}}), echo)
    assert inspect.signature(call).parameters["x"].default == default
    assert call() == {}


def test_a_default_is_not_shared():
    made = schema_to_signature(tool({"properties": {"x": {"default": []}}}))
    made.parameters["x"].default.append(1)
    definition = tool({"properties": {"x": {"default": []}}})
    assert schema_to_signature(definition).parameters["x"].default == []


WRONG = [
    {"type": 3},
    {"type": []},
    {"type": ["string", 3, None]},
    {"properties": []},
    {"properties": {"a": 3}},
    {"required": "abc"},
    {"required": [3, None]},
    {"enum": "abc"},
    {"enum": [{"a": []}, [1]]},
    {"anyOf": {}},
    {"anyOf": []},
    {"anyOf": [3]},
    {"allOf": [None]},
    {"items": "x"},
    {"items": []},
    {"prefixItems": {}},
    {"additionalProperties": "x"},
    {"$ref": 3},
    {"$ref": ""},
    {"$ref": "#/properties"},
    {"$ref": "#/a/b/c"},
    {"$ref": "file:///etc/passwd"},
    {"$ref": "http://127.0.0.1:9/x.json"},
    {"$defs": 3, "$ref": "#/$defs/x"},
    {"minimum": "x", "maxLength": -1, "multipleOf": 0},
    {"multipleOf": -3, "minItems": 1.5},
    {"pattern": "("},
    {"pattern": "(?=a)"},
    {"patternProperties": {"(": {}, "(?<!x)": {}}},
    {"dependencies": {"a": 3, "b": ["c"], "c": {"required": ["d"]}}},
    {"format": 3, "title": 3, "description": [], "default": {}},
    {"title": "x" * 100_000},
    {"const": float("nan")},
    {"if": 3, "then": [], "else": None},
    {"nullable": "yes", "type": "string"},
    False,
    True,
    None,
    3,
    [],
]


@pytest.mark.parametrize("schema", WRONG, ids=lambda each: repr(each)[:30])
def test_a_schema_that_is_wrong_in_a_part_still_gives_a_callable(schema):
    call = remote_callable(tool({"properties": {"x": schema}}), echo)
    str(inspect.signature(call))
    for value in (1, "a", [1], {"a": 1}):
        try:
            assert call(x=value) in ({"x": value}, {"x": [value]})
        except ArgumentError:
            pass
    given = remote_callable({"name": "t", "outputSchema": {"properties": {"x": schema}}}, echo)
    str(inspect.signature(given))
    given()


@pytest.mark.parametrize("word", ["items", "additionalProperties", "not"])
def test_a_schema_of_ten_thousand_levels_is_any_below(word):
    node = {"type": "integer"}
    for _ in range(10_000):
        node = {"type": "array" if word == "items" else "object", word: node}
    call = remote_callable(tool({"properties": {"x": node}}), echo)
    str(inspect.signature(call))
    if word != "items":  # any value is one item of one item
        with pytest.raises(ArgumentError):
            call(x=3)
    hint = make_param("x", node).annotation
    assert typing.get_origin(hint) in (list, dict)


def test_properties_of_ten_thousand_levels_end():
    node = {"type": "integer"}
    for _ in range(10_000):
        node = {"type": "object", "properties": {"a": node}}
    call = remote_callable(tool(node, outputSchema=node), lambda name, arguments: arguments)
    str(inspect.signature(call))
    assert call(a={"a": {}}).a.a is not None


def test_values_of_ten_thousand_levels_are_refused():
    value = []
    for _ in range(10_000):
        value = [value]
    call = remote_callable(tool({"properties": {"x": {}}}), echo)
    with pytest.raises(ArgumentError, match="nested too deeply"):
        call(x=value)
    loop = []
    loop.append(loop)
    with pytest.raises(ArgumentError, match="nested too deeply"):
        call(x=loop)
    given = {
        "$defs": {"T": {"type": "array", "items": {"$ref": "#/$defs/T"}}},
        "$ref": "#/$defs/T",
    }
    lying = remote_callable({"name": "t", "outputSchema": given}, lambda *_: value)
    with pytest.raises(ResultError):
        lying()


TANGLED = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(60)}
TANGLED["a60"] = {"type": "object"}


def test_references_that_double_are_given_up():
    root = {"properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": TANGLED}
    call = remote_callable(tool(root), echo)
    assert seconds(lambda: call(x={})) < 30
    assert call(x={}) == {"x": {}}  # the server checks it
    given = {"$ref": "#/$defs/a0", "$defs": TANGLED}
    lying = remote_callable({"name": "t", "outputSchema": given}, lambda *_: {})
    with pytest.raises(ResultError, match="too tangled"):
        lying()


def test_parts_that_are_put_together_twenty_times_at_each_level_end():
    definitions = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 20} for n in range(10)}
    definitions["a10"] = {"type": "object", "properties": {"x": {"type": "integer"}}}
    root = {"type": "object", "allOf": [{"$ref": "#/$defs/a0"}] * 20, "$defs": definitions}
    call = remote_callable(tool(root, outputSchema=root), echo)
    assert seconds(lambda: str(inspect.signature(call))) < 30


CYCLES = [
    {"$ref": "#"},
    {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
    {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"},
    {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"type": "object"}]}}, "$ref": "#/$defs/a"},
    {"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"},
    {"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"},
    {"type": "object", "properties": {"x": {"$ref": "#/properties/x"}}},
    {"type": "object", "properties": {"x": {"$ref": "#"}}},
]


@pytest.mark.parametrize("root", CYCLES, ids=range(len(CYCLES)))
def test_schemas_that_hold_only_themselves_end(root):
    call = remote_callable(tool(root), echo)
    str(inspect.signature(call))
    for arguments in ({}, {"x": {}}, {"x": {"x": {}}}):
        try:
            call(**arguments)
        except ArgumentError:
            pass
    given = remote_callable({"name": "t", "outputSchema": root}, lambda *_: {"x": {"x": {}}})
    str(inspect.signature(given))
    try:
        given()
    except ResultError:
        pass


def test_patterns_take_linear_time():
    schema = {"type": "string", "pattern": "^(a+)+$"}
    call = remote_callable(tool({"properties": {"x": schema}}), echo)
    with pytest.raises(ArgumentError, match="must match"):
        call(x="a" * 50_000 + "!")
    keys = {"type": "object", "patternProperties": {"^(a+)+$": {"type": "integer"}}}
    call = remote_callable(
        tool({"properties": {"x": {**keys, "additionalProperties": False}}}), echo
    )
    assert call(x={"aa": 1}) == {"x": {"aa": 1}}
    with pytest.raises(ArgumentError, match="unknown argument"):
        call(x={"a" * 50_000 + "!": 1})
    with pytest.raises(ArgumentError, match="must be an integer"):
        call(x={"aa": "b"})


def test_nothing_is_fetched(monkeypatch):
    import socket

    def refuse(*_args, **_more):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    root = {
        "$schema": "https://example.com/own-dialect",
        "$id": "https://example.com/root",
        "properties": {"x": {"$ref": "https://example.com/other"}, "y": {"$ref": "other.json#/a"}},
    }
    call = remote_callable(tool(root), echo)
    assert call(x=1, y="a") == {"x": 1, "y": "a"}


def test_a_bundled_schema_is_found_by_its_id_and_anchor():
    root = {
        "properties": {"x": {"$ref": "https://example.com/point"}, "y": {"$ref": "#there"}},
        "$defs": {
            "p": {"$id": "https://example.com/point", "type": "integer"},
            "q": {"$anchor": "there", "type": "string"},
        },
    }
    assert str(schema_to_signature(tool(root))) == "(*, x: int = None, y: str = None)"
