"""Tool definitions become callables: signatures, arguments, values."""

import asyncio
import dataclasses
import inspect
import typing
from types import SimpleNamespace

import pytest
import typing_extensions

from toolwright import ArgumentError, DefinitionError, ResultError
from toolwright.client import UNSET, make_param, schema_to_signature
from toolwright.client.callables.remote_callable import remote_callable


def definition(properties=None, required=(), name="tool", **more):
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return {"name": name, "inputSchema": {**schema, **more.pop("root", {})}, **more}


def hint_of(schema, **options):
    return make_param("x", schema, **options).annotation


def echo(name, arguments):
    return arguments


def taking(schema, **options):
    """A callable with one required parameter."""
    return remote_callable(definition({"x": schema}, ["x"]), echo, **options)


def giving(schema, value, **options):
    tool = definition(outputSchema=schema)
    return remote_callable(tool, lambda name, arguments: value, **options)


# -- hints


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"type": "string"}, "str"),
        ({"type": "integer"}, "int"),
        ({"type": "number"}, "float"),
        ({"type": "boolean"}, "bool"),
        ({"type": "null"}, "None"),
        ({}, "typing.Any"),
        (True, "typing.Any"),
        ({"type": ["string", "null"]}, "str | None"),
        ({"type": ["null", "integer", "string"]}, "int | str | None"),
        ({"type": "string", "nullable": True}, "str"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "int | str"),
        ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, "int | None"),
        ({"allOf": [{"type": "integer"}]}, "int"),
        ({"allOf": [{"minimum": 3}, {"type": "integer"}]}, "int"),
        ({"enum": ["a", "b"]}, "typing.Literal['a', 'b']"),
        ({"enum": [1, True, None]}, "Optional[Literal[1, True]]"),
        ({"enum": [1.5, 2.5]}, "float"),
        ({"const": "a"}, "typing.Literal['a']"),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, "typing.Literal['a', 'b']"),
        ({"type": "string", "enum": ["a", 1]}, "typing.Literal['a']"),
        ({"type": "array"}, "list[typing.Any]"),
        ({"type": "array", "items": {"type": "string"}}, "list[str]"),
        ({"items": {"type": "string"}}, "typing.Any"),
        ({"allOf": [{"type": "number"}, {"type": "integer"}]}, "int"),
        ({"not": {"type": ["object", "array"]}}, "str | float | bool | None"),
        (
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
            "list[typing.Any]",
        ),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
            "tuple[int, str]",
        ),
        (
            {"type": "array", "items": [{"type": "integer"}], "additionalItems": False}
            | {"minItems": 1},
            "tuple[int]",
        ),
        ({"type": "object"}, "dict[str, typing.Any]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": "object", "patternProperties": {"^a": {"type": "integer"}}}, "dict[str, int]"),
        ({"type": "string", "format": "date-time"}, "str"),
        ({"$ref": "https://example.com/schema.json"}, "typing.Any"),
        ({"$ref": "#/nowhere"}, "typing.Any"),
        ({"type": "nonsense"}, "typing.Any"),
    ],
)
def test_a_schema_becomes_a_hint(schema, shown):
    assert str(inspect.formatannotation(hint_of(schema))) == shown.replace("typing.", "") or (
        inspect.formatannotation(hint_of(schema)) == shown
    )


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("date-time", "datetime.datetime"),
        ("date", "datetime.date"),
        ("time", "datetime.time"),
        ("duration", "datetime.timedelta"),
        ("uuid", "uuid.UUID"),
        ("path", "pathlib.Path"),
        ("email", "str"),
    ],
)
def test_formats_become_types_where_asked(form, shown):
    hint = hint_of({"type": "string", "format": form}, formats=True)
    assert inspect.formatannotation(hint).removeprefix("pathlib._local.") in (
        shown,
        shown.replace("pathlib.", ""),
    )


