"""Probes that need a set-up of their own: where a target stands, and how it was wrapped."""

import functools
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple, Optional

import jsonschema
import pytest
from fastcore.meta import delegates
from pydantic import BaseModel, Field

from toolwright import (
    ArgumentError,
    DefinitionError,
    SchemaError,
    Tool,
    Toolbox,
    ToolNotFound,
    tool,
)

from .case import ANY, BYTES_OUT, INT, NULL, STR, Like, Text, array, covers, enum, obj
from .rules import faults
from .targets import blue, checking, future, red
from .targets.methods import Chair, Desk

PLACE = obj({"city": STR, "code": {"type": "integer", "default": 0}}, ["city"])


def properties(target, **options):
    made = Tool(target, **options)
    assert faults(made.input_schema, is_input=True) == []
    assert made.problems == ()
    return made.input_schema["properties"]


# -- annotations


@covers("D03", "T03")
def test_string_annotations_of_builtins_are_resolved():
    assert properties(future.plain) == {"a": INT, "b": STR, "c": enum("x", "y", default="x")}
    assert Tool(future.plain).output_schema == array(INT)


@covers("D04", "T03")
def test_string_annotations_of_classes_are_resolved():
    schema = Tool(future.rich).input_schema

    assert schema["required"] == ["path", "when", "n", "place", "movie"]
    assert schema["properties"] == {
        "path": {"type": "string", "format": "path"},
        "when": {"type": "string", "description": "ISO 8601 date and time"},
        "n": {"type": "integer", "minimum": 1, "description": "How many."},
        "place": PLACE,
        "movie": obj({"name": STR, "year": INT}, ["name", "year"]),
        "user": {"$ref": "#/$defs/User"},
    }
    assert schema["$defs"] == {
        "User": obj({"name": STR, "friend": {"$ref": "#/$defs/User"}}, ["name"])
    }
    assert Tool(future.rich).output_schema == {"type": "object", "additionalProperties": PLACE}


@covers("T03")
def test_string_annotations_give_the_declared_values():
    _, named = Tool(future.rich).bind(
        {
            "path": "a",
            "when": "2024-01-02T03:04:05",
            "n": 1,
            "place": {"city": "b"},
            "movie": {"name": "c", "year": 1},
            "user": {"name": "d", "friend": {"name": "e"}},
        }
    )

    assert named["path"] == Path("a")
    assert named["place"] == future.Place("b")
    assert named["user"] == future.User(name="d", friend=future.User(name="e"))


@covers("D04")
def test_a_class_defined_below_the_function_is_found():
    assert properties(future.later) == {"x": obj({"x": INT}, ["x"])}


@covers("D04")
def test_a_name_of_the_class_body_is_found():
    made = Tool(future.Shelf().find)

    assert made.input_schema["properties"] == {
        "key": INT,
        "near": {"type": "integer", "default": 0},
    }
    assert made.output_schema == PLACE


@pytest.mark.promise("parameters.scope")
@covers("platools-11", "P02")
def test_local_classes_are_found_while_their_function_runs():
    class P(BaseModel):
        x: int

    def takes(p: "P", q: "list[P]") -> "Optional[P]": ...

    made = Tool(takes)

    assert made.input_schema["properties"] == {
        "p": obj({"x": INT}, ["x"]),
        "q": array(obj({"x": INT}, ["x"])),
    }
    assert made.output_schema == {"anyOf": [obj({"x": INT}, ["x"]), NULL]}
    assert made.bind({"p": {"x": 1}, "q": []}) == ([], {"p": P(x=1), "q": []})


@covers("platools-11", "P02")
def test_a_local_class_of_a_function_that_is_over_is_refused_with_advice():
    takes, *_ = future.local_class_defined_after_the_function()

    with pytest.raises(SchemaError, match=r"takes\.p .*`P`.* module level"):
        Tool(takes).compile()


@covers("P02")
def test_a_local_class_under_future_annotations_is_found_through_the_box():
    box = Toolbox("local")

    class P(BaseModel):
        x: int

    @box.tool
    def takes(p: "P") -> "P": ...

    assert box["takes"].input_schema["properties"] == {"p": obj({"x": INT}, ["x"])}


