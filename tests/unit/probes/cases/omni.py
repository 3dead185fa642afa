"""omni-devenv-fusion, its schema inference (seeds-platools-omni.md, 2.3), numbered in its order."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from tests.unit.probes.case import BOOL, INT, NULL, STR, Case, Like, Text, array, collect, enum

CASES: list[Case] = []
probe = collect(CASES)


@probe(
    "omni-01-typed-args-and-kwargs-are-not-dropped",
    properties={"x": INT, "rest": array(INT)},
    required=["x"],
    extra=STR,
    bind=[
        ({"x": 1}, ([1], {})),
        ({"x": 1, "rest": [2, 3], "a": "b"}, ([1, 2, 3], {"a": "b"})),
    ],
    rejects=[{"x": 1, "a": 2}, {"x": 1, "rest": ["2"]}],
)
def f(x: int, *rest: int, **more: str): ...


@probe("omni-02-untyped-is-not-any", refused="f.y has no type hint")
def f(x: int, y="a"): ...


@probe(
    "omni-03-required-means-what-the-validator-requires",
    properties={
        "a": INT,
        "b": {"type": "integer", "default": 1},
        "c": {"type": "integer", "default": 2},
        "d": INT,
    },
    required=["a"],
    bind=[({"a": 1}, {"a": 1, "b": 1, "c": 2, "d": None})],
    rejects=[{}],
)
def f(a: int, b: Annotated[int, Field(default=1)], c: int = Field(2), d: Optional[int] = None): ...


@probe(
    "omni-04-parameter-called-model-config",
    properties={"model_config": {"type": "object", "additionalProperties": INT}},
    required=["model_config"],
    bind=[({"model_config": {"a": 1}}, {"model_config": {"a": 1}})],
)
def f(model_config: dict[str, int]): ...


@probe(
    "omni-05-literals-keep-their-values-and-types",
    properties={
        "word": enum("a", "b"),
        "number": enum(1, 2),
        "maybe": enum("a", "b"),
        "nullable": Like({"default": "a"}),
        "one": enum("only"),
    },
    required=["word", "number", "one"],
    bind=[
        (
            {"word": "a", "number": 2, "one": "only", "nullable": None},
            {"word": "a", "number": 2, "maybe": None, "nullable": None, "one": "only"},
        ),
    ],
    rejects=[
        {"word": "c", "number": 1, "one": "only"},
        {"word": "a", "number": "1", "one": "only"},
        {"word": "a", "number": 1, "one": "other"},
    ],
)
def f(
    word: Literal["a", "b"],
    number: Literal[1, 2],
    one: Literal["only"],
    maybe: Optional[Literal["a", "b"]] = None,
    nullable: Optional[Literal["a", "b"]] = "a",
): ...


@probe(
    "omni-06-optional-list-is-a-plain-array",
    properties={"tags": array(STR), "deep": {"type": "boolean", "default": False}},
    bind=[({}, {"tags": None, "deep": False}), ({"tags": ["a"]}, {"tags": ["a"], "deep": False})],
    unsaid=[({"tags": None}, {"tags": None, "deep": False})],
)
def f(tags: Optional[list[str]] = None, deep: bool = False): ...


@probe(
    "omni-07-annotated-field-and-default",
    properties={
        "n": {"type": "integer", "minimum": 1, "default": 5, "description": "How many."},
    },
    bind=[({}, {"n": 5})],
)
def f(n: Annotated[int, Field(ge=1, description="How many.")] = 5): ...


@probe(
    "omni-08-dash-list-under-args-loses-nothing",
    properties={"query": Like({"type": "string"}), "limit": Like({"default": 5})},
    required=["query"],
)
def f(query: str, limit: int = 5):
    """Search.

    Args:
        - query: str - What to look for - exactly
        - limit: int - Most hits
    """


@probe(
    "omni-09-name-type-text",
    properties={
        "query": {"type": "string", "description": "What to look for - exactly"},
        "limit": {"type": "integer", "default": 5, "description": "Most hits"},
    },
    required=["query"],
    description="Search.",
)
def f(query: str, limit: int = 5):
    """Search.

    Args:
        query (str): What to look for - exactly
        limit (int, optional): Most hits
    """


@probe(
    "omni-10-the-last-param-field-does-not-swallow-the-returns",
    properties={"query": {"type": "string", "description": "What to look for."}},
    required=["query"],
    output=array(STR),
    description=Text("The hits."),
)
def f(query: str) -> list[str]:
    """Search.

    :param query: What to look for.
    :returns: The hits.
    """


@probe(
    "omni-11-plain-google-entry",
    properties={"query": {"type": "string", "description": "What to look for."}},
    required=["query"],
    description="Search.",
)
def f(query: str):
    """Search.

    Args:
        query: What to look for.
    """


@probe(
    "omni-12-numpy",
    properties={"query": {"type": "string", "description": "What to look for."}},
    required=["query"],
    description="Search.",
)
def f(query: str):
    """Search.

    Parameters
    ----------
    query
        What to look for.
    """


class Settings:
    """A class nobody can make from JSON."""


@probe("omni-13-one-bad-parameter-is-named-callable", refused="f.hook has a type that cannot")
def f(x: int, hook: Callable[[], None]): ...


@probe("omni-13-one-bad-parameter-is-named-class", refused="f.settings has a type that cannot")
def f(x: int, settings: Settings): ...


@probe(
    "omni-13-an-underscore-name-is-an-ordinary-name",
    properties={"x": INT, "_verbose": {"type": "boolean", "default": False}},
    required=["x"],
    bind=[({"x": 1, "_verbose": True}, {"x": 1, "_verbose": True})],
)
def f(x: int, _verbose: bool = False): ...


@probe("omni-14-unresolved-forward-reference-is-a-schema-error", refused="`Missing`")
def f(x: "Missing"): ...  # noqa: F821


class Shelf:
    def find(self, name: str) -> int:
        """Find."""


probe(
    "omni-15-self-is-not-a-property",
    properties={"name": STR},
    required=["name"],
    output=INT,
    bind=[({"name": "a"}, {"name": "a"})],
)(Shelf().find)


@probe(
    "omni-16-types-are-json-schema-types",
    properties={
        "a": array(STR),
        "b": {"type": "object", "additionalProperties": INT},
        "c": INT,
        "d": {"anyOf": [INT, NULL]},
    },
    required=["a", "b", "d"],
    bind=[
        (
            {"a": ["x"], "b": {"y": 1}, "d": None},
            {"a": ["x"], "b": {"y": 1}, "c": None, "d": None},
        )
    ],
)
def f(a: list[str], b: dict[str, int], d: int | None, c: int | None = None): ...


WORDS = ("title", "description", "default", "examples", "example", "required", "type", "properties")


@probe(
    "omni-17+D11-parameters-named-like-schema-keywords",
    properties={
        "title": STR,
        "description": {"type": "string", "description": "What it says."},
        "default": {"type": "integer", "default": 1},
        "examples": array(STR, default=[]),
        "type": {"type": "string", "default": "x"},
        "properties": {"type": "boolean", "default": True},
        "required": {"type": "boolean", "default": False},
        "enum": STR,
        "items": array(INT, default=[1]),
    },
    required=["title", "description"],
    bind=[
        (
            {"title": "a", "description": "b", "enum": "c"},
            {
                "title": "a",
                "description": "b",
                "default": 1,
                "examples": [],
                "type": "x",
                "properties": True,
                "required": False,
                "enum": "c",
                "items": [1],
            },
        )
    ],
)
def f(
    title: str,
    description: str,
    default: int = 1,
    examples: list[str] = [],
    type: str = "x",
    properties: bool = True,
    required: bool = False,
    enum: str | None = None,
    items: list[int] = [1],
):
    """Take everything.

    Args:
        description: What it says.
    """
