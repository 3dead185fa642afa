"""What a caller may not use does not exist for them: in lists, errors, hints, headers, updates."""

import asyncio
import json
from typing import Annotated

import prometheus_client
import pytest
from pydantic import Field

from tests.wire.era_client import Client, sent
from toolwright import Toolbox, tool
from toolwright.markers import Complete
from toolwright.serve.access.guard import Caller
from toolwright.telemetry import exposition, metrics
from toolwright.toolbox.box import served

TOKENS = {"admin-token": Caller("ada", ("admin",)), "plain-token": Caller("bob", ("staff",))}
ERAS = pytest.mark.parametrize("modern", [True, False], ids=["modern", "legacy"])
PATHS = pytest.mark.parametrize("short", [True, False], ids=["short", "sdk"])


def shop(*, hidden=True):
    """A shop; without what bob may not use if nothing is hidden."""
    box = Toolbox("shop")

    @box.tool
    def delete_one(n: int) -> int:
        return n

    @box.resource("shop://prices")
    def prices() -> str:
        return "public prices"

    @box.prompt
    def greet(who: str) -> str:
        return f"Greet {who}."

    if hidden:
        hide(box)
    return box


def hide(box):
    @box.tool(roles=["admin"])
    def delete_everything(
        secret_region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "eu",
    ) -> str:
        return secret_region

    @box.tool
    def retired() -> int:
        return 0

    box.disable("retired")

    @box.resource("shop://wages", roles=["admin"])
    def wages() -> str:
        return "secret wages"

    @box.resource("shop://people/{name}", roles=["admin", "chief"])
    def person(name: Annotated[str, Complete(["ada", "bob"])]) -> str:
        return f"secret {name}"

    @box.prompt(roles=["admin"])
    def dismiss(who: Annotated[str, Complete(["ada", "bob"])]) -> str:
        return f"Dismiss {who}."


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


async def answers(app, token, modern, asked):
    client = Client(app, token, modern=modern)
    return [await client.ask(method, **params) for method, params in asked]


def completion(kind, **ref):
    argument = {"name": "who" if kind == "prompt" else "name", "value": ""}
    return {"ref": {"type": f"ref/{kind}", **ref}, "argument": argument}


HIDDEN = [
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("tools/call", {"name": "delete_everything", "arguments": {}}),
    ("tools/call", {"name": "delete_everythng", "arguments": {}}),
    ("tools/call", {"name": "delete_everything", "arguments": {}, "task": {"ttl": 1}}),
    ("tools/call", {"name": "retired", "arguments": {}}),
    ("tools/call", {"name": "retird", "arguments": {}}),
    ("tools/call", {"name": "d" * 5000, "arguments": {}}),
    ("resources/read", {"uri": "shop://wages"}),
    ("resources/read", {"uri": "shop://people/ada"}),
    ("resources/subscribe", {"uri": "shop://wages"}),
    ("prompts/get", {"name": "dismiss", "arguments": {"who": "ada"}}),
    ("completion/complete", completion("prompt", name="dismiss")),
    ("completion/complete", completion("resource", uri="shop://people/{name}")),
    ("tasks/get", {"taskId": "delete_everything"}),
]


@pytest.mark.promise("serve.hidden")
@ERAS
@PATHS
def test_what_is_hidden_is_answered_like_what_does_not_exist(modern, short):
    async def go():
        said = []
        for hidden in (True, False):
            app = shop(hidden=hidden).asgi(tokens=TOKENS, short=short)
            said.append(await answers(app, "plain-token", modern, HIDDEN))
            await app.close()
        for asked, with_it, without_it in zip(HIDDEN, *said, strict=True):
            assert with_it == without_it, asked

    run(go())


@ERAS
@PATHS
def test_a_suggestion_names_only_what_the_caller_may_use(modern, short):
    async def go():
        app = shop().asgi(tokens=TOKENS, short=short)
        for token, may in (("plain-token", False), ("admin-token", True)):
            client = Client(app, token, modern=modern)
            said = (await client.ask("tools/call", name="delete_everythng", arguments={}))[
                "message"
            ]
            assert ("`delete_everything`?" in said) is may
            said = (await client.ask("tools/call", name="delete_on", arguments={}))["message"]
            assert said == "unknown tool `delete_on` - did you mean `delete_one`?"
        await app.close()

    run(go())


def test_headers_that_repeat_arguments_do_not_name_hidden_parameters():
    async def go():
        said = []
        params = {"name": "delete_everything", "arguments": {"secret_region": "eu"}}
        headers = {"mcp-param-region": "us"}
        for hidden, token in ((True, "admin-token"), (True, "plain-token"), (False, "plain-token")):
            app = shop(hidden=hidden).asgi(tokens=TOKENS)
            said.append(await Client(app, token).ask("tools/call", headers, **params))
            await app.close()
        assert "region" in json.dumps(said[0]).lower()
        assert "region" not in json.dumps(said[1]).lower()
        assert said[1] == said[2]

    run(go())


