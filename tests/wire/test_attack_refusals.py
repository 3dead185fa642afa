"""Refusals leave a trace: a line and a count each, of what nobody can forge or flood."""

import asyncio
import json
from pathlib import Path

import prometheus_client
import pytest

from tests.wire.command_files import here
from tests.wire.era_client import ADDRESS, Client, sent
from tests.wire.processes import Http, until
from toolwright import Call, Toolbox
from toolwright.refusals import Refused
from toolwright.serve.access.guard import Caller
from toolwright.telemetry import audit, metrics
from toolwright.toolbox.box import served

__all__ = ["here"]  # a fixture

TOKENS = {"admin-token": Caller("ada", ("admin",)), "plain-token": Caller("bob", ())}
ERAS = pytest.mark.parametrize("modern", [True, False], ids=["modern", "legacy"])


@pytest.fixture
def box():
    box = Toolbox("shop")

    @box.tool
    def add(a: int) -> int:
        return a

    @box.tool(roles=["admin"])
    def drop() -> str:
        return "dropped"

    @box.resource("shop://people/{name}", roles=["admin"])
    def person(name: str) -> str:
        if name == "nobody":
            raise LookupError(name)
        return name

    @box.prompt
    def greet(who: str) -> str:
        return who

    return box


def watched(box):
    lines, registry = [], prometheus_client.CollectorRegistry()
    box.around(audit(lines.append))
    box.around(metrics(registry))
    return lines, registry


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


def counted(registry, name, **labels):
    return registry.get_sample_value(f"toolwright_{name}_total", labels)


def of(lines, *keys):
    return [tuple(json.loads(line).get(key) for key in keys) for line in lines]


@pytest.mark.promise("everyday.refusals")
@ERAS
def test_each_refusal_is_a_line_and_a_count(box, modern):
    lines, registry = watched(box)

    async def go():
        app = box.asgi(tokens=TOKENS)
        bob = Client(app, "plain-token", modern=modern)
        await bob.ask("tools/call", name="drop", arguments={})
        await bob.ask("tools/call", name="nope", arguments={})
        await bob.ask("resources/read", uri="shop://people/eve")
        await bob.ask("resources/read", uri="shop://nowhere")
        await bob.ask("prompts/get", name="nope")
        await bob.ask(
            "completion/complete",
            ref={"type": "ref/resource", "uri": "shop://people/{name}"},
            argument={"name": "name", "value": ""},
        )
        await app.close()

    run(go())
    assert of(lines, "kind", "code", "outcome", "caller", "client") == [
        ("tool", "role", "refused", "bob", ADDRESS),
        ("tool", "not_found", "refused", "bob", ADDRESS),
        ("resource", "role", "refused", "bob", ADDRESS),
        ("resource", "not_found", "refused", "bob", ADDRESS),
        ("prompt", "not_found", "refused", "bob", ADDRESS),
        ("resource", "role", "refused", "bob", ADDRESS),
    ]
    assert [json.loads(line)["tool"] for line in lines[:2]] == ["drop", "nope"]
    assert json.loads(lines[2])["resource"] == "shop://people/eve"
    assert counted(registry, "refusals", kind="tool", code="role") == 1
    assert counted(registry, "refusals", kind="tool", code="not_found") == 1
    assert counted(registry, "refusals", kind="resource", code="role") == 2
    assert counted(registry, "refusals", kind="resource", code="not_found") == 1
    assert counted(registry, "refusals", kind="prompt", code="not_found") == 1


@pytest.mark.promise("everyday.kinds")
@ERAS
def test_resources_that_are_read_and_prompts_are_lines_and_counts(box, modern):
    lines, registry = watched(box)

    async def go():
        app = box.asgi(tokens=TOKENS)
        ada = Client(app, "admin-token", modern=modern)
        await ada.ask("resources/read", uri="shop://people/eve")
        await ada.ask("resources/read", uri="shop://people/nobody")
        await ada.ask("prompts/get", name="greet", arguments={"who": "eve"})
        await ada.ask("prompts/get", name="greet")
        await ada.ask("tools/call", name="drop", arguments={})
        await app.close()

    run(go())
    assert of(lines, "kind", "outcome", "code", "caller", "resource", "prompt", "tool") == [
        ("resource", "ok", None, "ada", "shop://people/{name}", None, None),
        ("resource", "error", "call", "ada", "shop://people/{name}", None, None),
        ("prompt", "ok", None, "ada", None, "greet", None),
        ("prompt", "error", "arguments", "ada", None, "greet", None),
        ("tool", "ok", None, "ada", None, None, "drop"),
    ]
    assert "eve" not in "".join(lines), "values of arguments are not written"
    reads = {"resource": "shop://people/{name}"}
    assert counted(registry, "resource_reads", **reads, outcome="ok") == 1
    assert counted(registry, "resource_reads", **reads, outcome="error") == 1
    assert counted(registry, "prompt_gets", prompt="greet", outcome="ok") == 1
    assert counted(registry, "calls", tool="drop", outcome="ok") == 1


