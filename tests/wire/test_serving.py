"""What a served toolbox does beyond answering: who may call, changes, mounting, resources, asking."""

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
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Mount

from toolwright import Call, Image, SchemaError, Toolbox, ToolError
from toolwright.markers import Complete
from toolwright.serve.sdk.replay import EventMemory, SessionEvents
from toolwright.serve.access import quotas
from toolwright.serve.access.guard import Caller, Guard, Refusal, tokens_from
from toolwright.serve.server import serve_http
from toolwright.serve.sdk.server import SdkServer

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


class Form(BaseModel):
    name: str
    size: Literal["s", "m"] = "m"
    note: str | None = None


@pytest.fixture
def box():
    box = Toolbox("box", version="2.0", instructions="Use with care.")

    @box.tool
    def add(a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @box.tool(roles=["admin"])
    def secret() -> str:
        """Tell a secret."""
        return "secret"

    @box.tool(confirm=True)
    def drop(x: int) -> str:
        """Drop something."""
        return f"dropped {x}"

    @box.tool
    async def asks(call: Call) -> str:
        """Ask for a form."""
        form = await call.ask(Form, "Who?")
        return f"{form.name} {form.size} {form.note}"

    @box.tool
    def who(call: Call) -> str:
        """Tell who asks."""
        return f"{call.caller} {list(call.roles)} {call.headers.get('x-word')}"

    return box


def request(method, *, number=1, **params):
    params["_meta"] = {**ENVELOPE, **params.pop("meta", {})}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def headers(method, name=None, **more):
    made = {"mcp-protocol-version": "2026-07-28", "mcp-method": method, "host": "localhost", **more}
    return made if name is None else {**made, "mcp-name": name}


async def post(app, body, sent):
    """Send one request to an ASGI app."""
    waiting = [{"type": "http.request", "body": body.encode(), "more_body": False}]
    base = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in {**base, **sent}.items()],
        "client": None,
        "server": None,
        "scheme": "http",
        "http_version": "1.1",
    }
    seen = {"body": b""}

    async def receive():
        return waiting.pop() if waiting else await asyncio.Event().wait()

    async def send(message):
        seen["status"] = message.get("status", seen.get("status"))
        seen["body"] += message.get("body", b"")

    await app(scope, receive, send)
    return seen["status"], json.loads(seen["body"])


# -- who may call


@pytest.mark.promise("serve.roles")
@pytest.mark.parametrize("short", [True, False])
def test_a_tool_with_roles_is_for_those_who_have_one(box, short):
    tokens = {"admin-token": Caller("ada", ("admin",)), "plain-token": Caller("bob", ())}
    app = box.asgi(tokens=tokens, short=short)

    async def run():
        for token, may in (("admin-token", True), ("plain-token", False)):
            auth = {"authorization": f"Bearer {token}"}
            _, listed = await post(app, request("tools/list"), headers("tools/list", **auth))
            names = [tool["name"] for tool in listed["result"]["tools"]]
            assert ("secret" in names) is may
            body = request("tools/call", name="secret", arguments={})
            _, called = await post(app, body, headers("tools/call", "secret", **auth))
            assert ("result" in called) is may
            assert may or called["error"]["code"] == -32602
        auth = {"authorization": "Bearer admin-token", "x-word": "w"}
        body = request("tools/call", name="who", arguments={})
        _, called = await post(app, body, headers("tools/call", "who", **auth))
        assert called["result"]["content"][0]["text"] == "ada ['admin'] w"
        await app.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    "sent", [{}, {"authorization": "Bearer wrong-token"}, {"authorization": "x"}]
)
def test_without_its_token_nothing_is_answered(box, sent):
    app = box.asgi(tokens="good-token")
    status, said = asyncio.run(post(app, request("tools/list"), headers("tools/list", **sent)))
    assert (status, list(said)) == (401, ["error"])


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "evil.example:8000"}, 421),
        ({"host": "localhost.evil.example"}, 421),
        ({"host": ""}, 421),
        ({"host": "localhost:80", "origin": "http://evil.example"}, 403),
        ({"host": "localhost", "origin": "null"}, 403),
        ({"host": "localhost", "origin": "http://localhost.evil.example"}, 403),
        ({"host": "localhost", "origin": "http://localhost:3000"}, None),
        ({"host": "127.0.0.1:8000"}, None),
        ({"host": "[::1]:8000", "origin": "http://[::1]:8000"}, None),
        ({"host": "LOCALHOST"}, None),
        ({"host": "good.example", "origin": "https://good.example"}, None),
    ],
)
def test_hosts_and_origins_are_checked(sent, status):
    guard = Guard(hosts=["good.example"], origins=["https://good.example/"])
    answer = guard.check({k.encode(): v.encode() for k, v in sent.items()})
    assert (answer.status if isinstance(answer, Refusal) else None) == status


