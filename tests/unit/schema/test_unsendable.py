"""What cannot be sent as JSON is left out where it is not needed, and noted."""

import enum
import io
import threading
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict, Unpack

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict, Field

from toolwright import ArgumentError, Fixed, Flatten, Hidden, SchemaError, Tool, Toolbox
from toolwright.json_schema.walk import nodes


class Engine:
    """Nothing is known of how to make one."""


class Runs(typing.Protocol):
    def run(self) -> None: ...


class Loose(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str
    engine: Engine | None = None
    hooks: list[Callable[[], None]] = []
    label: str | Callable[[], str] = "x"


@dataclass
class Job:
    name: str
    lock: Engine | None = None
    inner: "Job | None" = None


class Keys(TypedDict):
    name: str
    done: NotRequired[Callable[[], None]]


class Shell:
    def __init__(self, name: str, stream: typing.IO[str] | None = None) -> None:
        self.name = name
        self.stream = stream


@dataclass
class Hollow:
    engine: Engine | None = None


class NoMembers(enum.Enum):
    pass


UNSENDABLE = [
    Callable,
    Callable[[int], int],
    type,
    type[int],
    type[Any],
    Engine,
    Runs,
    typing.IO[str],
    io.StringIO,
    type(threading.Lock()),
    NoMembers,
    Hollow,
    list[Engine],
    set[Callable],
    dict[str, Engine],
    tuple[int, Engine],
    list[Callable | type],
    list[Engine | None],
    Engine | Callable,
    Optional[Engine],
    Annotated[Engine, Field(description="live")],
    list[Hollow],
]
IDS = [str(at) for at in range(len(UNSENDABLE))]


def checked(tool: Tool) -> dict[str, Any]:
    schema = tool.input_schema
    jsonschema.Draft202012Validator.check_schema(schema)
    for node in nodes(schema):
        assert node.get("anyOf") != []
        assert node.get("enum") != []
    assert "0x" not in str(schema)
    assert "0x" not in str(tool.problems)
    return schema


@pytest.mark.promise("parameters.left-out")
@pytest.mark.parametrize("hint", UNSENDABLE, ids=IDS)
def test_a_parameter_that_cannot_be_sent_and_has_a_default_is_left_out(hint):
    def f(x: int, odd: hint = None) -> Any:
        return x, odd

    tool = Tool(f)
    assert checked(tool)["properties"] == {"x": {"type": "integer"}}
    assert len(tool.problems) == 1
    assert tool.problems[0].startswith("leaves `odd` out: ")
    assert tool.call({"x": 1}).value == (1, None)
    with pytest.raises(ArgumentError, match="unknown argument `odd`"):
        tool.bind({"x": 1, "odd": {}})


@pytest.mark.promise("parameters.needed")
@pytest.mark.parametrize("hint", [h for h in UNSENDABLE if h not in (Optional[Engine], type[int])])
def test_a_parameter_that_cannot_be_sent_and_is_needed_is_refused(hint):
    def f(x: int, odd: hint) -> None: ...

    with pytest.raises(SchemaError, match=r"^f\.odd has a type that cannot be sent") as caught:
        Tool(f).compile()
    assert caught.value.parameter == "odd"
    assert "0x" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


@pytest.mark.promise("parameters.left-out-arms")
@pytest.mark.parametrize(
    ("hint", "written"),
    [
        (str | Engine, {"type": "string"}),
        (Engine | str, {"type": "string"}),
        (Engine | None, {"type": "null"}),
        (int | Callable | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (list[str | Engine], {"type": "array", "items": {"type": "string"}}),
        (
            dict[str, int | type],
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        (str | list[Engine], {"type": "string"}),
        (str | Engine | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (str | NoMembers, {"type": "string"}),
    ],
)
def test_an_arm_that_cannot_be_sent_is_dropped(hint, written):
    def f(x: hint) -> None: ...

    tool = Tool(f)
    assert checked(tool)["properties"] == {"x": written}
    [problem] = tool.problems
    assert problem.startswith("`x`: leaves a part of its type out: `")


@pytest.mark.promise("parameters.left-out-fields")
@pytest.mark.parametrize("hint", [Loose, list[Loose], dict[str, Loose], Loose | None])
def test_a_field_that_cannot_be_sent_is_left_out(hint):
    def f(x: hint) -> None: ...

    tool = Tool(f)
    schema = checked(tool)
    found = [node for node in nodes(schema) if "name" in node.get("properties", ())]
    assert [list(node["properties"]) for node in found] == [["name", "label"]]
    assert tool.problems == (
        "`Loose`: leaves `engine` out: `Engine` cannot be sent as JSON",
        "`Loose`: leaves `hooks` out: `Callable` cannot be sent as JSON",
        "`Loose.label`: leaves a part of its type out: `Callable` cannot be sent as JSON",
    )


@pytest.mark.parametrize(
    ("record", "key"), [(Loose, "engine"), (Job, "lock"), (Keys, "done"), (Shell, "stream")]
)
def test_every_kind_of_record_leaves_fields_out(record, key):
    def f(x: record) -> Any:
        return x

    tool = Tool(f)
    assert f"'{key}'" not in str(checked(tool))
    assert tool.problems
    _, given = tool.bind({"x": {"name": "a"}})
    kept = given["x"] if isinstance(given["x"], dict) else vars(given["x"])
    assert kept["name"] == "a"
    with pytest.raises(ArgumentError, match=f"unknown argument `x.{key}`"):
        tool.bind({"x": {"name": "a", key: "b"}})


def test_what_is_recursive_and_cannot_be_sent_takes_along_what_relies_on_it():
    class Left(TypedDict):
        right: "NotRequired[Right]"
        name: str

    class Right(TypedDict):
        left: NotRequired[Left]
        engine: Engine

    Left.__annotations__["right"] = NotRequired[Right]

    def f(first: Left, second: Right | None = None, third: list[Left] = ()) -> None: ...

    tool = Tool(f)
    schema = checked(tool)
    assert list(schema["properties"]) == ["first", "third"]
    assert schema["properties"]["first"]["properties"] == {"name": {"type": "string"}}
    assert "$defs" not in schema


def test_positions_keep_their_places():
    def f(a: Callable[[int], int] = abs, b: int = 1, /, c: Engine | None = None, *rest: Engine):
        return a(b), c, rest

    tool = Tool(f)
    assert list(checked(tool)["properties"]) == ["b"]
    assert tool.call({"b": -3}).value == (3, None, ())


def test_a_factory_still_makes_what_is_left_out():
    def f(x: int, engine: Annotated[Engine, Field(default_factory=Engine)]) -> str:
        return type(engine).__name__

    assert Tool(f).call({"x": 1}).value == "Engine"


def test_keywords_that_cannot_be_sent_are_closed():
    def f(x: int, **more: Engine) -> None: ...

    tool = Tool(f)
    assert checked(tool)["additionalProperties"] is False
    assert tool.problems == ("takes no unknown arguments: `Engine` cannot be sent as JSON",)
    with pytest.raises(ArgumentError, match="unknown argument `y`"):
        tool.bind({"x": 1, "y": 1})


def test_unknown_arguments_do_not_reach_a_parameter_that_is_left_out():
    def f(x: int, engine: Engine | None = None, **more: int) -> None: ...

    with pytest.raises(ArgumentError, match="unknown argument `engine`"):
        Tool(f).bind({"x": 1, "engine": 1})


def test_unpacked_keys_are_left_out():
    def f(**given: Unpack[Keys]) -> Any:
        return given

    tool = Tool(f)
    assert list(checked(tool)["properties"]) == ["name"]
    assert tool.call({"name": "a"}).value == {"name": "a"}


def test_flattened_fields_are_left_out():
    def f(x: Annotated[Loose, Flatten()], n: int = 0) -> str:
        return x.name

    tool = Tool(f)
    assert list(checked(tool)["properties"]) == ["name", "label", "n"]
    assert tool.call({"name": "a"}).value == "a"
    with pytest.raises(ArgumentError, match="unknown argument `engine`"):
        tool.bind({"name": "a", "engine": 1})


def test_markers_and_options_still_hold():
    def f(
        x: int,
        hidden: Annotated[Engine | None, Hidden()] = None,
        fixed: Annotated[Engine | None, Fixed(None)] = None,
        odd: Engine | None = None,
    ) -> None: ...

    assert len(Tool(f).problems) == 1
    assert list(Tool(f, on_unsupported="permissive").input_schema["properties"]) == ["x", "odd"]
    assert list(Tool(f, on_unsupported="skip").input_schema["properties"]) == ["x"]


class Depends:
    def __init__(self, made_by: Any) -> None:
        self.made_by = made_by


def test_a_default_that_is_a_marker_of_another_system_is_not_left_to_the_target():
    def f(x: int, engine: Engine = Depends(Engine)) -> None: ...  # type: ignore[assignment]

    with pytest.raises(SchemaError, match="an instance of `Depends` of .* as its default"):
        Tool(f).compile()


def test_notes_are_no_refusals():
    box = Toolbox("box")

    @box.tool
    def f(x: int, key: Callable[[int], int] = abs) -> int:
        return key(x)

    [note] = box.problems
    assert (note.tool, note.fatal) == ("f", False)
    assert str(note) == "f leaves `key` out: `Callable` cannot be sent as JSON"
    assert [tool["name"] for tool in box.to_mcp()["tools"]] == ["f"]
    assert box.call("f", {"x": -2}).value == 2


def test_one_such_tool_does_not_change_its_neighbours():
    def good(x: Loose) -> None: ...

    def bad(x: list[Engine]) -> None: ...

    def fair(x: Loose, engine: Engine | None = None) -> None: ...

    box = Toolbox("box", [good, bad, fair])
    listed = {tool["name"]: tool["inputSchema"] for tool in box.to_mcp()["tools"]}
    assert listed == {each.__name__: Tool(each).input_schema for each in (good, fair)}


def test_results_leave_nothing_out():
    def f() -> Loose | Literal["none"]: ...

    def g() -> list[Callable | type]: ...

    for target in (f, g):
        schema = Tool(target).output_schema
        assert schema is None or {} not in nodes(schema)
        assert "anyOf" not in (schema or {}) or schema["anyOf"]
    assert Tool(g).output_schema is None


def test_what_a_flattened_model_leaves_out_is_noted_and_not_taken():
    def f(job: Annotated[Loose, Flatten()]) -> str:
        return job.name

    tool = Tool(f)
    assert list(tool.input_schema["properties"]) == ["name", "label"]
    assert any("leaves `engine` out" in problem for problem in tool.problems)
    assert tool.call({"name": "a"}).value == "a"
    assert "unknown argument `engine`" in tool.call({"name": "a", "engine": None}).text


OfProtocol = typing.TypeVar("OfProtocol", bound=Runs)
OneOf = typing.TypeVar("OneOf", Runs, int)


def test_a_type_variable_stands_for_what_can_be_sent_of_its_bound():
    def f(x: Any | OfProtocol, y: OneOf, z: OfProtocol | None = None) -> None: ...
    def g(x: OfProtocol) -> None: ...

    tool = Tool(f)
    assert checked(tool)["properties"]["y"] == {"type": "integer"}
    assert tool.problems == (
        "leaves `z` out: `Runs` cannot be sent as JSON",
        "`x`: leaves a part of its type out: `Runs` cannot be sent as JSON",
        "`y`: leaves a part of its type out: `Runs` cannot be sent as JSON",
    )
    with pytest.raises(SchemaError, match=r"^g\.x has a type that cannot be sent as JSON"):
        Tool(g).compile()
