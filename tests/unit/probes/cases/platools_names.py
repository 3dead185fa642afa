"""platools 0.2.1, probes 1-43 (seeds-platools-omni.md, 1.11): names, docstrings, outputs."""

import datetime as dt
from pathlib import Path
from typing import Annotated, NewType, Optional

from pydantic import BaseModel, ConfigDict, Field, computed_field
from typing_extensions import TypeAliasType

from tests.unit.probes.case import DATE, INT, NULL, PATH, STR, Case, Like, array, collect, enum, obj
from tests.unit.probes.cases.platools import Color

CASES: list[Case] = []
probe = collect(CASES)


# -- names


@probe(
    "platools-30+P50-names-that-pydantic-does-not-take",
    properties={"model_config": INT, "_x": INT, "copy": INT, "json": INT, "__y": INT},
    required=["model_config", "_x", "copy", "json", "__y"],
    bind=[
        (
            {"model_config": 1, "_x": 2, "copy": 3, "json": 4, "__y": 5},
            {"model_config": 1, "_x": 2, "copy": 3, "json": 4, "__y": 5},
        )
    ],
)
def f(model_config: int, _x: int, copy: int, json: int, __y: int): ...


@probe(
    "platools-31-business-parameters-called-self-cls-and-ctx",
    properties={"cls": STR, "self": STR, "ctx": STR},
    required=["cls", "self", "ctx"],
    bind=[({"cls": "a", "self": "b", "ctx": "c"}, {"cls": "a", "self": "b", "ctx": "c"})],
)
def f(cls: str, self: str, ctx: str): ...


@probe(
    "platools-32-alias",
    properties={"theX": INT, "theY": {"type": "integer", "default": 2}},
    required=["theX"],
    bind=[
        ({"theX": 1}, {"x": 1, "y": 2}),
        ({"theX": 1, "theY": 3}, {"x": 1, "y": 3}),
    ],
    rejects=[{"x": 1}],
)
def f(x: Annotated[int, Field(alias="theX")], y: int = Field(2, alias="theY")): ...


UserId = NewType("UserId", int)
Names = TypeAliasType("Names", list[str])
Tree = TypeAliasType("Tree", "dict[str, Tree] | int")


@probe(
    "platools-33-new-type-and-alias-type",
    properties={"id": INT, "names": array(STR)},
    required=["id", "names"],
    output=array(STR),
    bind=[({"id": 1, "names": ["a"]}, {"id": 1, "names": ["a"]})],
)
def f(id: UserId, names: Names) -> Names: ...


@probe(
    "platools-33-recursive-alias-type",
    properties={"tree": {"$ref": "#/$defs/Tree"}},
    required=["tree"],
    definitions={
        "Tree": {
            "anyOf": [
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}},
                INT,
            ]
        }
    },
    bind=[({"tree": {"a": {"b": 1}}}, {"tree": {"a": {"b": 1}}})],
    rejects=[{"tree": {"a": "x"}}],
)
def f(tree: Tree): ...


Maybe = TypeAliasType("Maybe", Optional[int])


@probe(
    "platools-33-alias-type-of-an-optional",
    properties={"x": INT, "y": {"anyOf": [INT, NULL]}, "z": {"anyOf": [INT, NULL], "default": 3}},
    required=["y"],
    output={"anyOf": [INT, NULL]},
    bind=[({"y": None}, {"x": None, "y": None, "z": 3})],
    unsaid=[({"x": None, "y": 1}, {"x": None, "y": 1, "z": 3})],
)
def f(y: Maybe, x: Maybe = None, z: Maybe = 3) -> Maybe: ...


Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | None")
JSON = {
    "anyOf": [
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/Json"}},
        array({"$ref": "#/$defs/Json"}),
        STR,
        NULL,
    ]
}


@probe(
    "platools-33-recursive-alias-type-that-may-be-null",
    properties={"x": {"$ref": "#/$defs/Json"}},
    required=["x"],
    definitions={"Json": JSON},
    output={"$ref": "#/$defs/Json", "$defs": {"Json": JSON}},
    bind=[({"x": [None, {"a": "b"}]}, {"x": [None, {"a": "b"}]}), ({"x": None}, {"x": None})],
    rejects=[{"x": 1}],
)
def f(x: Json) -> Json: ...


# -- docstrings

