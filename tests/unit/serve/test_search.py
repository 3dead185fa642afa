"""`search=True`: three tools instead of many, and calls that are direct calls in everything."""

import asyncio
import json
import time

import pytest
from pydantic import BaseModel

from tests.unit.serve.guarded_shop import ERAS, PATHS, TOKENS
from tests.wire import session_client
from tests.wire.era_client import Client
from tests.wire.task_calls import soon, store
from toolwright import Call, Toolbox, ToolError
from toolwright.serve.search_index import IndexedTool, ToolIndex

__all__ = ["soon", "store"]  # fixtures

OWN = ["search_tools", "describe_tool", "call_tool"]


class Form(BaseModel):
    name: str


def shop(**options):
    box = Toolbox("shop", **options)

    @box.tool(tags=["billing"])
    def find_orders(customer: str, limit: int = 3) -> list[str]:
        """Find the orders of a customer.

        Args:
            customer: Who has ordered.
            limit: Most orders to return.
        """
        return [customer] * limit

    @box.tool(roles=["admin"])
    def delete_orders(customer: str) -> int:
        """Delete every order of a customer."""
        return 1

    @box.tool(enabled=lambda call: call.caller == "ada")
    def order_audit() -> str:
        """Show who has changed an order."""
        return "audit"

    @box.tool
    def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    @box.tool(confirm=True)
    def drop(table: str) -> str:
        """Drop a table."""
        return f"dropped {table}"

    @box.tool
    async def sign(call: Call) -> str:
        """Ask for a name."""
        return (await call.ask(Form, "Who?")).name

    @box.tool
    def who(call: Call) -> str:
        """Tell who asks."""
        return f"{call.caller} {sorted(call.roles)} {call.tool}"

    @box.tool
    def fail(code: str) -> None:
        """Fail."""
        raise ToolError("no", code=code)

    @box.tool(rate_limit="1/h")
    def rarely() -> str:
        """Answer once an hour."""
        return "now"

    box.add(lambda: 1, name="gone", description="Orders that are gone.")
    box.disable("gone")
    return box


def through(name, arguments=None):
    sent = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    return {"name": "call_tool", "arguments": sent}


def run(course):
    asyncio.run(asyncio.wait_for(course, 60))


async def found(caller, query, **more):
    came = await caller.ask("tools/call", name="search_tools", arguments={"query": query, **more})
    return [each["name"] for each in json.loads(came["content"][0]["text"])]


@ERAS
@PATHS
@pytest.mark.promise("search.three-tools")
def test_clients_see_three_tools(modern, short):
    async def course():
        async with session_client.serving(shop(), search=True, short=short) as app:
            caller = Client(app, modern=modern)
            listed = (await caller.ask("tools/list"))["tools"]
            assert [tool["name"] for tool in listed] == OWN
            assert (await found(caller, "orders of customers"))[0] == "find_orders"
            assert (await found(caller, "billing"))[0] == "find_orders"
            assert (await found(caller, "findOrders"))[0] == "find_orders"
            assert (await found(caller, "custmer ordrs"))[0] == "find_orders"  # misspelled
            assert await found(caller, "zzzz") == []
            assert await found(caller, "", limit=2) == ["find_orders", "add"]
            shown = await caller.ask(
                "tools/call", name="describe_tool", arguments={"name": "find_orders"}
            )
            assert json.loads(shown["content"][0]["text"]) == shop()["find_orders"].to_mcp()
            assert session_client.on_short_path(app) is short or not short

    run(course())


@pytest.mark.promise("search.hidden")
def test_what_is_hidden_changes_nothing_that_is_found():
    box = Toolbox("shop")
    box.add(lambda: 1, name="invoices", description="Show invoices.")
    alone = Toolbox("shop", box)
    # A word that is spelled right in a hidden tool must not count as known.
    box.add(lambda: 1, name="invoyces", description="Secret invoyces.", roles=["admin"])

    async def course():
        queries = ("invoyces", "invoyce", "secret invoyces", "show secret", "invoices")
        seen = []
        for each in (box, alone):
            async with session_client.serving(each, tokens=TOKENS, search=True) as app:
                bob = Client(app, "plain-token")
                seen.append([await found(bob, query) for query in queries])
                ada = await found(Client(app, "admin-token"), "invoyces")
        assert seen[0] == seen[1]
        assert seen[0][0] == ["invoices"]
        assert ada == ["invoices"]

    run(course())


@pytest.mark.promise("search.audit")
def test_hooks_see_the_tool_itself():
    seen = []
    box = shop()

    @box.around
    async def watch(call, arguments, go_on):
        seen.append((call.tool, arguments))
        return await go_on(arguments)

    refusals = []
    box.on_refusal(lambda event: refusals.append((event.name, event.code)))

    async def course():
        async with session_client.serving(box, tokens=TOKENS, search=True) as app:
            bob = Client(app, "plain-token")
            await found(bob, "add")
            await bob.ask("tools/call", **through("add", {"a": 1}))
            await bob.ask("tools/call", **through("delete_orders", {"customer": "x"}))

    run(course())
    assert seen == [("add", {"a": 1})]
    assert refusals == [("delete_orders", "role")]