@pytest.mark.parametrize("token", ["short", "with space in it", "\u00fcmlaut-token"])
def test_tokens_that_are_none_are_refused(token):
    with pytest.raises(ValueError, match="at least 8 characters"):
        tokens_from(token)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com"])
def test_listening_to_others_wants_a_token_or_a_word(box, host):
    with pytest.raises(ValueError, match="auth=False"):
        serve_http(box, host=host)


# -- asking


@pytest.mark.promise("serve.confirm")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("confirm", [True, False])
def test_a_confirmation_is_asked_for_before_each_call(box, mode, confirm):
    asked = []

    async def answer(context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"confirm": confirm})

    async def run():
        async with Client(box.client().server, mode=mode, elicitation_callback=answer) as client:
            return await client.call_tool("drop", {"x": 1})

    seen = asyncio.run(run())
    assert asked == ['Run drop with {"x": 1}?']
    assert seen.is_error is not confirm
    assert seen.content[0].text == ("dropped 1" if confirm else "the user did not confirm it")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_a_form_is_filled_in_or_declined(box, mode, action):
    schemas = []

    async def answer(context, params):
        schemas.append(params.requested_schema)
        content = {"name": "Ada", "size": "s"} if action == "accept" else None
        return types.ElicitResult(action=action, content=content)

    async def run():
        async with Client(box.client().server, mode=mode, elicitation_callback=answer) as client:
            return await client.call_tool("asks", {})

    seen = asyncio.run(run())
    wanted = {"accept": "Ada s None"}.get(action, f"the user chose to {action}")
    assert seen.content[0].text == wanted
    assert sorted(schemas[0]["properties"]) == ["name", "note", "size"]
    assert schemas[0]["required"] == ["name"]


def test_a_client_that_cannot_be_asked_is_told_so(box):
    async def run():
        async with box.client("legacy") as client:
            return await client.call_tool("asks", {})

    seen = asyncio.run(run())
    assert seen.is_error
    assert seen.content[0].text == "this needs a client that has elicitation"


def test_a_form_has_plain_fields_only(box):
    class Deep(BaseModel):
        form: Form

    @box.tool
    async def deep(call: Call) -> str:
        """Ask for too much."""
        await call.ask(Deep)
        return ""

    async def run():
        async def answer(context, params):
            raise AssertionError

        async with Client(box.client().server, elicitation_callback=answer) as client:
            return await client.call_tool("deep", {})

    assert asyncio.run(run()).is_error


# -- in other apps, and without any


@pytest.mark.promise("serve.mounting")
def test_an_app_is_mounted_without_wiring(box):
    inner = box.asgi(path="/")
    outer = Starlette(routes=[Mount("/tools", app=inner)])

    async def run():
        import httpx2

        transport = httpx2.ASGITransport(app=outer)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            sent = headers("tools/call", "add")
            sent |= {"content-type": "application/json"}
            sent |= {"accept": "application/json, text/event-stream"}
            body = request("tools/call", name="add", arguments={"a": 1, "b": 2})
            came = await client.post("/tools/", content=body, headers=sent)
            assert came.json()["result"]["structuredContent"] == 3
        await inner.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("method", "name", "params", "status"),
    [
        ("tools/list", None, {}, 200),
        ("tools/call", "add", {"name": "add", "arguments": {"a": 1, "b": 2}}, 200),
        ("tools/call", "nope", {"name": "nope", "arguments": {}}, 400),
        ("resources/list", None, {}, 404),
        ("server/discover", None, {}, 200),
    ],
)
def test_one_request_gets_one_reply(box, method, name, params, status):
    reply = asyncio.run(box.handle(request(method, **params), headers(method, name)))
    assert reply.status == status
    assert json.loads(reply.body)["id"] == 1


def test_a_request_that_is_no_json_gets_a_reply(box):
    reply = asyncio.run(box.handle(b"{", headers("tools/list")))
    assert reply.status == 400


# -- resources, prompts, changes


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
        ("no-scheme/{id}", "impossible URI"),
        ("x://{id", "impossible URI"),
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
    served = SdkServer(library)
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
    assert box.resources["words://{name}"].tool.runner.timeout.total == 30


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
    assert heard[0] == "a?b"
    assert heard[1].startswith("<object object")
    assert heard[2] == "c?d"


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
