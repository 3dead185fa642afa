"""Tools in one box: none changes or fails another."""

import enum as enums
import functools
import io
import types
from collections.abc import Iterator, Sized
from dataclasses import dataclass
from typing import (
    Annotated,
    Generic,
    Literal,
    NamedTuple,
    Never,
    Optional,
    ParamSpec,
    Self,
    TypedDict,
    Union,
)

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.unit.probes.case import INT
from tests.unit.probes.compiled import Kind, properties
from tests.unit.probes.targets import blue, red
from toolwright import DefinitionError, Flatten, Hidden, SchemaError, Tool, Toolbox


@pytest.mark.promise("schema.alone")
@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_schema_does_not_depend_on_its_neighbours(style):
    targets = {
        f"{module.__name__.rsplit('.', 1)[-1]}_{function.__name__}": function
        for module in (red, blue)
        for function in (module.use, module.walk, module.pick)
    }
    box = Toolbox("together")
    for name, target in targets.items():
        box.add(target, name=name, style=style)

    for era in ("2025-11-25", "2026-07-28"):
        together = {t["name"]: t for t in box.to_mcp(era)["tools"]}
        for name, target in targets.items():
            assert together[name] == Tool(target, name=name, style=style).to_mcp(era)


@pytest.mark.promise("schema.alone")
def test_a_schema_does_not_depend_on_the_order_of_the_box():
    def names(order):
        box = Toolbox("order")
        for number, target in order:
            box.add(target, name=f"t{number}")
        return {t["name"]: t for t in box.to_mcp()["tools"]}

    targets = list(enumerate([red.walk, blue.walk, red.use, blue.use, red.pick, blue.pick]))

    assert names(targets) == names(targets[::-1])


def test_a_neighbour_that_cannot_be_compiled_changes_nothing():
    class Engine: ...

    def bad(e: Engine): ...

    alone = Tool(red.walk).to_mcp()
    box = Toolbox("mixed")
    box.add(bad)
    box.add(red.walk)

    assert box.to_mcp()["tools"] == [alone]


@pytest.mark.parametrize("order", ["local first", "other first"])
@pytest.mark.parametrize("name", ["unknown to the module", "another class in the module"])
def test_a_neighbour_that_sees_other_names_changes_nothing(order, name):
    class Local(TypedDict):
        word: int

    @dataclass
    class HoldsLocal:
        local: "Local"

    def unknown():
        def local(holder: HoldsLocal): ...

        def other(holder: HoldsLocal): ...

        return local, other

    class Kind(TypedDict):
        word: int

    @dataclass
    class HoldsKind:
        kind: "Kind"

    def another():
        def local(holder: HoldsKind): ...

        def other(holder: HoldsKind): ...

        return local, other

    local, other = unknown() if name == "unknown to the module" else another()
    # As if it stood in the module, which does not see the names of this function.
    other.__qualname__ = "other"
    box = Toolbox("local")
    for target in (local, other) if order == "local first" else (other, local):
        box.add(target)
    listed = {listed["name"]: listed for listed in box.to_mcp()["tools"]}

    assert listed.get("local") == Tool(local).to_mcp()
    try:
        alone = Tool(other).to_mcp()
    except SchemaError:
        alone = None
    assert listed.get("other") == alone


@pytest.mark.promise("toolbox.refused-tools-are-left-out")
def test_one_bad_tool_never_fails_the_batch():
    class Opaque(enums.Enum):
        A = object()

    class Wrong(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        inner: object
        stream: Iterator[int]
        lock: type(functools)

    def good(x: int) -> int: ...

    def unknown(x: "Nowhere") -> int: ...  # noqa: F821

    def opaque(x: Opaque) -> int: ...

    def callback(x: Wrong) -> int: ...

    def flat(x: Annotated[int, Flatten()]) -> int: ...

    def schema(x: int) -> int: ...

    def also_good(y: str) -> str: ...

    box = Toolbox("mixed")
    for target in (good, unknown, opaque, callback, flat):
        box.add(target)
    box.add(schema, input_schema={"type": "array"})
    box.add(also_good)

    assert [t["name"] for t in box.to_mcp()["tools"]] == ["good", "also_good"]
    assert [t["name"] for t in box.to_mcp("2025-06-18")["tools"]] == ["good", "also_good"]
    fatal = {problem.tool: str(problem) for problem in box.problems if problem.fatal}
    assert set(fatal) == {"unknown", "opaque", "callback", "flat", "schema"}
    assert all(name in text for name, text in fatal.items())
    with pytest.raises(DefinitionError) as caught:
        box.compile()
    assert {problem.tool for problem in caught.value.problems} == set(fatal)
    assert box["good"].bind({"x": 1}) == ([], {"x": 1})


class Abstract(Sized): ...


ODD_HINTS = [
    3,
    ...,
    NotImplemented,
    (int, str),
    [int],
    {"a": int},
    print,
    functools,
    "1 +",
    "a b",
    "Nowhere",
    list["Nowhere"],
    Optional["Nowhere"],
    Literal,
    Union,
    Optional,
    Annotated,
    Generic,
    TypedDict,
    NamedTuple,
    ParamSpec("P"),
    Never,
    Self,
    type,
    Abstract,
    BaseExceptionGroup,
    property,
    types.FunctionType,
    types.ModuleType,
    io.BytesIO,
    dict[tuple[int, int], int],
    dict[list[int], int],
    Annotated[int, Field(gt="a")],
    Annotated[str, Field(pattern="(")],
    Annotated[int, Field(discriminator="k")],
    Annotated[int, Flatten()],
    Annotated[int, Hidden()],
]
ODD_IDS = [f"{at}-{getattr(hint, '__name__', hint)}"[:40] for at, hint in enumerate(ODD_HINTS)]
ODD_IDS = [id.split(" object at ")[0] for id in ODD_IDS]


@pytest.mark.parametrize("hint", ODD_HINTS, ids=ODD_IDS)
def test_an_odd_hint_of_a_parameter_is_refused_by_the_parameters_name(hint):
    def f(x: int, odd): ...

    f.__annotations__["odd"] = hint

    with pytest.raises(SchemaError, match=r"f\.odd ") as caught:
        Tool(f).compile()

    assert caught.value.parameter == "odd"
    assert "\n" not in str(caught.value)


@pytest.mark.promise("schema.lost-output")
@pytest.mark.parametrize("hint", ODD_HINTS, ids=ODD_IDS)
def test_an_odd_hint_of_the_return_value_costs_at_most_the_output_schema(hint):
    def f(x: int): ...

    f.__annotations__["return"] = hint

    assert Tool(f).input_schema["properties"] == {"x": INT}
    Tool(f).to_mcp("2025-06-18")


def test_a_bad_output_schema_never_fails_the_batch():
    class Opaque(enums.Enum):
        A = object()

    def good(x: int) -> int: ...

    def opaque(x: int) -> Opaque: ...

    box = Toolbox("mixed")
    box.add(opaque)
    box.add(good)

    assert [t["name"] for t in box.to_mcp()["tools"]] == ["opaque", "good"]
    assert "outputSchema" not in box.to_mcp()["tools"][0]
    assert [problem.tool for problem in box.problems] == ["opaque"]
    assert not box.problems[0].fatal
