"""Generated modules: what is written, what checkers say of it, and that it runs."""

import asyncio
import dataclasses
import datetime
import inspect
import typing

import pytest
from generated_modules import loaded, mypy, ruff, source_of, using

from toolwright import ArgumentError, ResultError
from toolwright.client.generate.changes import changes

PRODUCT = {
    "type": "object",
    "title": "Product",
    "description": "A thing to buy.",
    "properties": {
        "name": {"type": "string", "description": "What it is called."},
        "unit-price": {"type": "number"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Product"}},
    },
    "required": ["name"],
}
SEARCH = {
    "name": "search-shop",
    "description": "Search the catalogue.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Free text."},
            "limit": {"type": "integer", "default": 10, "description": "Most hits."},
            "sort-by": {"enum": ["price", "name"]},
            "since": {"type": ["string", "null"], "format": "date"},
            "near": {
                "type": "object",
                "title": "Place",
                "properties": {"town": {"type": "string"}, "km": {"type": "number"}},
                "required": ["town"],
            },
        },
        "required": ["query"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/Product"}}},
        "required": ["result"],
        "$defs": {"Product": PRODUCT},
        "x-toolwright-box": {"field": "result"},
    },
}
GET = {
    "name": "get",
    "inputSchema": {
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
    },
    "outputSchema": {"$ref": "#/$defs/Product", "$defs": {"Product": PRODUCT}},
}
PING = {"name": "ping", "inputSchema": {"type": "object"}}

WRITTEN = '''\
"""Tools of shop, as functions.

Written by this command; with `--check`, it says whether this is still true:

    toolwright generate
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pydantic import Field
from toolwright.client import UNSET, RemoteServer, Unset

server = RemoteServer("https://shop.example/mcp")


@dataclass(kw_only=True)
class Product:
    """A thing to buy.

    Attributes:
        name: What it is called.
    """

    name: str
    unit_price: Annotated[
        float | None,
        Field(alias="unit-price"),
    ] = None
    parts: list[Product] | None = None


class Place(TypedDict):
    town: str
    km: NotRequired[float]


def search_shop(
    query: str,
    *,
    limit: int = 10,
    sort_by: Literal["price", "name"] | None = None,
    since: str | None | Unset = UNSET,
    near: Place | None = None,
) -> list[Product]:
    """Search the catalogue.

    Args:
        query: Free text.
        limit: Most hits.
    """
    return server.call(
        "search-shop",
        {
            "query": query,
            "limit": limit,
            "sort-by": sort_by,
            "since": since,
            "near": near,
        },
        search_shop,
    )


def get(
    id: int,
) -> Product:
    """Call `get`."""
    return server.call(
        "get",
        {
            "id": id,
        },
        get,
    )


def ping() -> Any:
    """Call `ping`."""
    return server.call(
        "ping",
        {},
        ping,
    )
'''


@pytest.mark.promise("generate.same")
def test_a_module_is_readable_and_always_the_same():
    assert source_of(SEARCH, GET, PING) == WRITTEN
    assert source_of(SEARCH, GET, PING) == WRITTEN


@pytest.mark.soak
@pytest.mark.promise("generate.checked")
def test_ruff_has_nothing_to_say():
    assert ruff(WRITTEN) == ""
    assert ruff(source_of(SEARCH, GET, PING, program=True, formats=True)) == ""
    assert ruff(source_of(SEARCH, GET, PING, asynchronous=True)) == ""
    assert ruff(source_of()) == ""
    long = {"type": "object", "properties": {f"{'a ' * 40}": {"type": "string"}}}
    assert ruff(source_of({"name": "run", "outputSchema": long})) == ""
    collision = {"name": "run", "inputSchema": {"properties": {"a-b": {}, "a_b": {}}}}
    assert ruff(source_of(collision, program=True)) == ""


@pytest.mark.soak
@pytest.mark.promise("generate.checked")
def test_mypy_has_nothing_to_say_and_knows_the_types(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(
        "from shop_module import get, search_shop\n"
        "names: list[str] = [each.name for each in search_shop('bike', near={'town': 'x'})]\n"
        "price: float | None = get(3).unit_price\n"
    )
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from shop_module import get, search_shop\n"
        "search_shop(3)\n"
        "search_shop('x', sort_by='size')\n"
        "search_shop('x', near={'km': 3})\n"
        "get(3).price\n"
    )
    for options in ({}, {"program": True, "formats": True}):
        said = mypy(tmp_path, source_of(SEARCH, GET, PING, **options), str(user))
        assert "Success" in said, said
    said = mypy(tmp_path, WRITTEN, str(wrong))
    assert said.count("error:") == 4, said
    said = mypy(tmp_path, source_of(SEARCH, GET, PING, asynchronous=True, program=True))
    assert "Success" in said, said


# -- calls


def test_a_function_sends_what_was_given_and_gives_typed_values():
    shop = loaded(WRITTEN)
    found = {"result": [{"name": "bike", "unit-price": 3, "parts": [{"name": "bell"}]}]}
    sent = using(shop, SEARCH, GET, answer=lambda name, _: found)
    (bike,) = shop.search_shop("bike", sort_by="price")
    assert sent == [("search-shop", {"query": "bike", "sort-by": "price"})]
    assert bike == shop.Product(name="bike", unit_price=3.0, parts=[shop.Product(name="bell")])
    shop.search_shop("bike", limit=10, since=None, near={"town": "x"})
    assert sent[-1][1] == {"query": "bike", "since": None, "near": {"town": "x"}}
    shop.search_shop("bike", limit=3)
    assert sent[-1][1] == {"query": "bike", "limit": 3}


