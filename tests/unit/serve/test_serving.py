"""A served toolbox: who may call, questions to the client, other apps."""

import asyncio
import json

import mcp_types as types
import pytest
from mcp import Client
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.unit.serve.served import Form, box
from toolwright import Call
from toolwright.serve.access.guard import Caller, Guard, Refusal, tokens_from
from toolwright.serve.server import serve_http
from toolwright.serve.settings import ServerConfig

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


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
    answer = guard.refusal({k.encode(): v.encode() for k, v in sent.items()})
    assert (answer.status if isinstance(answer, Refusal) else None) == status


@pytest.mark.parametrize("token", ["short", "with space in it", "\u00fcmlaut-token"])
def test_tokens_that_are_none_are_refused(token):
    with pytest.raises(ValueError, match="at least 8 characters"):
        tokens_from(token)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com"])
def test_listening_to_others_wants_a_token_or_a_word(box, host):
    with pytest.raises(ValueError, match="auth=False"):
        serve_http(box, ServerConfig(host=host))


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
