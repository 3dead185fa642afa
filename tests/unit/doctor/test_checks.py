"""Single checks, in cases that their page does not show."""

# ruff: noqa: ASYNC210, ASYNC221, ASYNC230, ASYNC251 - these tools block on purpose

import asyncio
import os
import subprocess
import time
import time as clock
import urllib.request
from dataclasses import dataclass
from enum import Enum
from subprocess import run as start
from time import sleep
from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, Field

from toolwright import Image, Inject, Toolbox

USER = {"x-user-providable": True}


def found(tools, id, **more):
    box = Toolbox("b")
    for each in tools:
        box.add(each)
    return [
        (each.tool, each.parameter, str(each.severity)) for each in box.check(select=id, **more)
    ]


# -- flow


class Order(BaseModel):
    order_id: int
    customer: "Customer | None" = None


class Customer(BaseModel):
    customer_id: str
    orders: list[Order] = []


class Page(BaseModel):
    items: list[Order]
    next_cursor: str | None = None


def orders() -> Page:
    "List all orders."


def order(order_id: int) -> Order:
    "Return one order."


def customer(customer_id: str) -> Customer:
    "Return one customer."


def marked(query: Annotated[str, Field(json_schema_extra=USER)]) -> None:
    "Search for something."


@pytest.mark.promise("doctor.flow")
@pytest.mark.parametrize("style", ["portable", "full"])
def test_fields_are_found_inside_lists_and_through_references(style):
    box = Toolbox("b", defaults={"style": style})
    for each in (orders, order, customer, marked):
        box.add(each)
    assert "$ref" in str(box["customer"].output_schema) or style == "portable"
    assert not box.check(select=["unreachable_param", "type_mismatch", "circular_dependency"])


@pytest.mark.promise("doctor.flow")
def test_only_required_parameters_need_a_source():
    def optional(parcel_id: str = "") -> None:
        "Track a parcel."

    def required(parcel_id: str) -> None:
        "Track a parcel."

    assert found([optional, marked], "unreachable_param") == []
    assert found([required, marked], "unreachable_param") == [("required", "parcel_id", "error")]
    assert found([required], "unreachable_param") == [("required", "parcel_id", "info")]


def test_a_tool_is_no_source_for_itself():
    def again(order_id: int) -> Order:
        "Order it again."

    assert found([again, marked], "unreachable_param") == [("again", "order_id", "error")]


def test_choices_booleans_and_what_has_parts_need_no_source():
    class Colour(Enum):
        RED = "red"

    class Line(BaseModel):
        order_id: int
        fast: bool

    def paint(colour: Colour, size: Literal["s", "m"], fast: bool, none: bool | None) -> None:
        "Paint something."

    def reorder(lines: list[Line], first: Line) -> None:
        "Order it all again."

    assert found([paint, reorder, orders, marked], "unreachable_param") == []
    assert found([reorder, marked], "unreachable_param") == [
        ("reorder", "lines", "error"),
        ("reorder", "first", "error"),
    ]


def test_types_are_compared_where_they_differ():
    class Result(TypedDict):
        number: float
        maybe: int | None
        either: int | str
        wrong: str
        any: Any

    def gives() -> Result:
        "Give many things."

    def takes(number: int, maybe: int, either: str, wrong: int, any: list[int]) -> None:
        "Take many things."

    assert found([gives, takes], "type_mismatch") == [("takes", "wrong", "warning")]


def test_one_tool_that_gives_the_right_type_is_enough():
    def right() -> Order:
        "Give an order."

    class Other(TypedDict):
        order_id: str

    def other() -> Other:
        "Give another one."

    assert found([right, other, order], "type_mismatch") == []
    assert found([other, order], "type_mismatch") == [("order", "order_id", "warning")]


def test_a_longer_circle_is_told_once():
    class A(TypedDict):
        a: str

    class B(TypedDict):
        b: str

    class C(TypedDict):
        c: str

    def one(a: str) -> B:
        "First of all."

    def two(b: str) -> C:
        "Second of all."

    def three(c: str) -> A:
        "Third of all."

    def start(a: Annotated[str, Field(json_schema_extra=USER)] = "") -> C:
        "Begin with it."

    circle = found([one, two, three], "circular_dependency")
    assert circle == [("one", "", "info")]
    assert found([one, two, three, start], "circular_dependency") == []