def test_a_function_checks_before_it_sends_and_after():
    shop = loaded(WRITTEN)
    sent = using(shop, SEARCH, GET, answer={"nam": "x"})
    with pytest.raises(ArgumentError, match="`query` must be a string; got 3"):
        shop.search_shop(3)
    assert sent == []
    with pytest.raises(ResultError, match="missing `name`"):
        shop.get(3)


def test_a_value_of_one_function_is_given_to_another():
    buy = {
        "name": "buy",
        "inputSchema": {"properties": {"it": PRODUCT}, "$defs": {"Product": PRODUCT}},
    }
    shop = loaded(source_of(GET, buy))
    sent = using(shop, GET, buy, answer={"name": "bike", "unit-price": 3})
    shop.buy(it=shop.get(1))
    assert sent[-1] == ("buy", {"it": {"name": "bike", "unit-price": 3.0}})


def test_async_functions_are_awaited():
    shop = loaded(source_of(GET, asynchronous=True))
    using(shop, GET, answer={"name": "bike"})
    assert inspect.iscoroutinefunction(shop.get)
    assert asyncio.run(shop.get(1)).name == "bike"


def test_formats_are_types():
    tool = {
        "name": "at",
        "inputSchema": {
            "properties": {"day": {"type": "string", "format": "date", "default": "2026-01-01"}}
        },
        "outputSchema": {
            "type": "object",
            "properties": {"when": {"type": "string", "format": "date-time"}},
            "required": ["when"],
        },
    }
    source = source_of(tool, formats=True)
    assert "day: date | Unset = UNSET," in source
    assert 'day: (default: "2026-01-01")' in source
    assert ruff(source) == ""
    shop = loaded(source)
    sent = using(shop, tool, answer={"when": "2026-01-02T03:04:05Z"})
    assert shop.at(day=datetime.date(2026, 1, 3)).when.year == 2026
    assert sent[-1][1] == {"day": "2026-01-03"}


def test_names_never_hide_each_other():
    tools = [
        {
            "name": name,
            "inputSchema": {"properties": {each: {"type": "string"} for each in NAMES}},
            "outputSchema": {
                "type": "object",
                "properties": {each: {"type": "string"} for each in NAMES},
            },
        }
        for name in (*NAMES, "str-", "search shop", "search_shop", "search-shop")
    ]
    source = source_of(*tools, program=True)
    assert ruff(source) == ""
    shop = loaded(source)
    answer = {name: name for name in NAMES}
    sent = using(shop, *tools, answer=answer)
    functions = [each for each in vars(shop).values() if inspect.isfunction(each)]
    functions = [
        each for each in functions if each.__module__ == shop.__name__ and each.__name__ != "main"
    ]
    assert len(functions) == len(tools)
    for function in functions:
        parameters = list(inspect.signature(function).parameters)
        value = function(**dict.fromkeys(parameters, "x"))
        assert sent[-1][1] == dict.fromkeys(NAMES, "x")
        assert sorted(dataclasses.asdict(value).values()) == sorted(NAMES)
        typing.get_type_hints(type(value))
    assert sorted(name for name, _ in sent) == sorted(tool["name"] for tool in tools)


NAMES = [
    *("str", "list", "server", "Any", "Literal", "dataclass", "class", "main", "argparse"),
    *("result", "self", "command", "help", "UNSET", "RemoteServer", "Product", "date", "more"),
]


# -- whether it is still true


def test_a_formatter_changes_nothing_that_matters():
    assert changes(WRITTEN.replace('"', "'").replace("'''", '"""'), WRITTEN) == []
    assert changes(WRITTEN.replace("shop, as", "my shop, as"), WRITTEN) == []
    assert changes("# mine\n" + WRITTEN, WRITTEN) == []


def test_what_has_changed_is_said_in_one_line_each():
    longer = {**SEARCH["inputSchema"]["properties"], "limit": {"type": "integer", "default": 20}}
    now = {**SEARCH, "inputSchema": {**SEARCH["inputSchema"], "properties": longer}}
    now["description"] = "Search."
    pong = {"name": "pong", "inputSchema": {}}
    said = changes(WRITTEN, source_of(now, {**GET, "description": "Get it."}, pong))
    assert said == [
        "added: pong() -> Any",
        "changed: get (its documentation)",
        (
            "changed: search_shop(query: str, *, limit: int=10, sort_by: Literal['price', 'name'] | None"
            "=None, since: str | None | Unset=UNSET, near: Place | None=None) -> list[Product] is now "
            "(query: str, *, limit: int=20, sort_by: Literal['price', 'name'] | None=None, "
            "since: str | None | Unset=UNSET, near: Place | None=None) -> list[Product]"
        ),
        "removed: ping",
    ]
    with pytest.raises(ValueError, match="is not Python"):
        changes("def (", WRITTEN)