@pytest.mark.promise("schema.lost-output")
@covers("P03")
def test_a_return_type_for_type_checkers_costs_only_the_output_schema():
    made = Tool(checking.returns_it)

    assert made.input_schema["properties"] == {"x": INT}
    assert made.output_schema is None
    assert len(made.problems) == 1
    assert "from decimal import Decimal as Money" in made.problems[0]


@pytest.mark.promise("parameters.checkers-only")
@covers("P03")
@pytest.mark.parametrize(
    ("target", "parameter"),
    [(checking.takes_it, "x"), (checking.takes_it_optionally, "y")],
)
def test_a_parameters_type_for_type_checkers_is_refused_with_the_import_to_move(target, parameter):
    with pytest.raises(SchemaError, match="from fractions import Fraction") as caught:
        Tool(target).compile()

    assert caught.value.parameter == parameter
    assert caught.value.file.endswith("checking.py")


@covers("P03")
def test_a_parameters_type_for_type_checkers_can_be_let_through():
    made = Tool(checking.takes_it, on_unsupported="permissive")

    assert made.input_schema["properties"] == {"x": ANY}
    assert len(made.problems) == 1


@pytest.mark.promise("documentation.no-source")
@covers("T38")
def test_a_function_without_source_has_a_schema():
    names = {}
    source = (
        'def g(x: int, y: "str" = "a") -> int:\n    """Go.\n\n    Args:\n        x: Where.\n    """'
    )
    exec(source, names)

    assert properties(names["g"]) == {
        "x": {"type": "integer", "description": "Where."},
        "y": {"type": "string", "default": "a"},
    }
    assert Tool(names["g"]).description == "Go."


@covers("T38")
def test_classes_without_source_have_a_schema():
    names = {}
    exec(
        "from dataclasses import dataclass\nfrom pydantic import BaseModel\n"
        "@dataclass\nclass D:\n    a: int\n"
        "class M(BaseModel):\n    d: D\n"
        "def g(m: M, d: D) -> M: ...",
        names,
    )

    d = obj({"a": INT}, ["a"])
    assert properties(names["g"]) == {"m": obj({"d": d}, ["d"]), "d": d}


# -- Python 3.12 syntax


