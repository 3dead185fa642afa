"""FastMCP 4.1.2 and mcp 2.3.0, probes P1-P56 (peers.md, 4.2): documentation and outputs."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Annotated, Any, Optional

from annotated_doc import Doc
from mcp.types import CallToolResult, ImageContent, TextContent
from pydantic import Field

from tests.unit.probes.case import ANY_ITEM, INT, MAP, STR, Case, Like, Text, array, collect, obj

CASES: list[Case] = []
probe = collect(CASES)


# -- documentation of functions

LONG = """Look it up.

It takes a while.

Returns:
    What was found.

Raises:
    KeyError: If there is nothing.

Examples:
    >>> find(1)
    2

Note:
    Mind the gap."""


@probe(
    "P36-google-sections-other-than-args-stay",
    properties={"x": {"type": "integer", "description": "Which one."}},
    required=["x"],
    output=INT,
    description=LONG,
)
def f(x: int) -> int:
    """Look it up.

    It takes a while.

    Args:
        x: Which one.

    Returns:
        What was found.

    Raises:
        KeyError: If there is nothing.

    Examples:
        >>> find(1)
        2

    Note:
        Mind the gap.
    """


@probe(
    "P37-epytext",
    properties={"x": {"type": "integer", "description": "Which one."}},
    required=["x"],
    description="Do it.",
)
def f(x: int):
    """Do it.

    @param x: Which one.
    """


@probe(
    "P37-a-markdown-list-loses-nothing",
    properties={"x": Like({"type": "integer"}), "y": Like({"type": "integer"})},
    required=["x", "y"],
)
def f(x: int, y: int):
    """Do it.

    - x: Which one.
    - `y`: The other one.
    """


@probe(
    "P37-comments-behind-and-above-parameters",
    properties={
        "x": {"type": "integer", "description": "Which one"},
        "y": {"type": "integer", "default": 1, "description": "The other one"},
        "z": {"type": "integer", "default": 2},
    },
    required=["x"],
    output=INT,
    description=Text("Their sum"),
)
def f(
    x: int,  # Which one
    # The other one
    y: int = 1,
    z: int = 2,  # noqa: E501
) -> int:  # Their sum
    """Do it."""


@probe(
    "P38-text-in-annotated-beside-other-metadata",
    properties={
        "x": {"type": "integer", "minimum": 0, "description": "the x"},
        "y": {"type": "integer", "description": "the y"},
        "z": {"type": "integer", "maximum": 3, "description": "the z", "default": 1},
    },
    required=["x", "y"],
)
def f(
    x: Annotated[int, Field(ge=0), "the x"],
    y: Annotated[int, Doc("the y")],
    z: Annotated[int, "the z", Field(le=3)] = 1,
): ...


@probe(
    "P39-text-on-the-return-type",
    properties={},
    output=Like({"type": "integer"}),
    description=Text("the ret"),
)
def f() -> Annotated[int, "the ret"]:
    """Do it."""


# -- outputs


class Plain:
    def __init__(self, a: int, b: str = "x"):
        self.a = a
        self.b = b


@probe(
    "P41-a-plain-class-out-is-written-by-its-attributes",
    properties={},
    output=Like(obj({"a": INT, "b": Like({"type": "string"})}, ["a", "b"])),
)
def f() -> Plain: ...


@probe("P43-generator-with-three-arguments", properties={}, output=array({"anyOf": [STR, INT]}))
def f() -> Generator[str | int, None, None]:
    yield 1


@probe("P44-sync-function-that-returns-a-coroutine", properties={}, output=INT)
def f() -> Coroutine[Any, Any, int]: ...


@probe("P44-sync-function-that-returns-an-awaitable", properties={}, output=array(INT))
def f() -> Awaitable[list[int]]: ...


@probe(
    "P45-integer-keys-are-said-in-words",
    properties={
        "d": {
            "type": "object",
            "additionalProperties": STR,
            "description": Text("keys are integers"),
        }
    },
    required=["d"],
    output={
        "type": "object",
        "additionalProperties": STR,
        "description": Text("keys are integers"),
    },
    bind=[({"d": {"1": "a"}}, {"d": {1: "a"}})],
    rejects=[{"d": {"a": "b"}}],
)
def f(d: dict[int, str]) -> dict[int, str]: ...


@probe("P46-bare-dict-out", properties={}, output=MAP)
def f() -> dict: ...


@probe("P46-bare-list-out", properties={}, output=array(ANY_ITEM))
def f() -> list: ...


@probe("P46-no-annotation-out", properties={}, output=None)
def f(): ...


@probe("P47-object-out-says-nothing", properties={}, output=None)
def f() -> object: ...


@probe("P47+P55-any-out-says-nothing", properties={}, output=None)
def f() -> Any: ...


@probe("P48-content-beside-data-out", properties={}, output=None)
def f() -> tuple[list[TextContent], dict[str, Any]]: ...


@probe("P49-call-result-or-none-out", properties={}, output=None)
def f() -> CallToolResult | None: ...


@probe("P49-content-blocks-out", properties={}, output=None)
def f() -> list[TextContent | ImageContent]: ...


@probe(
    "P51-callable-with-a-default",
    properties={"x": INT},
    required=["x"],
    bind=[({"x": 1}, {"x": 1})],
    rejects=[{"x": 1, "key": "abs"}],
    problems=["leaves `key` out: `Callable` cannot be sent as JSON"],
)
def f(x: int, key: Callable[[int], int] = abs): ...


@probe(
    "P51-callable-or-none-with-default-none",
    properties={"x": INT},
    required=["x"],
    bind=[({"x": 1}, {"x": 1})],
    rejects=[{"x": 1, "key": None}],
    problems=["leaves `key` out: `Callable` cannot be sent as JSON"],
)
def f(x: int, key: Optional[Callable[[int], int]] = None): ...


@probe(
    "P51-an-arm-that-cannot-be-sent-is-left-out-and-said",
    properties={"x": STR},
    required=["x"],
    bind=[({"x": "a"}, {"x": "a"})],
    rejects=[{"x": 1}],
    problems=["`x`: leaves a part of its type out: `Callable` cannot be sent as JSON"],
)
def f(x: str | Callable[[], str]): ...


@probe(
    "P54-a-map-of-any-value",
    properties={},
    output=Like({"type": "object"}),
)
def f() -> dict[str, Any]: ...