def test_an_object_is_a_typed_dict_with_any_keys():
    hint = hint_of(
        {
            "type": "object",
            "title": "Order line",
            "properties": {"sku": {"type": "string"}, "unit-price": {"type": "number"}},
            "required": ["sku"],
        }
    )
    assert typing_extensions.is_typeddict(hint)
    assert hint.__name__ == "OrderLine"
    assert hint.__required_keys__ == {"sku"}
    assert typing.get_type_hints(hint) == {"sku": str, "unit-price": float}


DRAFTS = [
    ("http://json-schema.org/draft-07/schema#", "definitions"),
    ("https://json-schema.org/draft/2020-12/schema", "$defs"),
]


@pytest.mark.parametrize(("draft", "word"), DRAFTS)
def test_references_are_followed_in_either_draft(draft, word):
    node = {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": f"#/{word}/Node"}}},
    }
    tool = definition(
        {"tree": {"$ref": f"#/{word}/Node"}},
        ["tree"],
        root={"$schema": draft, word: {"Node": node}},
    )
    call = remote_callable(tool, echo)
    hint = call.__annotations__["tree"]
    assert hint.__name__ == "Node"
    assert typing.get_type_hints(hint) == {"kids": list[hint]}
    assert call({"kids": [{"kids": []}]}) == {"tree": {"kids": [{"kids": []}]}}
    with pytest.raises(ArgumentError, match=r"`tree.kids\[0\].kids`"):
        call({"kids": [{"kids": 3}]})


def test_combinators_of_objects_are_one_object():
    hint = hint_of(
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"type": "object", "properties": {"b": {"type": "string"}}},
            ]
        }
    )
    assert typing.get_type_hints(hint) == {"a": int, "b": str}
    assert hint.__required_keys__ == {"a"}


def test_parameters_may_stand_in_alternatives():
    root = {
        "anyOf": [
            {"properties": {"id": {"type": "integer"}, "x": {"type": "string"}}, "required": ["x"]},
            {
                "properties": {"name": {"type": "string"}, "x": {"type": "string"}},
                "required": ["x"],
            },
        ]
    }
    tool = {"name": "find", "inputSchema": {"type": "object", **root}}
    assert str(schema_to_signature(tool)) == "(x: str, *, id: int = None, name: str = None)"


# -- the callable


SEARCH = definition(
    {
        "limit": {"type": "integer", "default": 10, "minimum": 1, "description": "Most hits."},
        "query": {"type": "string", "description": "Free text."},
        "since": {"type": ["string", "null"]},
        "class": {"type": "string"},
    },
    ["query"],
    name="search-shop",
    description="Search the catalogue.",
)


@pytest.mark.promise("callables.signature")
def test_a_callable_has_a_signature_annotations_and_a_docstring():
    search = remote_callable(SEARCH, echo)
    shown = "(query: str, *, limit: int = 10, since: str | None = None, class_: str = None)"
    assert str(inspect.signature(search)) == shown
    assert search.__name__ == "search_shop"
    assert search.__annotations__ == {
        "query": str,
        "limit": int,
        "since": str | None,
        "class_": str,
    }
    assert search.__doc__ == (
        "Search the catalogue.\n\nArgs:\n    query: Free text.\n    limit: Most hits."
    )
    assert inspect.getdoc(search) == search.__doc__
    assert repr(search) == f"<remote tool search_shop{shown}>"
    assert callable(search)
    inspect.signature(type(search))  # the class has one of its own


def test_a_tool_of_a_connected_server_has_annotations_of_its_own():
    from toolwright import Toolbox
    from toolwright.client import connect

    def search(query: str, limit: int = 10) -> list[int]: ...

    with connect(Toolbox("shop", [search])) as shop:
        assert typing.get_type_hints(shop.search) == {
            "query": str,
            "limit": int,
            "return": list[int],
        }


@pytest.mark.promise("callables.only-given")
def test_only_what_was_given_is_sent():
    search = remote_callable(SEARCH, echo)
    assert search("bike") == {"query": "bike"}
    assert search("bike", limit=10) == {"query": "bike", "limit": 10}
    assert search("bike", class_="x") == {"query": "bike", "class": "x"}
    assert search("bike", **{"class": "x"}) == {"query": "bike", "class": "x"}
    assert search("bike", limit=UNSET) == {"query": "bike"}
    # None is sent where the schema takes it; elsewhere it means that nothing was given.
    assert search("bike", since=None) == {"query": "bike", "since": None}
    assert search("bike", limit=None) == {"query": "bike"}


