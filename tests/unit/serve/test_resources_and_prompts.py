"""Resources and prompts of a served toolbox, and what clients hear of changes."""

import asyncio
import contextlib
import gc
import json
from typing import Annotated, Literal

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.unit.serve.served import box
from toolwright import Call, Image, SchemaError, Toolbox, ToolError
from toolwright.markers import Complete
from toolwright.serve.access import quotas
from toolwright.serve.http.sessions.table import EventMemory, SessionEvents
from toolwright.serve.sdk.server import SdkServer
from toolwright.tools.definition import runner_of


@pytest.fixture
def library():
    box = Toolbox("library")

    @box.resource("books://{shelf}/{number}")
    def book(shelf: str, number: int = 1) -> dict[str, str | int]:
        """A book."""
        if number > 9:
            raise ToolError("there are only nine")
        return {"shelf": shelf, "number": number}

    @box.resource("books://logo", mime_type="image/png")
    def logo() -> bytes:
        """A picture."""
        return b"\x89PNG\r\n\x1a\nxx"

    @box.resource("files://{path*}")
    def file(path: str) -> str:
        """A file."""
        return path

    @box.prompt
    def review(
        book: Annotated[str, Complete(lambda begun: [f"{begun}-1", f"{begun}-2"])],
        tone: Literal["kind", "cruel"] = "kind",
        stars: int = 3,
    ) -> list[str | dict | Image]:
        """Have a book reviewed.

        Args:
            book: Which one.
        """
        return [f"Review {book}: {tone}, {stars + 1}", {"role": "assistant", "content": "Yes."}]

    return box


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_resources_are_listed_and_read(library, mode):
    async def run():
        async with library.client(mode) as client:
            listed = await client.list_resources()
            assert [each.uri for each in listed.resources] == ["books://logo"]
            templates = await client.list_resource_templates()
            assert [each.uri_template for each in templates.resource_templates] == [
                "books://{shelf}/{number}",
                "files://{path*}",
            ]
            read = (await client.read_resource("books://a%20b/7")).contents[0]
            assert json.loads(read.text) == {"shelf": "a b", "number": 7}
            assert read.mime_type == "application/json"
            logo = (await client.read_resource("books://logo")).contents[0]
            assert (logo.mime_type, logo.blob[:4]) == ("image/png", "iVBO")
            path = (await client.read_resource("files://a/b/c.txt")).contents[0]
            assert (path.text, path.mime_type) == ("a/b/c.txt", "text/plain")
            for uri, said in (
                ("books://a/12", "there are only nine"),
                ("books://a/x", "must be an integer"),
                ("nope://x", "unknown resource"),
            ):
                with pytest.raises(Exception, match=said):
                    await client.read_resource(uri)

    asyncio.run(run())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_prompts_are_listed_written_and_completed(library, mode):
    async def run():
        async with library.client(mode) as client:
            (prompt,) = (await client.list_prompts()).prompts
            assert [(each.name, each.required) for each in prompt.arguments] == [
                ("book", True),
                ("tone", False),
                ("stars", False),
            ]
            assert prompt.arguments[0].description == "Which one."
            got = await client.get_prompt("review", {"book": "Emma", "stars": "4"})
            said = [(each.role, each.content.text) for each in got.messages]
            assert said == [("user", "Review Emma: kind, 5"), ("assistant", "Yes.")]
            ref = types.PromptReference(name="review")
            tone = await client.complete(ref, {"name": "tone", "value": "C"})
            assert tone.completion.values == ["cruel"]
            book = await client.complete(ref, {"name": "book", "value": "em"})
            assert book.completion.values == ["em-1", "em-2"]
            with pytest.raises(Exception, match="must be one of"):
                await client.get_prompt("review", {"book": "Emma", "tone": "odd"})
            with pytest.raises(Exception, match="unknown prompt"):
                await client.get_prompt("nope", {})

    asyncio.run(run())


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("no-scheme/{id}", "invalid URI"),
        ("x://{id", "invalid URI"),
        ("x://{id}/{id}", "repeats a variable"),
        ("x://{other}", "`{other}` in its URI, which is not a parameter"),
        ("x://fixed", "is not in the URI, and has no default"),
    ],
)
def test_a_uri_that_does_not_fit_its_function_is_refused(uri, said):
    box = Toolbox("box")
    with pytest.raises(SchemaError, match=said):

        @box.resource(uri)
        def probe(id: int) -> str:
            return ""