DESCRIBED = {
    "x": {"type": "integer", "description": "First number."},
    "y": {"type": "string", "default": "a", "description": "A text, over two lines."},
}


@probe(
    "platools-34-google-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    Args:
        x: First number.
        y (str, optional): A text,
            over two lines.
    """


@probe(
    "platools-34-numpy-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    Parameters
    ----------
    x : int
        First number.
    y : str, optional
        A text,
        over two lines.
    """


@probe(
    "platools-34-sphinx-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    :param x: First number.
    :type x: int
    :param y: A text,
        over two lines.
    """


@probe(
    "platools-34+P37-epydoc-docstring",
    properties=DESCRIBED,
    required=["x"],
    description="Do it.\n\nAt length.",
)
def f(x: int, y: str = "a"):
    """Do it.

    At length.

    @param x: First number.
    @type x: int
    @param y: A text,
        over two lines.
    """


@probe(
    "platools-34-docstring-that-starts-with-args",
    properties={"x": {"type": "integer", "description": "desc only"}},
    required=["x"],
    description="",
)
def f(x: int):
    """
    Args:
        x: desc only
    """


@probe(
    "platools-34-docstring-that-starts-with-args-on-its-first-line",
    properties={"x": {"type": "integer", "description": "desc only"}},
    required=["x"],
    description="",
)
def f(x: int):
    """Args:
    x: desc only
    """


# -- outputs


class Doubled(BaseModel):
    a: int

    @computed_field
    def dbl(self) -> int:
        return self.a * 2


@probe(
    "platools-36-computed-field-is-in-the-output-schema",
    properties={},
    output=obj({"a": INT, "dbl": Like({"type": "integer"})}, ["a", "dbl"]),
)
def f() -> Doubled: ...


class Aliased(BaseModel):
    model_config = ConfigDict(validate_by_name=True)
    a: int = Field(alias="theA")


@probe(
    "platools-36-aliased-output",
    properties={},
    output=obj({"theA": INT}, ["theA"]),
)
def f() -> Aliased: ...


@probe(
    "platools-37-description-of-the-return-type",
    properties={},
    output={"type": "integer", "description": "how many"},
)
def f() -> Annotated[int, Field(description="how many")]: ...


# -- arguments


class Inner(BaseModel):
    a: int


@probe(
    "platools-39+D08-a-model-arrives-as-a-model",
    properties={"m": obj({"a": INT}, ["a"])},
    required=["m"],
    bind=[({"m": {"a": 1}}, {"m": Inner(a=1)})],
)
def f(m: Inner): ...


@probe(
    "platools-40+D01+T33-wrong-types-are-refused",
    properties={"n": INT},
    required=["n"],
    bind=[({"n": 5}, {"n": 5})],
    rejects=[{"n": "5"}, {"n": "abc"}, {"n": None}, {"n": 1.5}, {"n": True}, {"n": [1]}],
)
def f(n: int): ...


@probe(
    "platools-41+D06+T06-bounds-are-published-and-kept",
    properties={"n": {"type": "integer", "minimum": 1, "maximum": 5, "description": "how many"}},
    required=["n"],
    bind=[({"n": 5}, {"n": 5})],
    rejects=[{"n": 0}, {"n": 99}],
)
def f(n: Annotated[int, Field(ge=1, le=5, description="how many")]): ...


@probe(
    "platools-42+D02+T34+P34-extra-and-missing-arguments-are-refused",
    properties={"a": INT},
    required=["a"],
    bind=[({"a": 1}, {"a": 1})],
    rejects=[{}, {"a": 1, "zzz": 2}, {"zzz": 2}],
)
def f(a: int): ...


@probe(
    "platools-43-dates-enums-and-paths-inside-containers",
    properties={
        "days": array(DATE),
        "colors": {"type": "object", "additionalProperties": enum("red", "blue")},
        "path": PATH,
    },
    required=["days", "colors"],
    bind=[
        (
            {"days": ["2024-01-02"], "colors": {"a": "red"}, "path": "x"},
            {"days": [dt.date(2024, 1, 2)], "colors": {"a": Color.RED}, "path": Path("x")},
        )
    ],
    rejects=[{"days": ["yesterday"], "colors": {}}, {"days": [0], "colors": {}}],
)
def f(days: list[dt.date], colors: dict[str, Color], path: Path | None = None): ...