@pytest.mark.promise("callables.checked")
@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((), {}, "missing argument `query`"),
        ((3,), {}, "`query` must be a string; got 3"),
        (("a", 3), {}, "takes 1 argument by position; 2 were given: give the others by name"),
        (("a",), {"query": "b"}, "`query` is given twice"),
        (("a",), {"limt": 3}, "unknown argument `limt`; did you mean `limit`?"),
        (("a",), {"limit": 0}, "`limit` must be at least 1; got 0"),
        (("a",), {"limit": float("nan")}, "`limit` must be a finite number"),
        (("a",), {"limit": object()}, "`limit` cannot be sent as JSON (object)"),
        (("a",), {"limit": True}, "`limit` must be an integer; got true"),
    ],
)
def test_arguments_are_checked_before_they_are_sent(args, kwargs, said):
    sent = []
    search = remote_callable(SEARCH, lambda *given: sent.append(given))
    with pytest.raises(ArgumentError) as caught:
        search(*args, **kwargs)
    assert str(caught.value) == f"search-shop: {said}"
    with pytest.raises(ArgumentError):
        asyncio.run(search.call_async(*args, **kwargs))
    assert sent == []


def test_more_arguments_are_taken_where_they_are_invited():
    tool = definition({"a": {}}, root={"additionalProperties": {"type": "integer"}})
    call = remote_callable(tool, echo)
    assert str(inspect.signature(call)) == "(*, a: Any = None, **more: Any)"
    assert call(b=3) == {"b": 3}
    with pytest.raises(ArgumentError, match='`b` must be an integer; got "x"'):
        call(b="x")


@pytest.mark.promise("callables.collisions")
def test_names_that_are_one_in_python_are_refused():
    tool = definition({"approval-policy": {}, "approval_policy": {}}, name="run")
    with pytest.raises(DefinitionError, match="collision") as caught:
        remote_callable(tool, echo)
    assert "`approval-policy` and `approval_policy`" in str(caught.value)


def test_a_definition_comes_in_many_forms():
    from mcp_types import Tool as SdkTool

    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    forms = [
        {"name": "f", "inputSchema": schema},
        {"name": "f", "input_schema": schema},
        {"type": "function", "name": "f", "parameters": schema},
        {"type": "function", "function": {"name": "f", "parameters": schema}},
        SimpleNamespace(name="f", description=None, inputSchema=schema),
        SdkTool(name="f", input_schema=schema),
    ]
    for form in forms:
        assert remote_callable(form, echo)(3) == {"a": 3}
    assert remote_callable({"name": "f"}, echo)() == {}
    for wrong in ({}, {"name": ""}, {"name": 3}, None, {"name": "f", "inputSchema": []}):
        with pytest.raises(DefinitionError):
            remote_callable(wrong, echo)


# -- values that are sent


@dataclasses.dataclass
class Line:
    sku: str
    note: str | None = None


def test_python_values_are_sent_as_json():
    import datetime
    import enum
    import pathlib
    import uuid

    class Colour(enum.StrEnum):
        RED = "red"

    call = taking({})
    when = datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC)
    key = uuid.UUID(int=7)
    given = {"at": when, "id": key, "in": pathlib.Path("/a"), "of": (1, {2}), "is": Colour.RED}
    assert call(given) == {
        "x": {
            "at": "2026-01-02T03:04:00Z",
            "id": str(key),
            "in": "/a",
            "of": [1, [2]],
            "is": "red",
        }
    }
    assert call(Line("a")) == {"x": {"sku": "a"}}
    assert type(call(Colour.RED)["x"]) is str


# -- values that come back


