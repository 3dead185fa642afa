"""Generated modules: what is written, what checkers say of it, and that it runs."""

import asyncio
import inspect

import pytest

from tests.wire.client.generate.generated_modules import loaded, source_of, using
from toolwright import ArgumentError, ResultError
from toolwright.client.generate.module import changes

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
