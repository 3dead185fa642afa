"""Lines over stdio that are not JSON: a request is answered by its id all the same."""

import asyncio
import codecs
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import examples
from tests.wire.asgi_requests import ask
from tests.wire.processes import MODERN, Stdio
from toolwright import Toolbox

TOOLS = """
from pydantic import BaseModel

from toolwright import Call, Toolbox

class Person(BaseModel):
    name: str

box = Toolbox("lines")

@box.tool
def echo(who: str) -> str:
    return f"hello {len(who)}"

@box.tool
def sizes(rows: object) -> str:
    return str(rows)

@box.tool
async def asks(call: Call) -> str:
    return f"hello {(await call.ask(Person, 'Who are you?')).name}"

@box.prompt
def greet(who: str) -> str:
    return who
"""
CUT = "cut emoji \ud83d"
CALL = {"name": "sizes", "arguments": {"rows": {CUT: 1}}}


@pytest.fixture(scope="module", params=["handshake", "stateless"])
def server(request, tmp_path_factory):
    target = tmp_path_factory.mktemp("lines") / "tools.py"
    target.write_text(TOOLS)
    with Stdio(target, greet=request.param == "handshake") as server:
        server.meta = {} if request.param == "handshake" else {"_meta": MODERN}
        yield server


def request(server, number, method, params):
    params = {**params, **server.meta}
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.promise("serve.by-id")
def test_a_call_with_a_lone_surrogate_is_answered_as_over_http(server):
    server.send(request(server, 7, "tools/call", CALL))
    result = server.answer(7)["result"]
    assert result["isError"]
    assert "the arguments are not JSON" in result["content"][0]["text"]
    server.send(request(server, "seven", "tools/call", {**CALL, "name": "no-such"}))
    assert server.answer("seven")["error"]["code"] == -32700
    server.send(request(server, 8, "tools/call", {"name": "echo", "arguments": {"who": "you"}}))
    assert server.answer(8)["result"]["content"][0]["text"] == "hello 3"


@pytest.mark.parametrize("number", [5, "five", "fünf", CUT, 2**70, -3])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "greet", "arguments": {"who": CUT, "id": 99}}),
        ("tools/list", {"cursor": CUT}),
        (CUT, {}),
        ("ping", {CUT: {"id": [1]}}),
    ],
)
@pytest.mark.promise("serve.by-id")
def test_any_request_with_a_lone_surrogate_is_answered_by_its_id(server, number, method, params):
    server.send(request(server, number, method, params))
    error = server.answer(number)["error"]
    assert error == {"code": -32700, "message": "not JSON: UTF-8 cannot hold its lone surrogate"}


def end_of(server, number):
    """Send a request that is plain, and return what was answered before it is."""
    server.send(request(server, number, "prompts/list", {}))
    server.answer(number)
    others, server.others = server.others, []
    return others


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"arguments":{"a":"\xff"}}}', 5),
        (
            b'{"jsonrpc":"2.0","method":"x","params":{"id":4,"a":[{"id":5}]},"\\u0069d":"a\\"b", ',
            'a"b',
        ),
        (b'{"id":5,"method":"tools/call","params":{"arguments":{"a": unquoted', 5),
        (b'{"id":5,"method":"x","params":{"a":"no end', 5),
        (b'{"id":1,"id":"\\ud83d","method":"x","params":{"a":nothing}}', "\ud83d"),
        (b'{"method":"x","params":{"id":5', None),
        (b'{"id":5.5,"method":"x",', None),
        (b'{"id":true,"method":"x",', None),
        (b'{"id":5,"result":{"a":', None),
        (b'{"id":5,"error":oops', None),
        (b'[{"id":5,"method":"x",', None),
        (b'{"a":"' + b'\\"' * 3_000_000 + b'","id":5,"method":', 5),
        (b"[" * 100_000, None),
        (b'{"id":6,"method":"x","params":' + b'{"a":' * 100_000, 6),
        (codecs.BOM_UTF8 + b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{}}', 5),
    ],
    ids=str,
)
@pytest.mark.promise("serve.by-id")
def test_a_line_that_is_broken_is_answered_by_the_id_in_it(server, line, number):
    server.write(line + b"\n")
    answers = end_of(server, "end")
    error = {"code": -32700, "message": "not JSON"}
    assert answers == [{"jsonrpc": "2.0", "id": number, "error": error}]


@pytest.mark.promise("serve.by-id-answers")
def test_an_answer_with_a_lone_surrogate_reaches_the_tool_that_asked(tmp_path):
    target = tmp_path / "tools.py"
    target.write_text(TOOLS)
    with Stdio(target, greet=False) as server:
        hello = {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}
        client = {"name": "test", "version": "1"}
        server.ask("initialize", {**hello, "clientInfo": client})
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        call = server.begin("tools/call", {"name": "asks", "arguments": {}})
        asked = server.next()
        assert asked["method"] == "elicitation/create"
        answer = {"action": "accept", "content": {"name": CUT}}
        server.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
        said = server.answer(call)["result"]["content"][0]["text"]
        assert said == "hello cut emoji \ufffd"


texts = st.one_of(st.text(max_size=5), st.sampled_from(['"id":1', "\ud83d", '\\"', "}", "{"]))
keys = st.one_of(texts, st.sampled_from(["id", "params"]))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(300), deadline=None)
@given(
    members=st.dictionaries(keys, values, max_size=4), place=st.integers(0, 4), ascii=st.booleans()
)
def test_the_id_is_the_one_that_a_lenient_parser_sees(server, members, place, ascii):
    """Whatever else is in the line: other ids, brackets and quotes in texts, lone surrogates."""
    pairs = [*members.items()]
    pairs.insert(place, ("bad", CUT))
    message = {"method": "x", **dict(pairs)}
    text = json.dumps(message, ensure_ascii=ascii)
    server.write(text.encode("utf-8", "surrogatepass") + b"\n")
    number = message.get("id")
    expected = number if type(number) in (int, str) else None
    answers = end_of(server, "the end of it")
    assert {each["id"] for each in answers} <= {expected}
    assert answers or "id" not in message


def test_a_handshake_with_a_lone_surrogate_leaves_no_trace_in_the_log(caplog):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "_meta": MODERN}
    params = {**hello, "clientInfo": {"name": CUT, "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 5, "method": "initialize", "params": params}

    async def asked():
        app = Toolbox("lines").asgi()
        body = json.dumps(message).encode()
        return await ask(app, body=body, mcp_method="initialize", host="127.0.0.1")

    answer = asyncio.run(asked())
    assert json.loads(answer.body)["error"]["code"] == -32601
    assert "Traceback" not in caplog.text