def test_a_client_is_told_of_changes(box):
    async def run():
        seen = anyio.Event()

        async def heard(message):
            if isinstance(message, types.ToolListChangedNotification):
                seen.set()

        async with Client(box.client().server, mode="legacy", message_handler=heard) as client:
            await client.list_tools()
            box.add(lambda x: x, name="late", on_unsupported="permissive")
            with anyio.fail_after(60):
                await seen.wait()
            assert "late" in [tool.name for tool in (await client.list_tools()).tools]

    asyncio.run(run())


def heard_by(server, listen, count):
    """Collect so many notifications that a client hears, and those that come before a last call."""
    heard, enough = [], anyio.Event()

    async def hear(message):
        heard.append(type(message).__name__)
        if len(heard) == count:
            enough.set()

    async def run():
        async with Client(server, mode="legacy", message_handler=hear) as client:
            await listen(client)
            with anyio.fail_after(60):
                await enough.wait()
            await client.list_tools()
        return heard

    return asyncio.run(run())


def test_a_change_is_told_once_however_often_a_client_has_asked(box):
    async def listen(client):
        for _ in range(5):
            await client.list_tools()
        box.disable("add")

    heard = heard_by(box.client().server, listen, 1)
    assert heard == ["ToolListChangedNotification"]


@pytest.mark.filterwarnings("ignore:resources")
def test_each_client_hears_of_what_it_watches_until_it_wants_no_more(library):
    served = SdkServer(library.__servable__())
    uris = list(library.resources)

    async def run():
        heard = {"a": [], "b": []}
        enough = anyio.Event()

        def hears(name):
            async def hear(message):
                heard[name].append(str(message.params.uri))
                if heard[name][-1] == "last://":
                    enough.set()

            return hear

        async with (
            Client(served.server, mode="legacy", message_handler=hears("a")) as a,
            Client(served.server, mode="legacy", message_handler=hears("b")) as b,
        ):
            for client in (a, b):
                await client.session.subscribe_resource("books://x")
            await b.session.unsubscribe_resource("books://x")
            await b.session.subscribe_resource("last://")
            library.changed("resource", "books://x")
            library.changed("resource", "last://")
            with anyio.fail_after(60):
                await enough.wait()
        return heard

    assert uris
    assert asyncio.run(run()) == {"a": ["books://x"], "b": ["last://"]}
    gc.collect()
    assert not list(served.changes.clients)
    assert not list(served.changes.watchers)


@pytest.mark.promise("serve.pages")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_long_lists_come_in_pages(mode):
    box = Toolbox("many", page_size=4)
    for at in range(10):

        def one() -> str:
            """One of many."""
            return ""

        one.__name__ = f"one{at}"
        box.add(one)
        box.resource(f"text://{at}")(one)
        box.prompt(one)

    async def pages(method, key):
        found, cursor = [], None
        while True:
            page = await method(cursor=cursor)
            found.append(len(getattr(page, key)))
            cursor = page.next_cursor
            if cursor is None:
                return found
            if key == "tools" and len(found) == 1:
                box.disable("one0")  # the pages behind it stay where they are

    async def run():
        async with box.client(mode) as client:
            with pytest.raises(MCPError, match="cursor"):
                await client.list_tools(cursor="nonsense")
            return [
                await pages(client.list_tools, "tools"),
                await pages(client.list_resources, "resources"),
                await pages(client.list_prompts, "prompts"),
            ]

    assert asyncio.run(run()) == [[4, 4, 2], [4, 4, 2], [4, 4, 2]]
    with pytest.raises(ValueError, match="page_size"):
        Toolbox("none", page_size=0)