PRODUCT = {
    "type": "object",
    "title": "Product",
    "properties": {
        "name": {"type": "string"},
        "unit-price": {"type": "number"},
        "parts": {"type": "array", "items": {"$ref": "#"}},
    },
    "required": ["name"],
}
PRODUCT_OF_PARTS = {
    **PRODUCT,
    "properties": {
        **PRODUCT["properties"],
        "parts": {"type": "array", "items": {"$ref": "#/$defs/P"}},
    },
}


@pytest.mark.promise("callables.typed")
def test_a_result_comes_back_as_typed_values():
    call = giving(PRODUCT, {"name": "bike", "unit-price": 3, "parts": [{"name": "bell"}]})
    bike = call()
    assert dataclasses.is_dataclass(bike)
    assert (type(bike).__name__, bike.name, bike.unit_price) == ("Product", "bike", 3.0)
    assert bike.parts[0].name == "bell"
    assert bike.parts[0].unit_price is None
    assert call.__annotations__["return"] is type(bike)


def test_a_result_can_be_sent_back():
    bike = giving(PRODUCT, {"name": "bike", "unit-price": 3, "parts": [{"name": "bell"}]})()
    order = definition({"x": {"$ref": "#/$defs/P"}}, root={"$defs": {"P": PRODUCT_OF_PARTS}})
    again = remote_callable(order, echo)(x=bike)
    assert again == {"x": {"name": "bike", "unit-price": 3.0, "parts": [{"name": "bell"}]}}


BOXES = [{"x-toolwright-box": {"field": "result"}}, {"x-fastmcp-wrap-result": True}]


@pytest.mark.parametrize("mark", [*BOXES, {"title": "toolOutput"}])
def test_a_value_comes_out_of_its_box(mark):
    schema = {"properties": {"result": {"type": "array", "items": {"type": "integer"}}}, **mark}
    call = giving({"type": "object", "required": ["result"], **schema}, {"result": [1, 2]})
    assert call() == [1, 2]
    assert call.__annotations__["return"] == list[int]
    assert call.typed([3]) == [3]  # a dispatcher may have opened it


def test_an_object_that_is_no_box_stays_one():
    schema = {
        "type": "object",
        "properties": {"result": {"type": "integer"}},
        "required": ["result"],
    }
    assert giving(schema, {"result": 3})().result == 3


@pytest.mark.promise("callables.lies")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, "3"),
        ({"type": "array", "items": {"type": "integer"}}, [1, "2"]),
        (PRODUCT, {"unit-price": 3}),
        (PRODUCT, None),
        (PRODUCT, [1]),
        ({"type": "integer", "maximum": 3}, 4),
        (False, 4),
    ],
)
def test_a_result_that_breaks_its_schema_is_an_error(schema, value):
    with pytest.raises(ResultError, match="^tool: the server's result is not what its output"):
        giving(schema, value)()


def test_without_an_output_schema_values_are_as_they_are():
    held = object()
    assert remote_callable(definition(), lambda *_: held)() is held


def test_formats_are_types_in_results_too():
    import datetime

    schema = {"type": "string", "format": "date"}
    assert giving(schema, "2026-01-02", formats=True)() == datetime.date(2026, 1, 2)
    with pytest.raises(ResultError):
        giving(schema, "yesterday", formats=True)()


# -- sync and async


def test_dispatchers_may_be_sync_or_async_and_so_may_callers():
    async def later(name, arguments):
        await asyncio.sleep(0)
        return arguments

    for dispatch in (echo, later, lambda *given: later(*given)):
        call = remote_callable(SEARCH, dispatch)
        assert call("bike") == {"query": "bike"}
        assert asyncio.run(call.call_async("bike")) == {"query": "bike"}

    async def inside():
        return remote_callable(SEARCH, later)("bike")

    assert asyncio.run(inside()) == {"query": "bike"}


def test_a_blocking_dispatcher_does_not_block_the_loop():
    import threading

    free = threading.Event()

    def blocking(name, arguments):
        assert free.wait(30)
        return 1

    async def both():
        running = asyncio.ensure_future(remote_callable(SEARCH, blocking).call_async("x"))
        await asyncio.sleep(0)
        free.set()
        return await running

    assert asyncio.run(both()) == 1