@pytest.fixture
def pep695(tmp_path):
    if sys.version_info < (3, 12):
        pytest.skip("the syntax is new in Python 3.12")
    file = tmp_path / "pep695_targets.py"
    file.write_text((Path(__file__).parent / "targets" / "pep695.txt").read_text())
    spec = importlib.util.spec_from_file_location("pep695_targets", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["pep695_targets"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["pep695_targets"]


@covers("P14")
def test_an_alias_of_bytes_is_bytes(pep695):
    assert Tool(pep695.data).output_schema == BYTES_OUT


@covers("P15")
def test_an_alias_of_content_is_content(pep695):
    assert Tool(pep695.blocks).output_schema is None
    assert Tool(pep695.blocks).problems == ()


@covers("P14", "platools-33")
def test_type_statements_are_opened(pep695):
    mapping = {"type": "object", "additionalProperties": array(INT)}

    assert properties(pep695.ids) == {"x": array(INT)}
    assert Tool(pep695.ids).output_schema == array(INT)
    assert properties(pep695.pairs) == {"x": mapping}
    assert Tool(pep695.pairs).output_schema == mapping


@covers("platools-07", "platools-33")
def test_an_alias_of_an_optional_is_an_optional(pep695):
    made = Tool(pep695.maybe)

    assert properties(pep695.maybe) == {"x": INT}
    assert made.output_schema == {"anyOf": [INT, NULL]}
    assert made.bind({"x": None}) == made.bind({}) == ([], {"x": None})
    assert made.to_mcp()["outputSchema"]["properties"] == {"result": {"anyOf": [INT, NULL]}}


@covers("platools-33")
def test_a_recursive_type_statement_is_a_definition(pep695):
    made = Tool(pep695.tree)
    ref = {"$ref": "#/$defs/Json"}
    arms = [{"type": "object", "additionalProperties": ref}, array(ref), STR, INT, NULL]

    assert made.input_schema["properties"] == {"x": ref}
    assert made.input_schema["$defs"] == {"Json": {"anyOf": arms}}
    assert made.bind({"x": {"a": [1, "b", None]}}) == ([], {"x": {"a": [1, "b", None]}})
    assert faults(made.input_schema, is_input=True) == []
    assert faults(made.output_schema, is_input=False) == []
    for era in ("2025-11-25", "2026-07-28"):  # its root may be null
        assert made.to_mcp(era)["outputSchema"]["type"] == "object"


@covers("platools-17", "platools-18")
def test_generic_classes_and_functions_of_the_new_syntax(pep695):
    assert properties(pep695.boxes) == {
        "a": obj({"item": INT}, ["item"]),
        "b": obj({"items": array(STR)}, ["items"]),
    }
    assert Tool(pep695.boxes).output_schema == obj({"item": array(INT)}, ["item"])
    assert properties(pep695.first) == {"xs": Like({"type": "array"})}
    assert properties(pep695.bounded) == {"n": INT}
    assert Tool(pep695.bounded).output_schema == INT


# -- methods


@pytest.mark.promise("target.unbound")
@covers("platools-20", "T20")
def test_a_method_without_its_instance_is_refused_on_registration():
    with pytest.raises(SchemaError, match="without its instance"):
        Toolbox("short_path").add(Desk.add)


@covers("platools-20", "T20")
def test_a_method_without_its_instance_does_not_show_self():
    assert "self" not in Tool(Desk.add).input_schema["properties"]


@covers("platools-20")
def test_registering_in_the_class_body_is_refused_at_once():
    box = Toolbox("short_path")

    with pytest.raises(SchemaError, match="without its instance"):

        class Local:
            @box.tool
            def method(self, x: int) -> int: ...


@covers("platools-20")
def test_registering_a_class_method_in_the_class_body_is_refused_at_once():
    box = Toolbox("short_path")

    with pytest.raises(SchemaError, match=r"add it as `TheClass\.method`"):

        class Local:
            @box.tool
            @classmethod
            def method(cls, x: int) -> int: ...


@pytest.mark.promise("target.methods")
@covers("platools-21", "D14", "T20")
@pytest.mark.parametrize(
    "target",
    [
        Desk().marked,
        Desk.make,
        Desk().make,
        Desk.double,
        Desk().double,
        Desk.tool_over_class,
        Desk.class_over_tool,
        Desk.tool_over_static,
        Desk.static_over_tool,
        Desk().tool_over_class,
        Desk().static_over_tool,
        Desk.Inner().deep,
    ],
    ids=lambda target: target.__qualname__,
)
def test_methods_of_every_kind_have_only_their_own_parameters(target):
    made = Tool(target)

    assert made.input_schema["properties"] == {"x": INT}
    assert made.output_schema == INT
    assert made.description
    assert made.callable
    positional, named = made.bind({"x": 1})
    inspect.signature(made.target).bind(*positional, **named)


@covers("D14")
def test_the_mark_of_a_method_counts_when_it_is_bound():
    assert Tool(Desk().marked).annotations == {"readOnlyHint": True}


@pytest.mark.promise("include.only-marked")
@covers("D14", "T20")
def test_including_an_object_takes_its_marked_methods_only():
    box = Toolbox("short_path")
    box.include(Desk())

    assert sorted(box) == [
        "class_over_tool",
        "marked",
        "static_over_tool",
        "tool_over_class",
        "tool_over_static",
    ]


@covers("platools-21")
def test_static_methods_as_descriptors_are_read():
    assert properties(vars(Desk)["double"]) == {"x": INT}


@covers("platools-20")
def test_an_unbound_method_with_its_instance_bound_by_partial_is_a_tool():
    made = Tool(functools.partial(Desk.add, Desk()))

    assert set(made.input_schema["properties"]) == {"x", "y"}
    assert made.callable


# -- wrappers


@covers("T40")
def test_delegated_parameters_are_expanded_and_documented():
    def inner(
        x: int,  # How far
        deep: bool = False,  # Go deep
    ):
        """Inner."""

    @delegates(inner)
    def outer(name: str, **kwargs):
        """Outer.

        Args:
            name: Who.
        """

    schema = Tool(outer).input_schema

    assert schema["properties"]["name"] == {"type": "string", "description": "Who."}
    assert schema["properties"]["deep"] == {
        "type": "boolean",
        "default": False,
        "description": "Go deep",
    }
    assert schema["additionalProperties"] is False


@pytest.mark.promise("target.wrappers")
@covers("platools-23", "P23")
def test_stacked_wrappers_are_seen_through():
    def passing(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @passing
    @functools.lru_cache
    @passing
    def f(x: int, y: str = "a") -> int:
        """Wrapped."""

    assert properties(f) == {"x": INT, "y": {"type": "string", "default": "a"}}
    assert Tool(f).description == "Wrapped."


@covers("platools-23")
def test_a_wrapper_with_parameters_of_its_own_has_those():
    def inner(x: int, y: int) -> int:
        """Inner."""

    @functools.wraps(inner)
    def wrapper(z: str) -> str:
        return z

    # `wraps` copies the annotations of `inner`; the parameters are the wrapper's own.
    wrapper.__annotations__ = {"z": str, "return": str}

    assert properties(wrapper) == {"z": STR}


@covers("P23")
def test_a_cached_method_has_no_self():
    class Cached:
        @functools.lru_cache
        def get(self, x: int) -> int:
            """Get."""

    made = Tool(functools.partial(Cached.get, Cached()), name="get")

    assert set(made.input_schema["properties"]) == {"x"}


@covers("P26")
def test_single_dispatch_methods_are_called_by_position():
    class Shower:
        @functools.singledispatchmethod
        def show(self, value: int, width: int = 3) -> str:
            """Show."""

    made = Tool(Shower().show, name="show")

    assert made.input_schema["properties"] == {
        "value": INT,
        "width": {"type": "integer", "default": 3},
    }
    assert made.bind({"value": 1}) == ([1], {"width": 3})


@covers("P22", "D15", "T37")
def test_a_partial_has_the_name_of_its_function_or_a_given_one():
    def scale(value: float, factor: int) -> float: ...

    half = functools.partial(scale, factor=2)

    assert Tool(half).name == "scale"
    assert Tool(half, name="half").name == "half"


# -- records


class Pair(NamedTuple):
    left: int
    right: str = "r"


@pytest.mark.promise("schema.named-tuples")
@covers("P18")
@pytest.mark.parametrize(
    "sent", [[1], [1, "a"], {"left": 1}, {"left": 1, "right": "a"}, {}, [], {"left": "a"}]
)
def test_a_named_tuple_is_taken_in_just_the_forms_its_schema_tells(sent):
    def f(pair: Pair): ...

    made = Tool(f)
    told = jsonschema.Draft202012Validator(made.input_schema).is_valid({"pair": sent})

    try:
        made.bind({"pair": sent})
    except ArgumentError:
        assert not told
    else:
        assert told


# -- many tools


SHARED = Annotated[int, Field(ge=0)]


@pytest.mark.promise("documentation.no-leaks")
@covers("platools-04")
def test_a_docstring_never_reaches_another_tool_through_a_shared_alias():
    def f(x: SHARED):
        """F.

        Args:
            x: The text of f.
        """

    def g(x: SHARED):
        """G.

        Args:
            x: The text of g.
        """

    def h(x: SHARED):
        """H."""

    box = Toolbox("shared")
    for target in (f, g, h):
        box.add(target)
    texts = {t["name"]: t["inputSchema"]["properties"]["x"] for t in box.to_mcp()["tools"]}

    assert texts == {
        "f": {"type": "integer", "minimum": 0, "description": "The text of f."},
        "g": {"type": "integer", "minimum": 0, "description": "The text of g."},
        "h": {"type": "integer", "minimum": 0},
    }


@covers("platools-35")
def test_models_of_the_same_name_are_told_apart_and_named_simply():
    def both(a: red.Item, b: blue.Item, c: red.Node, d: blue.Node): ...

    schema = Tool(both).input_schema

    assert schema["properties"]["a"] == obj({"red": INT}, ["red"], description="A red item.")
    assert schema["properties"]["b"] == obj({"blue": INT}, ["blue"], description="A blue item.")
    assert schema["properties"]["c"] == {"$ref": "#/$defs/Node"}
    assert schema["properties"]["d"] == {"$ref": "#/$defs/Node_2"}
    assert set(schema["$defs"]["Node"]["properties"]) == {"red", "next"}
    assert set(schema["$defs"]["Node_2"]["properties"]) == {"blue", "next"}
    assert schema["$defs"]["Node_2"]["properties"]["next"] == {"$ref": "#/$defs/Node_2"}


@covers("platools-38")
def test_a_name_that_is_taken_is_refused():
    box = Toolbox("names")
    box.add(red.use)

    with pytest.raises(SchemaError, match=r"use is already in the toolbox"):
        box.add(blue.use)
    assert box["use"].target is red.use


@covers("platools-38")
def test_names_that_are_published_alike_are_refused():
    box = Toolbox("names")
    box.add(red.use, name="a.b")

    with pytest.raises(SchemaError, match="collides"):
        box.add(blue.use, name="a_b")


@pytest.mark.promise("target.names")
@covers("platools-38")
@pytest.mark.parametrize("name", ["a b c!!", "é", "x" * 129, "a/b", ""])
def test_an_impossible_name_is_refused(name):
    if not name:
        assert Tool(red.use, name=name).name == "use"
        return
    with pytest.raises(SchemaError, match="impossible name"):
        Tool(red.use, name=name)


@covers("platools-38")
def test_a_bad_option_is_refused_by_name():
    with pytest.raises(SchemaError, match="unknown option `auth`"):
        Tool(red.use, auth="root")
    with pytest.raises(SchemaError, match="extra must be one of"):
        Tool(red.use, extra="maybe")
    with pytest.raises(TypeError, match="unknown option `auth`"):
        tool(auth="root")(red.use)


@covers("D38")
@pytest.mark.parametrize("name", ["serve", "tools", "add", "tool", "to_mcp", "name", "items"])
def test_a_tool_named_like_a_method_of_the_box_is_just_a_tool(name):
    box = Toolbox("names")
    box.add(red.use, name=name)

    assert [listed["name"] for listed in box.to_mcp()["tools"]] == [name]
    assert box[name].name == name
    box.add(blue.use, name="other")
    assert len(box) == 2


@covers("T41")
@pytest.mark.parametrize(
    "name", ["use.__globals__.popitem", "use.__globals__", "__class__", "use.name", "us"]
)
def test_only_the_names_of_tools_lead_to_tools(name):
    box = Toolbox("names")
    box.add(red.use)

    with pytest.raises(ToolNotFound):
        box[name]


@covers("omni-18")
def test_a_list_keeps_every_word_of_every_tool():
    text = "Say it all. " * 50

    def f(title: str, description: str = "d", default: int = 3) -> int: ...

    f.__doc__ = f"{text}\n\nArgs:\n    title: The title.\n    default: The default.\n"
    box = Toolbox("words")
    box.add(f, title="F", read_only=True)

    assert box.to_mcp()["tools"] == [
        {
            "name": "f",
            "title": "F",
            "description": text.strip(),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "description": "The title."},
                    "description": {"type": "string", "default": "d"},
                    "default": {"type": "integer", "default": 3, "description": "The default."},
                },
                "required": ["title"],
                "additionalProperties": False,
            },
            "outputSchema": INT,
            "annotations": {"readOnlyHint": True},
        }
    ]


