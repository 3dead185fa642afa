"""What other frameworks fill in never becomes an argument that a model can set."""

import importlib
import re
import sys
import types
from typing import Annotated, Any

import pytest

from toolwright import ArgumentError, Fixed, Inject, SchemaError, Tool, Toolbox

fastapi = importlib.import_module("fastapi")
dependencies = importlib.import_module("fastmcp.dependencies")
fastmcp = importlib.import_module("fastmcp")
typer = importlib.import_module("typer")
sdk = importlib.import_module("mcp.server.mcpserver")


def get_user() -> str:
    return "ada"


CALL = "`call: Call`"
INJECT = r"write `Annotated\[T, Inject\(get_user\)\]`"
MARKERS = [
    (fastapi.Depends(get_user), r"FastAPI's `Depends`.*", INJECT),
    (fastapi.Security(get_user), r"FastAPI's `Security`.*", INJECT),
    (fastapi.Query(), r"FastAPI's `Query`.*", r"pydantic's `Field\(...\)`"),
    (fastapi.Body(), r"FastAPI's `Body`.*", r"pydantic's `Field\(...\)`"),
    (fastapi.Header(), r"FastAPI's `Header`.*", CALL),
    (dependencies.Depends(get_user), r"FastMCP's `Depends`.*", INJECT),
    (dependencies.CurrentContext(), r"FastMCP's `CurrentContext`.*", CALL),
    (dependencies.CurrentRequest(), r"FastMCP's `CurrentRequest`.*", CALL),
    (sdk.Resolve(get_user), r"the MCP SDK's `Resolve`.*", INJECT),
]


def refusal(target, **options):
    with pytest.raises(SchemaError) as caught:
        Tool(target, **options).compile()
    assert caught.value.parameter == "who"
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.promise("parameters.foreign-markers")
@pytest.mark.parametrize(("marker", "said", "hint"), MARKERS)
def test_a_marker_is_refused_by_name(marker, said, hint):
    def noted(who: Annotated[str, marker]) -> None: ...
    def optional(who: Annotated[str | None, marker] = None) -> None: ...
    def inner(who: Annotated[str, marker] | None = None) -> None: ...
    def default(who: str = marker) -> None: ...
    def anything(who: Any = marker) -> None: ...
    def untyped(who=marker) -> None: ...
    async def later(x: int, *, who: str = marker) -> None: ...

    for target in (noted, optional, inner, default, anything, untyped, later):
        with pytest.raises(SchemaError, match=rf"who has {said}{hint}"):
            Tool(target).compile()
        with pytest.raises(SchemaError, match=rf"who has {said}{hint}"):
            Toolbox("box").add(target)


@pytest.mark.promise("parameters.foreign-permissive")
@pytest.mark.parametrize(("marker", "said", "hint"), MARKERS)
def test_a_permissive_tool_keeps_a_marker_from_callers(marker, said, hint):
    def noted(who: Annotated[str, marker]) -> None: ...
    def optional(who: Annotated[str | None, marker] = None) -> object:
        return who

    def default(who: str = marker) -> object:
        return who

    def untyped(who=marker) -> object:
        return who

    with pytest.raises(SchemaError, match=rf"who has {said}{hint}"):
        Tool(noted, on_unsupported="permissive").compile()
    for target in (optional, default, untyped):
        tool = Tool(target, on_unsupported="permissive")
        assert tool.input_schema["properties"] == {}
        assert any(re.match(rf"leaves `who` out: it has {said}", text) for text in tool.problems)
        with pytest.raises(ArgumentError, match="unknown argument `who`"):
            tool.bind({"who": "eve"})
        assert tool.bind({}) == ([], {})


def shop(name: str = typer.Option("x"), size: int = typer.Argument(1)) -> None: ...


def checked(name: Annotated[str, typer.Option(callback=get_user)] = "x") -> None: ...


def plain(name: Annotated[str, typer.Option(help="Whose.")] = "x") -> str:
    return name


def test_a_command_of_typer_is_a_tool_of_its_app_or_has_plain_defaults():
    for target in (shop, checked):
        with pytest.raises(SchemaError, match=r"\.name has .*Typer.* `box.include\(app\)` makes"):
            Tool(target).compile()
    assert Tool(plain).call({}).value == "x"


@pytest.mark.promise("parameters.foreign-markers")
@pytest.mark.parametrize("context", [sdk.Context, sdk.Context[Any, Any], fastmcp.Context])
def test_a_context_is_refused_with_call(context):
    def plain(who: context) -> None: ...
    def optional(who: context | None = None) -> None: ...
    def quoted(who: "context", x: int = 1) -> None: ...

    for target in (plain, optional, quoted):
        text = refusal(target)
        assert "is a `Context` of " in text
        assert CALL in text


def test_a_context_of_a_package_that_is_not_installed():
    module = types.ModuleType("pydantic_ai.tools")
    made = type("RunContext", (), {"__module__": module.__name__})

    def ask(who: made) -> None: ...

    assert "is a `RunContext` of Pydantic AI" in refusal(ask)
    assert "pydantic_ai" not in sys.modules


def test_what_the_author_fills_in_here_is_fine():
    box = Toolbox("box")
    context = fastmcp.Context
    box.provide(context, lambda: "mine")

    def injected(who: Annotated[sdk.Context, Inject(get_user)]) -> str:
        return str(who)

    def fixed(who: Annotated[str, fastapi.Depends(get_user), Fixed("eve")]) -> str:
        return who

    def provided(who: context) -> str:
        return str(who)

    for target in (injected, fixed, provided):
        box.add(target)
    assert [box.call(name, {}).value for name in box] == ["ada", "eve", "mine"]


def test_a_provider_with_a_marker_is_refused_too():
    def get_db(user: str = dependencies.Depends(get_user)) -> str:
        return user

    def query(who: Annotated[str, Inject(get_db)]) -> None: ...

    text = refusal(query)
    assert "is provided by get_db, whose `user` has FastMCP's `Depends`" in text


@pytest.mark.parametrize("name", ["Context", "Resolve", "Query"])
def test_classes_of_the_same_name_elsewhere_mean_nothing(name):
    made = type(name, (), {"__module__": "my.own"})

    def go(who: Annotated[int, made()]) -> None: ...

    assert Tool(go).input_schema["properties"] == {"who": {"type": "integer"}}