@pytest.mark.promise("serve.pages")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("go", [Toolbox.disable, Toolbox.remove])
@pytest.mark.parametrize("gone", [[3], [1, 2, 3], [0, 1, 2, 3], [3, 4], [0, 3, 9]])
def test_tools_that_go_between_two_pages_move_no_other(mode, gone, go):
    box = Toolbox("many", page_size=4)
    for at in range(10):
        box.add(lambda: "", name=f"tool{at}")

    async def run():
        async with box.client(mode) as client:
            first = await client.list_tools()
            for at in gone:
                go(box, f"tool{at}")
            rest, cursor = [], first.next_cursor
            while cursor is not None:
                page = await client.list_tools(cursor=cursor)
                rest += [tool.name for tool in page.tools]
                cursor = page.next_cursor
            return rest

    assert asyncio.run(run()) == [f"tool{at}" for at in range(4, 10) if at not in gone]


@pytest.mark.parametrize("sent", ["e30=", "W10=", "WzFd", "WyJhIiwiYiJd", "MQ==", "_w==", "a"])
def test_a_cursor_that_means_nothing_is_refused(sent):
    box = Toolbox("one", page_size=1)
    box.add(lambda: "", name="tool")

    async def run():
        async with box.client() as client:
            with pytest.raises(MCPError, match="unknown cursor"):
                await client.list_tools(cursor=sent)

    asyncio.run(run())


def test_only_what_exists_is_advertised(box, library):
    async def capabilities(which):
        async with which.client("legacy") as client:
            return client.server_capabilities.model_dump(exclude_none=True)

    bare = Toolbox("bare", [abs_of])
    assert asyncio.run(capabilities(bare)) == {"tools": {"list_changed": True}}
    assert sorted(asyncio.run(capabilities(library))) == [
        "completions",
        "prompts",
        "resources",
        "tools",
    ]
    assert "logging" in asyncio.run(capabilities(box))


def abs_of(x: int) -> int:
    """Return the absolute value."""
    return abs(x)


def test_a_server_says_its_own_name(box):
    async def run():
        async with box.client() as client:
            return client.server_info

    info = asyncio.run(run())
    assert (info.name, info.version) == ("box", "2.0")


def test_resources_and_prompts_share_what_the_toolbox_has():
    class Settings:
        word = "hello"

    @contextlib.asynccontextmanager
    async def opened():
        yield "open"

    box = Toolbox("shared", lifespan=opened, timeout=30)
    box.provide(Settings)

    @box.resource("words://{name}")
    def word(name: str, settings: Settings) -> str:
        """A word."""
        return f"{settings.word} {name} {box.state}"

    @box.prompt
    def say(settings: Settings) -> str:
        """Say it."""
        return f"{settings.word} {box.state}"

    async def run():
        async with box.client() as client:
            read = await client.read_resource("words://ada")
            said = await client.get_prompt("say")
            return read.contents[0].text, said.messages[0].content.text

    assert asyncio.run(run()) == ("hello ada open", "hello open")
    assert runner_of(box.resources["words://{name}"].tool).timeout.total == 30


def test_what_a_tool_says_is_sent_whatever_it_holds(box):
    @box.tool
    def says(call: Call) -> str:
        """Say odd things."""
        call.log("a\ud800b")
        call.log(object())
        call.progress(1, 2, "c\ud800d")
        return "done"

    heard = []

    async def log(params):
        heard.append(params.data)

    async def told(done, total, message):
        heard.append(message)

    async def run():
        async with Client(box.client().server, mode="legacy", logging_callback=log) as client:
            seen = await client.call_tool("says", {}, progress_callback=told)
            assert seen.content[0].text == "done"
            assert (await client.call_tool("add", {"a": 1, "b": 2})).structured_content

    asyncio.run(run())
    assert heard[0] == "a\ufffdb"
    assert heard[1].startswith("<object object")
    assert heard[2] == "c\ufffdd"


def test_what_clients_missed_is_kept_but_not_without_end():
    events = SessionEvents(EventMemory(), quotas.Client("client"))
    text = "x" * 1_000_000
    message = types.JSONRPCNotification(jsonrpc="2.0", method="m", params={"text": text})

    async def run():
        for _ in range(100):
            last = await events.store_event("stream", message)
        return last

    last = asyncio.run(run())
    assert last in events.kept
    assert 5 < len(events.kept) < 10
    events.end()
    assert not events.kept
    assert events.memory.shares.total == 0
    assert not events.memory.shares.held