@covers("omni-18")
def test_a_list_is_as_long_as_the_box():
    box = Toolbox("many")
    for number in range(250):
        box.add(red.use, name=f"tool_{number:03}")

    assert [t["name"] for t in box.to_mcp()["tools"]] == [f"tool_{n:03}" for n in range(250)]


@covers("omni-13", "D22", "D23", "platools-19")
def test_one_bad_tool_takes_nothing_else_down():
    class Engine: ...

    def bad(x: int, engine: Engine): ...

    def good(x: int) -> int: ...

    def odd(x: int) -> Engine: ...

    box = Toolbox("mixed")
    for target in (good, bad, odd):
        box.add(target)

    assert [listed["name"] for listed in box.to_mcp()["tools"]] == ["good", "odd"]
    fatal = [problem for problem in box.problems if problem.fatal]
    assert [problem.tool for problem in fatal] == ["bad"]
    assert "bad.engine" in str(fatal[0])
    with pytest.raises(DefinitionError, match=r"bad\.engine"):
        box.compile()


@covers("omni-08", "P37")
def test_text_in_a_list_of_the_docstring_is_never_lost():
    def dashes(query: str, limit: int = 5):
        """Search.

        Args:
            - query: str - What to look for - exactly
            - limit: int - Most hits
        """

    def bullets(x: int, y: int):
        """Do it.

        - x: Which one.
        - `y`: The other one.
        """

    for target, texts in (
        (dashes, ["What to look for - exactly", "Most hits"]),
        (bullets, ["Which one.", "The other one."]),
    ):
        listed = str(Tool(target).to_mcp())
        assert all(text in listed for text in texts)
