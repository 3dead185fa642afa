"""Servers as parts of a toolbox, and of the command `serve`."""

import asyncio
import json

import pytest
from mcp.server.mcpserver import MCPServer

from tests.wire.client.client_shop import shop
from tests.wire.processes import Stdio, run, until
from toolwright import ServerUnavailable, Toolbox
from toolwright.client import connect
from toolwright.sources import Rule


@pytest.fixture
def far(shop_url):
    client = connect(shop_url)
    yield client
    client.close()


def tool_of(box, name):
    return next(each for each in box.to_mcp()["tools"] if each["name"] == name)


@pytest.mark.promise("proxy.include")
def test_a_toolbox_takes_all_that_a_server_offers(far):
    hub = Toolbox("hub")
    added = hub.include(far, prefix="shop_")
    assert {each.name for each in added} == {f"shop_{name}" for name in shop}
    told = tool_of(hub, "shop_search")
    own = tool_of(shop, "search")
    assert {**told, "name": "search"} == own
    assert set(hub.resources) == {"shop://stock", "shop://bytes", "shop://orders/{id}"}
    assert set(hub.prompts) == {"shop_greet"}
    assert hub.call("shop_search", {"query": "x", "limit": 1}).structured == [
        {"name": "x 0", "price": 0.0}
    ]
    wrong = hub.call("shop_search", {"query": 5.5})
    assert wrong.is_error
    assert "query" in wrong.text


@pytest.mark.promise("proxy.through")
def test_everything_comes_through_as_it_is(far):
    hub = Toolbox("hub")
    hub.include(far)
    steps, said = [], []
    front = connect(
        hub,
        on_progress=lambda *step: steps.append(step),
        on_log=lambda level, text: said.append((level, text)),
        on_form=lambda message, schema: {"name": message},
        on_sample=lambda request: "sampled",
    )
    for name in ("picture", "pieces", "paper"):
        assert front.call(name).content == shop.call(name).to_mcp()["content"]
    assert front.steps() == 3
    assert steps == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
    # Over one stream, a message may be heard a moment after the answer behind it.
    until(lambda: ("info", "all steps are done") in said, "the message is heard")
    assert front.ask_name() == "hello Who are you?"
    assert front.ask_model("x") == "sampled"
    error = front.call("fail").error
    assert (error.code, error.hint) == ("closed", "try at nine")
    assert front.read("shop://orders/7") == "order 7"
    assert front.read("shop://bytes") == b"\x00\x01"
    assert front.prompt("greet", name="Ada")[0]["content"]["text"].startswith("Greet Ada")


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_questions_find_their_way_over_the_sdk_in_both_eras(far, era):
    import mcp_types as t
    from mcp import Client

    hub = Toolbox("hub")
    hub.include(far)

    async def answer(context, params):
        return t.ElicitResult(action="accept", content={"name": "Ada"})

    async def main():
        from toolwright.serve.sdk.server import SdkServer

        server = SdkServer(hub.__servable__()).server
        async with Client(server, mode=era, elicitation_callback=answer) as client:
            return (await client.call_tool("ask_name")).content[0].text

    assert asyncio.run(main()) == "hello Ada"


@pytest.mark.promise("proxy.options")
def test_all_options_work_for_tools_of_servers(far):
    hub = Toolbox("hub")
    hub.include(far, select="who", cache=60, tags=["far"])
    hub.include(far, select="wait", timeout=0.5)
    first = hub.call("who")
    assert first.meta["toolwright/cache"] == {"hit": False}
    assert hub.call("who").meta["toolwright/cache"]["hit"] is True
    assert hub.call("wait").error.code == "timeout"
    hub.add(far["search"], name="find", description="Other words.", max_concurrency=1)
    assert tool_of(hub, "find")["description"] == "Other words."
    assert tool_of(hub, "find")["inputSchema"] == tool_of(shop, "search")["inputSchema"]
    hub.include(far, select="list-*", prefix="x_", descriptions={})
    assert "x_list-all-things" in hub
    secret = Toolbox("secret")
    secret.include(far, roles=["admin"])
    assert secret.to_mcp_json(roles=()).count(b'"name"') == 0


@pytest.mark.promise("proxy.fixed")
def test_rules_fix_and_hide_parameters(far):
    hub = Toolbox("hub")
    hub.include(
        far,
        rules=[
            Rule("search", fixed={"limit": 1}, description="One hit."),
            Rule("steps", flags=["!number"]),
            Rule("fail", offer=False),
            Rule(annotated={"readOnlyHint": True}),
        ],
    )
    assert list(hub) == ["search", "steps"]
    told = tool_of(hub, "search")
    assert told["description"] == "One hit."
    assert list(told["inputSchema"]["properties"]) == ["query"]
    assert len(hub.call("search", {"query": "x"}).structured) == 1
    assert hub.call("search", {"query": "x", "limit": 5}).is_error
    assert hub.call("steps", {"number": 9}).is_error
    assert hub.call("steps").structured == 3
    from toolwright import SchemaError

    with pytest.raises(SchemaError, match="is needed, and is not offered"):
        hub.include(far, prefix="no_", rules=[Rule("search", flags=["!query"])])


def test_several_servers_are_one(far):
    hub = Toolbox("hub")
    hub.include(far, prefix="a_", select="list-*")
    hub.include(connect(shop), prefix="b_", select="list-*")
    with pytest.raises(ServerUnavailable):
        hub.include(connect("http://127.0.0.1:9/mcp"))
    assert list(hub) == ["a_list-all-things", "b_list-all-things"]
    assert hub.call("a_list-all-things").structured == hub.call("b_list-all-things").structured


@pytest.mark.parametrize("by_name", [True, False], ids=["name", "address"])
def test_the_command_serves_one_server_as_it_is(tmp_path, shop_url, by_name):
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"far": {"url": shop_url}}}))
    with Stdio(f"{file}:far" if by_name else shop_url) as server:
        told = server.hello["serverInfo"]
        assert (told["name"], told["version"]) == ("shop", "1.5")
        listed = server.call("list-all-things")["structuredContent"]
        assert listed == {"result": ["a", "b"]}


@pytest.mark.promise("proxy.waited")
def test_the_command_names_a_server_that_is_not_there(tmp_path):
    file = tmp_path / "mcp.json"
    dead = {"url": "http://127.0.0.1:9/mcp"}
    file.write_text(json.dumps({"mcpServers": {"one": dead, "two": dead}}))
    done = run("list", file)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "toolwright: one cannot be read: " in done.stderr
    assert "; two cannot be read: " in done.stderr
    done = run("list", "http://127.0.0.1:9/mcp")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_resources_keep_the_names_that_a_server_gives_them():
    server = MCPServer("dice")

    @server.resource("dice://2d6", name="Random 2d6 roll")
    def roll() -> str:
        return "7"

    @server.resource("dice://{sides}", name="A roll / any die")
    def roll_any(sides: str) -> str:
        return sides

    hub = Toolbox("hub")
    hub.include(connect(server))
    names = {uri: resource.to_mcp()["name"] for uri, resource in hub.resources.items()}
    assert names == {"dice://2d6": "Random 2d6 roll", "dice://{sides}": "A roll / any die"}
    through = connect(hub)
    assert through.resources["dice://2d6"]["name"] == "Random 2d6 roll"
    assert through.read("dice://2d6") == "7"