# -- blocking calls


async def by_module() -> None:
    "Sleep."
    time.sleep(1)


async def by_alias() -> None:
    "Sleep."
    clock.sleep(1)


async def by_name() -> None:
    "Sleep."
    sleep(1)


async def by_own_import() -> None:
    "Sleep."
    from time import sleep as nap

    nap(1)


async def by_program() -> None:
    "Start it."
    start(["true"], check=False)
    os.system("true")
    subprocess.check_output(["true"])


async def by_address() -> None:
    "Fetch it."
    with urllib.request.urlopen("http://localhost") as answer:
        answer.read()


async def in_loop() -> None:
    "Sleep."
    for _ in range(3):
        if True:
            [sleep(1) for _ in range(3)]


async def in_inner() -> None:
    "Sleep."

    async def inner():
        sleep(1)

    await inner()


async def in_thread() -> None:
    "Sleep."

    def work():
        sleep(1)

    await asyncio.to_thread(work)
    await asyncio.to_thread(sleep, 1)
    await asyncio.get_running_loop().run_in_executor(None, lambda: sleep(1))


async def with_own_name(sleep: int) -> int:
    "Take a number."
    time = [1]
    time.sort()
    return sleep


async def with_sleep_of_its_own() -> None:
    "Sleep."
    sleep = asyncio.sleep
    await sleep(1)


def plain() -> None:
    "Sleep."
    time.sleep(1)


@pytest.mark.promise("doctor.blocking")
@pytest.mark.parametrize(
    ("tool", "count"),
    [
        (by_module, 1),
        (by_alias, 1),
        (by_name, 1),
        (by_own_import, 1),
        (by_program, 3),
        (by_address, 1),
        (in_loop, 1),
        (in_inner, 1),
        (in_thread, 0),
        (with_own_name, 0),
        (with_sleep_of_its_own, 0),
        (plain, 0),
    ],
)
def test_blocking_calls(tool, count):
    assert len(found([tool], "blocking_call")) == count


def test_the_place_of_a_blocking_call_is_its_line():
    box = Toolbox("b", [by_program])
    first = by_program.__code__.co_firstlineno
    lines = [each.line - first for each in box.check(select="blocking_call")]
    assert lines == [2, 3, 4]


def test_files_in_async_tools_are_information():
    async def reads(path: str) -> str:
        "Read a file."
        with open(path) as opened:
            return opened.read()

    assert found([reads], "blocking_call") == [("reads", "", "info")]


class Clock:
    async def wait(self) -> None:
        "Wait a moment."
        sleep(1)

    @staticmethod
    async def rest() -> None:
        "Rest a moment."
        sleep(1)


def test_methods_have_their_source_and_place():
    box = Toolbox("b")
    box.include(Clock())
    lines = sorted(each.line for each in box.check(select="blocking_call"))
    first = Clock.wait.__code__.co_firstlineno
    assert lines == [first + 2, first + 7]


# -- what else


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("api_key", "q8Zr-41xv", True),
        ("password", "secret", True),
        ("token", "auto", False),
        ("token", "", False),
        ("api_key", "YOUR-KEY", False),
        ("api_key", "${API_KEY}", False),
        ("api_key", "<key>", False),
        ("max_tokens", "123456789", False),
        ("token_file", "/etc/token1", False),
        ("query", "AKIAABCDEFGHIJKLMNOP", True),
        ("query", "plain words", False),
    ],
)
def test_secrets_in_defaults(name, value, is_secret):
    space = {}
    exec(f"def tool({name}: str = {value!r}) -> None:\n    'Do something.'", space)
    assert bool(found([space["tool"]], "secret_default")) is is_secret


def test_a_secret_of_the_environment_is_one(monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "x9-very-own-value-77")
    from toolwright._log import redact

    redact._secrets.cache_clear()

    def call(x: str = "x9-very-own-value-77") -> None:
        "Call the shop."

    assert found([call], "secret_default") == [("call", "x", "error")]


