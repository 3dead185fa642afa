"""`enabled=`: what a function of the call keeps from a caller does not exist for them."""

import json
from typing import Annotated

import pytest
from pydantic import Field

from tests.unit.serve.guarded_shop import ERAS, HIDDEN, PATHS, TOKENS, answers, is_ada, run, shop
from tests.wire.differential import Talk, hello, line_of, modern, request
from tests.wire.era_client import Client
from toolwright import Toolbox
from toolwright.serve.access.guard import Caller


@pytest.mark.promise("serve.enabled-hidden")
@ERAS
@PATHS
def test_what_is_off_is_answered_like_what_does_not_exist(modern, short):
    async def go():
        said = []
        for hidden in (True, False):
            app = shop(hidden=hidden).asgi(tokens=TOKENS, short=short)
            # The cache has a result of ada's: it is not for bob.
            await answers(app, "admin-token", modern, HIDDEN[7:8])
            said.append(await answers(app, "plain-token", modern, HIDDEN))
            await app.close()
        for asked, with_it, without_it in zip(HIDDEN, *said, strict=True):
            assert with_it == without_it, asked

    run(go())


@pytest.mark.promise("serve.enabled")
@ERAS
@PATHS
def test_what_is_on_is_there(modern, short):
    async def go():
        app = shop().asgi(tokens=TOKENS, short=short)
        said = await answers(app, "admin-token", modern, HIDDEN)
        await app.close()
        tools = [tool["name"] for tool in said[0]["tools"]]
        assert tools == ["delete_one", "delete_everything", "audited", "recounted"]
        assert [each["uri"] for each in said[1]["resources"]] == ["shop://prices", "shop://wages"]
        assert len(said[2]["resourceTemplates"]) == 2
        assert [each["name"] for each in said[3]["prompts"]] == ["greet", "dismiss"]
        assert "`delete_everything`?" in said[5]["message"]
        assert said[7]["content"][0]["text"] == "1"
        assert said[9]["content"][0]["text"] == "done"
        assert said[10]["message"].startswith("unknown tool `retired`")
        assert said[11]["contents"][0]["text"] == "secret wages"
        assert said[13]["contents"][0]["text"] == "secret ada"
        assert said[16]["completion"]["values"] == ["ada", "bob"]
        assert said[17]["completion"]["values"] == ["ada", "bob"]

    run(go())


def test_headers_that_repeat_arguments_do_not_name_what_is_off():
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


@ERAS
@PATHS
def test_a_header_decides_from_request_to_request(modern, short):
    seen = []

    def in_team(call):
        seen.append((call.kind, call.tool, call.caller, call.request_id is not None))
        return call.headers.get("x-team") == "blue"

    box = Toolbox("teams")

    @box.tool(enabled=in_team)
    def plan(
        region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})] = "eu",
    ) -> str:
        return region

    async def go():
        app = box.asgi(short=short)
        client = Client(app, modern=modern)
        for team, names in (("blue", ["plan"]), ("red", []), ("blue", ["plan"])):
            listed = await client.ask("tools/list", {"x-team": team})
            assert [tool["name"] for tool in listed["tools"]] == names
            repeated = {"x-team": team, "mcp-param-region": "us"}
            said = await client.ask("tools/call", repeated, name="plan", arguments={"region": "us"})
            assert ("content" in said) is bool(names)
        await app.close()

    run(go())
    assert {each[:3] for each in seen} == {("tool", "plan", None)}


@pytest.mark.promise("serve.enabled-roles")
def test_roles_and_the_function_must_both_agree():
    asked = []

    def note(call):
        asked.append(call.caller)
        return call.caller != "eve"

    box = Toolbox("both")

    @box.tool(roles=["admin"], enabled=note)
    def both() -> int:
        return 1

    tokens = {**TOKENS, "other-token": Caller("eve", ("admin",))}

    async def go():
        app = box.asgi(tokens=tokens)
        found = {}
        for token, caller in tokens.items():
            listed = await Client(app, token).ask("tools/list")
            found[caller.name] = [tool["name"] for tool in listed["tools"]]
        await app.close()
        return found

    assert run(go()) == {"ada": ["both"], "bob": [], "eve": []}
    assert asked == ["ada", "eve"]


def counted(n: int = 0) -> int:
    return n


@ERAS
def test_pages_count_only_what_is_there(modern):
    box = Toolbox("pages", page_size=2)
    for at in range(6):
        box.add(counted, name=f"t{at}", enabled=is_ada if at % 2 else True)

    async def pages(app, token):
        client, names, cursor = Client(app, token, modern=modern), [], {}
        while True:
            page = await client.ask("tools/list", **cursor)
            names.append([tool["name"] for tool in page["tools"]])
            if "nextCursor" not in page:
                return names
            cursor = {"cursor": page["nextCursor"]}

    async def go():
        app = box.asgi(tokens=TOKENS)
        assert await pages(app, "admin-token") == [["t0", "t1"], ["t2", "t3"], ["t4", "t5"]]
        assert await pages(app, "plain-token") == [["t0", "t2"], ["t4"]]
        await app.close()

    run(go())


@PATHS
@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_over_stdio_it_is_asked_too(era, short):
    box = Toolbox("box")

    @box.tool(enabled=lambda call: call.request_id != "2" and call.caller is None)
    def often() -> int:
        return 1

    @box.resource("box://often", enabled=lambda call: call.request_id != "2")
    def read() -> str:
        return "x"

    make = modern if era == "2026-07-28" else request
    first = modern("server/discover", number=9) if era == "2026-07-28" else hello()

    async def go():
        said = {}
        async with Talk(box, short=short, tally={"short": 0, "sdk": 0}) as talk:
            await talk.ask(line_of(first))
            for number in (1, 2):
                asked = [
                    make("tools/list", number=number),
                    make("tools/call", {"name": "often", "arguments": {}}, number=number),
                    make("resources/list", number=number),
                ]
                said[number] = [json.loads((await talk.ask(line_of(each)))[-1]) for each in asked]
        return said

    said = run(go())
    assert [tool["name"] for tool in said[1][0]["result"]["tools"]] == ["often"]
    assert said[1][1]["result"]["content"][0]["text"] == "1"
    assert len(said[1][2]["result"]["resources"]) == 1
    assert said[2][0]["result"]["tools"] == []
    assert said[2][1]["error"]["message"] == "unknown tool `often`"
    assert said[2][2]["result"]["resources"] == []