@pytest.mark.promise("serve.roles-offers")
@ERAS
def test_resources_and_prompts_with_roles_are_for_those_who_have_one(modern):
    asked = [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("prompts/list", {}),
        ("resources/read", {"uri": "shop://wages"}),
        ("resources/read", {"uri": "shop://people/ada"}),
        ("prompts/get", {"name": "dismiss", "arguments": {"who": "ada"}}),
        *HIDDEN[14:16],
    ]

    async def go():
        app = shop().asgi(tokens=TOKENS)
        may = json.dumps(await answers(app, "admin-token", modern, asked))
        may_not = json.dumps(await answers(app, "plain-token", modern, asked))
        for secret in ("secret wages", "secret ada", "Dismiss ada", '"bob"'):
            assert secret in may
            assert secret not in may_not
        lists = json.dumps(await answers(app, "plain-token", modern, asked[:3]))
        for name in ("wages", "people", "dismiss"):
            assert name in may
            assert name not in lists
        assert "shop://prices" in lists
        assert "greet" in lists
        await app.close()

    run(go())


def test_a_function_on_demand_has_no_roles():
    async def go():
        box = shop()
        client = Client(None)
        for uri, may in (("shop://prices", True), ("shop://wages", False)):
            body, headers = client.request("resources/read", {"uri": uri}, {})
            reply = await box.handle(body, headers)
            assert (b"public prices" in reply.body) is may
            assert b"secret" not in reply.body

    run(go())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_without_a_network_sees_everything(mode):
    async def go():
        async with shop().client(mode) as client:
            assert len((await client.list_resources()).resources) == 2
            assert (await client.read_resource("shop://wages")).contents[0].text == "secret wages"
            assert len((await client.list_prompts()).prompts) == 2

    run(go())


@pytest.mark.promise("serve.hidden-updates")
@ERAS
def test_nobody_hears_of_changes_of_what_they_may_not_read(modern):
    async def listen(app, token, heard):
        client = Client(app, token, modern=modern)
        uris = ["shop://wages", "shop://people/ada", "shop://prices"]

        def part(data):
            heard.append(data.decode())

        if modern:
            wanted = {"notifications": {"resourceSubscriptions": uris}}
            await sent(app, *client.request("subscriptions/listen", wanted, {}), on_part=part)
            return
        for uri in uris:
            assert "code" not in await client.ask("resources/subscribe", uri=uri)
        headers = {**client.headers, "accept": "text/event-stream"}
        await sent(app, b"", headers, method="GET", on_part=part)

    async def go():
        box = shop()
        app = box.asgi(tokens=TOKENS)
        heard = {"admin-token": [], "plain-token": []}
        tasks = [asyncio.ensure_future(listen(app, *each)) for each in heard.items()]
        last = "shop://prices"

        def have_heard():
            # A stream may open in the middle of a round: one whole round lies between two.
            told = [[each for each in said if '/updated"' in each] for said in heard.values()]
            return all("".join(said).count(last) > 1 and last in said[-1] for said in told)

        while not have_heard():
            for uri in ("shop://wages", "shop://people/ada", last):
                box.changed("resource", uri)
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await app.close()
        return {
            token: "".join(part for part in said if '/updated"' in part)
            for token, said in heard.items()
        }

    heard = run(go())
    assert "shop://wages" in heard["admin-token"]
    assert "shop://people/ada" in heard["admin-token"]
    assert "shop://wages" not in heard["plain-token"]
    assert "shop://people" not in heard["plain-token"]


def test_metrics_name_only_what_the_caller_may_use():
    box = shop()
    registry = prometheus_client.CollectorRegistry()
    box.around(metrics(registry))
    for name in ("delete_one", "delete_everything", "never_was"):
        box.call(name, {})
    seen = {
        roles: exposition(box.values(), box.resources, box.prompts, roles, registry).decode()
        for roles in ((), ("admin",))
    }
    assert 'tool="delete_everything"' in seen["admin",]
    assert "delete_everything" not in seen[()]
    assert 'tool="delete_one"' in seen[()]
    assert 'tool="(unknown)"' in seen[()]


def test_roles_of_a_function_that_is_a_tool_count_for_its_resource():
    @tool(roles=["admin"])
    def wages() -> str:
        return "secret"

    box = Toolbox("shop")
    box.resource("shop://wages")(wages)
    assert served(box).find_resource("shop://wages", ()) is None
    assert served(box).find_resource("shop://wages", ("admin",)) is not None