def test_similar_tools_are_told_apart_by_their_names():
    def rolling_corr(a: int) -> int:
        "Compute the rolling correlation of two columns over a window of rows that moves along."

    def rolling_cov(a: int) -> int:
        "Compute the rolling covariance of two columns over a window of rows that moves along."

    def other_cov(a: int) -> int:
        "Compute the rolling covariance of two columns over a window of rows that moves on."

    assert found([rolling_corr, rolling_cov], "similar_tools") == []
    assert found([rolling_cov, other_cov], "similar_tools") == [("rolling_cov", "", "warning")]


def test_what_returns_nothing_or_an_image_says_what_it_returns():
    def nothing() -> None: ...
    def image() -> Image: ...
    def unsaid(): ...

    assert found([nothing, image, unsaid], "no_return_schema") == [("unsaid", "", "warning")]


def test_injected_parameters_are_no_parameters():
    def search(query: str = "", *, api_key: Annotated[str, Inject(lambda: "k")]) -> None:
        """Search for something.

        Args:
            query: What to look for.
        """

    assert found([search], ["description", "secrets"]) == []


@pytest.mark.parametrize("name", ["deleteOrder", "order_remove", "purge-all", "orders.drop"])
def test_words_of_names(name):
    box = Toolbox("b")
    box.add(plain, name=name)
    assert [each.id for each in box.check(select="hints")] == ["missing_destructive_hint"]


@pytest.mark.parametrize("name", ["list_removed", "cleared", "deletion_report", "droplet"])
def test_words_that_only_begin_like_them(name):
    box = Toolbox("b")
    box.add(plain, name=name)
    assert "missing_destructive_hint" not in [each.id for each in box.check(select="hints")]


def test_disabled_tools_are_not_looked_at():
    box = Toolbox("b", [plain])
    box.disable("plain")
    assert box.check().tools == ()


def test_a_class_as_a_tool_has_a_place():
    @dataclass
    class Ticket:
        number: int

    box = Toolbox("b")
    box.add(Ticket, name="ticket")
    places = {(each.file, each.line > 0) for each in box.check(select="description")}
    assert places == {(__file__, True)}


def test_chinese_says_much_in_few_characters():
    def search(query: str) -> None:
        """搜索产品目录。

        Args:
            query: 产品名称。
        """

    assert found([search], "description") == []


# -- examples, short texts and many findings of one kind


@pytest.mark.parametrize("style", ["portable", "full"])
def test_an_example_that_its_parameter_does_not_take_is_found(style):
    def good(n: Annotated[int, Field(examples=[1, 2], ge=1)], order: Order) -> None:
        "Do something."

    def bad(
        n: Annotated[int, Field(examples=[1, 0], ge=1)],
        text: Annotated[str, Field(examples=[5])],
    ) -> None:
        "Do something."

    box = Toolbox("b", [good, bad], defaults={"style": style})
    report = box.check(select="broken_example")
    assert [(each.tool, each.parameter) for each in report] == [("bad", "n"), ("bad", "text")]
    assert "number 2" in report.findings[0].message


def test_two_words_are_not_too_short_for_a_parameter():
    def page(
        space: Annotated[str, "Space key"],
        name: Annotated[str, "The id"],
        word: Annotated[str, "Words."],
        bit: Annotated[str, "A b"],
    ) -> None:
        "Show a page."

    short = [name for _, name, _ in found([page], "short_param_description")]
    assert short == ["word", "bit"]


@pytest.mark.promise("doctor.folded")
def test_many_parameters_without_a_source_are_one_finding():
    def many(a1: str, a2: str, a3: str) -> None:
        "Do something."

    def more(b1: str, b2: str, b3: str) -> None:
        "Do something else."

    box = Toolbox("b", [many, more])
    [finding] = box.check(select="unreachable_param")
    assert (finding.tool, str(finding.severity)) == ("", "info")
    assert "6 required parameters" in finding.message
    assert "many.a1" in finding.message
    assert len(box.check(select="unreachable_param", severity={"unreachable_param": "error"})) == 6
    box.add(marked)
    assert len(box.check(select="unreachable_param")) == 6
    assert len(Toolbox("b", [many]).check(select="unreachable_param")) == 3