@pytest.mark.promise("search.direct")
def test_limits_and_text_for_arguments():
    async def course():
        async with session_client.serving(shop(), search=True) as app:
            caller = Client(app)
            first = await caller.ask("tools/call", **through("rarely"))
            second = await caller.ask("tools/call", **through("rarely"))
            assert first["content"][0]["text"] == "now"
            assert second["isError"]
            # Models write objects as text.
            told = await caller.ask("tools/call", **through("add", '{"a": 2}'))
            assert told["structuredContent"] == 3
            for sent, said in [
                ({"name": "call_tool"}, "`call_tool` is called by itself"),
                ({"name": 5}, "`name` must be a string"),
                ({}, "missing argument `name`"),
                ({"name": "add", "arguments": "[1]"}, "`arguments`"),
                ({"name": "add", "a": 1}, "`a`"),
            ]:
                came = await caller.ask("tools/call", name="call_tool", arguments=sent)
                assert came["isError"]
                assert said in came["content"][0]["text"]

    run(course())


@pytest.mark.promise("search.direct")
def test_progress_and_cancellation():
    ended = asyncio.Event()
    begun = asyncio.Event()
    box = Toolbox("slow")

    @box.tool
    async def count(call: Call) -> str:
        """Count."""
        await call.progress(1, 2, "one")
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return ""

    async def course():
        async with session_client.serving(box, search=True) as app:
            caller = await session_client.Client(app).open()
            pending = caller.start("call_tool", {"name": "count"}, token="t", number=77)
            task = asyncio.ensure_future(pending.whole())
            await begun.wait()
            await caller.cancel(77)
            await ended.wait()
            task.cancel()
            said = [each for each in pending.messages() if "method" in each]
            assert [each["params"]["progress"] for each in said] == [1]

    run(course())


FILE = """\
from toolwright import Toolbox
box = Toolbox("files")

@box.tool
def {name}(path: str) -> str:
    "{text}"
    return path

@box.tool(roles=["admin"])
def purge() -> str:
    "Purge all files."
    return "purged"
"""


def test_names_with_dots_are_found_and_called_in_both_forms():
    box = Toolbox("dotted")
    box.add(lambda: 1, name="files.read", description="Read.")

    async def course():
        async with session_client.serving(box, search=True) as app:
            caller = Client(app)
            assert await found(caller, "read") == ["files_read"]
            for name in ("files_read", "files.read"):
                came = await caller.ask("tools/call", **through(name))
                assert came == await caller.ask("tools/call", name=name, arguments={})

    run(course())


class Unsendable:
    def __init__(self, *parts: "Nowhere") -> None: ...  # noqa: F821


def test_a_tool_that_is_refused_is_not_found():
    box = Toolbox("half")
    box.add(lambda: 1, name="good", description="Count numbers.")

    @box.tool
    def broken(x: Unsendable) -> int:
        """Count numbers, too."""
        return 1

    assert [problem.tool for problem in box.problems if problem.fatal] == ["broken"]

    async def course():
        async with session_client.serving(box, search=True) as app:
            caller = Client(app)
            assert await found(caller, "count numbers") == ["good"]
            assert await found(caller, "") == ["good"]
            shown = await caller.ask(
                "tools/call", name="describe_tool", arguments={"name": "broken"}
            )
            assert shown["isError"]

    run(course())


def test_tools_that_come_and_go_are_found_and_lost():
    box = shop()

    async def course():
        async with session_client.serving(box, search=True) as app:
            caller = Client(app)
            box.add(lambda: 1, name="paint", description="Paint a wall.")
            assert await found(caller, "paint a wall") == ["paint"]
            box.disable("paint")
            assert await found(caller, "paint a wall") == []
            box.enable("paint")
            assert await found(caller, "paint a wall") == ["paint"]
            box.remove("paint")
            assert await found(caller, "paint a wall") == []

    run(course())


def names_of(tools):
    return [IndexedTool(name, text, "", "") for name, text in tools.items()]


@pytest.mark.promise("search.hostile")
@pytest.mark.parametrize(
    "query",
    [
        '"', "'", '" OR "', "name:x", "a AND NOT b", "a NEAR(b)", "*", "^a", "-a", "(", ")", "{",
        "\0", "a\0b", "\ud800", "'; DROP TABLE spelled; --", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "İ", "ß", "١٢٣", "名前",
        "OR", "AND", "NOT", "the", "a" * 100_000, '"' * 100_000, "ab " * 100_000, "aB1_" * 50_000,
    ],
)  # fmt: skip
def test_no_query_fails_or_takes_long(query):
    index = ToolIndex(names_of({"find": "Find a name.", "名前": "Ein Straßenname.", "not": "Or."}))
    spent = time.process_time()
    assert set(index.ranked(query)) <= {"find", "名前", "not"}
    assert time.process_time() - spent < 30


def test_words_of_every_script_are_found():
    index = ToolIndex(names_of({"straße": "Zeigt die Straße.", "名前": "名前 を 探す"}))
    assert next(index.ranked("STRASSE")) == "straße"
    assert next(index.ranked("名前")) == "名前"


def test_two_threads_search_at_once():
    box = shop()

    async def course():
        async with session_client.serving(box, search=True) as app:
            callers = [Client(app) for _ in range(20)]
            came = await asyncio.gather(*(found(caller, "add numbers") for caller in callers))
            assert all(names[0] == "add" for names in came)

    run(course())