@ERAS
def test_a_call_that_nobody_confirmed_is_a_line(box, modern):
    @box.tool(confirm=True)
    def wipe() -> str:
        return "wiped"

    lines, registry = watched(box)

    async def go():
        app = box.asgi(tokens=TOKENS)
        said = await Client(app, "plain-token", modern=modern).ask(
            "tools/call", name="wipe", arguments={}
        )
        assert "wiped" not in str(said)
        await app.close()

    run(go())
    assert of(lines, "kind", "tool", "outcome", "caller") == [("tool", "wipe", "refused", "bob")]
    code = json.loads(lines[0])["code"]
    assert counted(registry, "refusals", kind="tool", code=code) == 1


def test_sign_in_and_rate_are_lines_and_counts_and_tokens_are_in_none(box):
    lines, registry = watched(box)

    async def go():
        app = box.asgi(tokens=TOKENS, rate_limit="3/h")
        for token in ("guess-token-1", "", "plain-token", "plain-token", "plain-token"):
            client = Client(app, token)
            await sent(app, *client.request("tools/list", {}, {}))
        client = Client(app, "plain-token")
        await sent(app, *client.request("tools/list", {}, {}))
        elsewhere = {"host": "evil.example", "authorization": "Bearer guess-token-2"}
        await sent(app, *Client(app).request("tools/list", {}, elsewhere))
        await app.close()

    run(go())
    assert of(lines, "kind", "code", "outcome", "caller", "client")[:2] == [
        ("sign-in", "401", "refused", None, ADDRESS),
        ("sign-in", "401", "refused", None, ADDRESS),
    ]
    rates = [each for each in of(lines, "kind", "code", "outcome", "client") if each[0] == "rate"]
    assert rates == [("rate", "429", "refused", ADDRESS)]
    assert all(json.loads(line).get("reason") for line in lines if '"sign-in"' in line)
    assert "token-" not in "".join(lines)
    assert counted(registry, "refusals", kind="sign-in", code="401") == 2
    assert counted(registry, "refusals", kind="rate", code="429") == 1


def test_a_server_of_the_command_writes_refusals_down(here):
    with Http("shop.py", "--audit", "calls.jsonl", "--metrics", "--token", "good-token") as server:
        token = {"authorization": "Bearer good-token"}
        bad = {"authorization": "Bearer wrong-token"}
        assert server.asked(server.message("tools/list", **bad))[0] == 401
        server.asked(server.message("tools/call", {"name": "nope", "arguments": {}}, **token))
        server.call("add", token, a=1)
        lines = until(
            lambda: len(found := Path("calls.jsonl").read_text().splitlines()) > 2 and found,
            "three lines",
        )
        assert of(lines, "kind", "outcome", "code", "client") == [
            ("sign-in", "refused", "401", "127.0.0.1"),
            ("tool", "refused", "not_found", "127.0.0.1"),
            ("tool", "ok", None, None),
        ]
        assert "wrong-token" not in "".join(lines)
        _, body = server.asked(server.request("GET", "/metrics", **token))
        assert b'toolwright_refusals_total{code="401",kind="sign-in"} 1.0' in body


EVIL = 'x"}\n{"tool":"forged"}\r\u2028\u2029\x85\x00\x1b[31m\ud800' + "y" * 100_000


@pytest.mark.promise("everyday.made-up")
def test_what_a_caller_makes_up_forges_no_line_and_no_label(box):
    lines, registry = watched(box)
    box.call(EVIL, {})
    box.call("add", {"a": 1}, call=Call("add", caller=EVIL, roles=[EVIL], id=EVIL))
    for kind in ("tool", "resource", "prompt"):
        served(box).refused(Refused(kind, "not_found", EVIL, EVIL, EVIL, EVIL))
    assert len(lines) == 5
    for line in lines:
        assert len(line.splitlines()) == 1
        assert line.isprintable()
        assert len(line) < 2000
        assert json.loads(line).get("tool") != "forged"
    assert len(list(registry.collect())) < 20
    text = prometheus_client.generate_latest(registry).decode()
    assert "forged" not in text
    assert "yyy" not in text


def test_a_listener_that_fails_takes_no_request_down(box):
    heard = []

    def fails(event):
        raise RuntimeError("no")

    box.on_refusal(fails)
    box.on_refusal(heard.append)

    async def go():
        app = box.asgi(tokens=TOKENS)
        said = await Client(app, "plain-token").ask("tools/call", name="drop", arguments={})
        assert said["message"].startswith("unknown tool `drop`")
        await app.close()

    run(go())
    (event,) = heard
    assert event[:5] == ("tool", "role", "drop", "bob", ADDRESS)
