"""What a type checker must see of the public API; checked by pyright and mypy, never run."""

from typing import Any, assert_type

from toolwright import Tool, Toolbox, tool

box = Toolbox("box")


@tool
def bare(a: int, *, b: str = "") -> list[str]:
    return [b] * a


@tool("other", read_only=True)
def named(a: int) -> str:
    return str(a)


@box.tool
def boxed(a: int) -> str:
    return str(a)


@box.tool(read_only=True, tags=["x"])
async def waited(a: int) -> str:
    return str(a)


assert_type(bare(1, b="x"), list[str])
assert_type(named(1), str)
assert_type(boxed(1), str)
assert_type(box["boxed"], Tool)
assert_type(Tool(bare, title="Bare").input_schema, dict[str, Any])
bare("1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
box.tool(read_onyl=True)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
