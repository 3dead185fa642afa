"""Where the annotations of a target are resolved."""

import importlib.util
import sys
from pathlib import Path
from typing import Optional

import pytest
from pydantic import BaseModel

from tests.unit.probes.case import ANY, BYTES_OUT, INT, NULL, STR, Like, array, covers, enum, obj
from tests.unit.probes.compiled import properties
from tests.unit.probes.rules import faults
from tests.unit.probes.targets import checking, future
from toolwright import SchemaError, Tool, Toolbox

PLACE = obj({"city": STR, "code": {"type": "integer", "default": 0}}, ["city"])


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
def test_a_return_type_that_cannot_be_imported_costs_only_the_output_schema():
    made = Tool(checking.returns_it)

    assert made.input_schema["properties"] == {"x": INT}
    assert made.output_schema is None
    assert len(made.problems) == 1
    assert "from absent_money import Decimal as Money" in made.problems[0]


@pytest.mark.promise("parameters.checkers-only")
@covers("P03")
@pytest.mark.parametrize(
    ("target", "parameter"),
    [(checking.takes_it, "x"), (checking.takes_it_optionally, "y")],
)
def test_a_parameters_type_that_cannot_be_imported_is_refused_with_the_import(target, parameter):
    with pytest.raises(SchemaError, match="from absent_numbers import Fraction") as caught:
        Tool(target).compile()

    assert caught.value.parameter == parameter
    assert caught.value.file.endswith("checking.py")


@covers("P03")
def test_a_parameters_type_that_cannot_be_imported_can_be_let_through():
    made = Tool(checking.takes_it, on_unsupported="permissive")

    assert made.input_schema["properties"] == {"x": ANY}
    assert len(made.problems) == 1


@covers("P03")
def test_a_type_that_only_type_checkers_import_is_imported():
    assert properties(checking.takes_what_there_is) == {"x": {"type": "string"}}


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
