"""The JSON under the console, and its page, as any program gets them."""

import asyncio
import contextlib
import json
from typing import Annotated, Any

import httpx2
import pytest
from pydantic import BaseModel, Field

from toolwright import Toolbox, ToolError
from toolwright.serve.access.guard import Caller


class Node(BaseModel):
    name: str
    inner: "list[Node]" = []


TOKENS = {"token-of-ada": Caller("ada", ("ops",)), "token-of-bob": Caller("bob", ())}


@pytest.fixture
def box():
    box = Toolbox("shop", version="1.0", instructions="Sells *bikes*.")

    @box.tool(read_only=True, tags=["search"])
    def search(query: str, limit: int = 10) -> list[str]:
        """Search the catalogue.

        Args:
            query: Free text.
        """
        return [query] * limit

    @box.tool(roles=["ops"])
    def refund(order: int) -> str:
        """Give the money back."""
        return f"refunded {order}"

    @box.tool
    def fail(secret_word: str) -> str:
        """Fail."""
        raise ToolError("it failed")

    @box.resource("shop://product/{name}")
    def product(name: str) -> str:
        """Read about a product."""
        return name

    @box.prompt
    def advise(topic: str) -> str:
        """Ask for advice."""
        return topic

    return box


@contextlib.asynccontextmanager
async def client(app, **headers):
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://localhost", headers=headers
    ) as client:
        yield client
    await app.close()


def asked(box, *paths, token="", **settings) -> list[Any]:
    """What the API answers to each path: the status, and the JSON."""

    async def run():
        sent = {"authorization": f"Bearer {token}"} if token else {}
        async with client(box.asgi(console=True, **settings), **sent) as browser:
            answers = [await browser.get(f"/console/{path}") for path in paths]
        return [(answer.status_code, answer.json()) for answer in answers]

    return asyncio.run(run())


@pytest.mark.promise("console.api")
def test_the_api_tells_what_the_page_shows(box):
    (_, about), (_, catalog), (_, judged), (_, tool), (_, examined) = asked(
        box,
        "api/about",
        "api/catalog",
        "api/judged",
        "api/tool?name=search",
        "api/doctor?name=search",
    )
    assert (about["name"], about["version"], about["path"]) == ("shop", "1.0", "/mcp")
    listed = {entry["name"]: entry for entry in catalog["tools"]}
    assert listed["search"]["summary"] == "Search the catalogue."
    assert listed["search"]["tags"] == ["search"]
    assert [entry["uriTemplate"] for entry in catalog["resources"]] == ["shop://product/{name}"]
    assert [entry["name"] for entry in catalog["prompts"]] == ["advise"]
    assert judged["tools"]["search"]["tokens"] > 0
    assert {finding["id"] for finding in judged["tools"]["search"]["findings"]} >= {
        "undocumented_param"
    }
    assert tool["signature"] == "search(query: str, limit: int = 10) -> list[str]"
    assert [parameter["name"] for parameter in tool["parameters"]] == ["query", "limit"]
    assert tool["definition"]["inputSchema"]["required"] == ["query"]
    assert tool["tokens"]["parameters"].keys() == {"query", "limit"}
    assert "undocumented_param" in {finding["id"] for finding in examined["findings"]}
    assert examined["changes"] is None, "without a lock there is nothing to compare"


def test_each_dialect_is_shown_with_what_it_loses(box):
    @box.tool
    def pick(word: Annotated[str, Field(pattern="^a", max_length=9)], at: Node) -> str:
        """Pick."""
        return ""

    names = asked(box, "api/about")[0][1]["dialects"]
    answers = asked(box, *(f"api/dialect?name=pick&dialect={name}" for name in names))
    assert {status for status, _ in answers} == {200}
    assert all(answer["definition"] for _, answer in answers)
    by_name = dict(zip(names, (answer for _, answer in answers), strict=True))
    assert by_name["mcp"]["losses"] == []
    lost = [answer["losses"] for answer in by_name.values() if answer["losses"]]
    assert lost, "a recursive argument cannot be said to everybody"
    assert {loss["path"].split(".")[0] for losses in lost for loss in losses} <= {"at", "word", ""}


def test_arguments_are_judged_without_a_run(box):
    async def run():
        async with client(box.asgi(console=True)) as browser:
            bodies = [
                {"name": "search", "arguments": {"query": 3, "limi": 1}},
                {"name": "search", "arguments": {"query": "a", "limit": "2"}},
                {"name": "search", "arguments": {"query": "a"}},
                {"name": "nope", "arguments": {}},
                ["name"],
            ]
            return [await browser.post("/console/api/check", json=body) for body in bodies]

    refused, repaired, good, unknown, odd = asyncio.run(run())
    assert refused.json()["accepted"] is False
    assert [fault["path"] for fault in refused.json()["faults"]] == [["query"], ["limi"]]
    assert repaired.json()["accepted"] is True
    assert repaired.json()["repairs"][0]["path"] == ["limit"]
    assert good.json() == {"accepted": True, "faults": [], "repairs": []}
    assert (unknown.status_code, odd.status_code) == (404, 400)
    assert "error" in odd.json()


@pytest.mark.promise("console.roles")
def test_the_console_goes_by_the_rules_of_the_tools(box):
    nobody = asked(box, "api/catalog", tokens=TOKENS)[0]
    assert nobody[0] == 401
    ada = asked(box, "api/catalog", "api/tool?name=refund", token="token-of-ada", tokens=TOKENS)
    bob = asked(box, "api/catalog", "api/tool?name=refund", token="token-of-bob", tokens=TOKENS)
    names = [{entry["name"] for entry in answers[0][1]["tools"]} for answers in (ada, bob)]
    assert names == [{"search", "refund", "fail"}, {"search", "fail"}]
    assert (ada[1][0], bob[1][0]) == (200, 404)
    assert "refund" not in json.dumps(bob[1][1]).replace("`refund`", "")


def test_a_page_of_another_origin_gets_nothing(box):
    async def run():
        async with client(box.asgi(console=True), origin="https://evil.example") as browser:
            api = await browser.get("/console/api/catalog")
            page = await browser.get("/console/")
        async with client(box.asgi(console=True)) as browser:
            rebound = await browser.get("/console/api/catalog", headers={"host": "evil.example"})
        return api.status_code, page.status_code, rebound.status_code

    assert asyncio.run(run()) == (403, 403, 421)


@pytest.mark.promise("console.policy")
def test_the_page_is_sent_with_a_strict_policy(box):
    async def run():
        async with client(box.asgi(console=True, tokens=TOKENS)) as browser:
            bare = await browser.get("/console", follow_redirects=False)
            page = await browser.get("/console/")
            script = await browser.get("/console/console.js")
            others = [
                await browser.get(f"/console/{name}")
                for name in ("nope.js", "..%2f__init__.py", ".hidden", "a/b")
            ]
        return bare, page, script, others

    bare, page, script, others = asyncio.run(run())
    assert (bare.status_code, bare.headers["location"]) == (307, "console/")
    assert page.status_code == 200, "the page itself says nothing about the tools"
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "<script>" not in page.text
    assert script.headers["content-type"].startswith("text/javascript")
    assert {answer.status_code for answer in others} == {404}


def test_there_is_no_console_unless_it_is_asked_for(box):
    async def run():
        app = box.asgi()
        async with client(app) as browser:
            return [await browser.get(path) for path in ("/console/", "/console/api/about")]

    assert {answer.status_code for answer in asyncio.run(run())} == {404}


@pytest.mark.promise("console.browser")
def test_a_browser_that_opens_the_endpoint_gets_a_page(box):
    async def run(**settings):
        async with client(box.asgi(**settings), accept="text/html,*/*;q=0.8") as browser:
            return await browser.get("/mcp")

    plain, shown = asyncio.run(run()), asyncio.run(run(console=True))
    assert plain.status_code == shown.status_code == 200
    assert "MCP server" in plain.text
    assert "/console/" not in plain.text
    assert 'href="/console/"' in shown.text


def test_what_changes_is_shown_at_once(box):
    async def run():
        async with client(box.asgi(console=True)) as browser:
            before = await browser.get("/console/api/judged")

            @box.tool
            def later(a: int) -> int:
                """Come later."""
                return a

            after = await browser.get("/console/api/judged")
        return before.json()["tools"], after.json()["tools"]

    before, after = asyncio.run(run())
    assert "later" not in before
    assert after["later"]["findings"]


def test_a_refused_tool_is_said_and_the_rest_is_shown(box):
    @box.tool
    def bad(word: Annotated[str, Field(pattern="^(?=a)a")]) -> str:
        """Be refused."""
        return ""

    (_, catalog), (_, judged) = asked(box, "api/catalog", "api/judged")
    assert "bad" not in {entry["name"] for entry in catalog["tools"]}
    assert [finding["tool"] for finding in judged["others"]] == ["bad"]
    assert "look-around" in judged["others"][0]["message"]


# -- live figures


def figures_after(box, calls, token="", **settings):
    """The live figures after some calls over the same app, seen with a token."""

    async def run():
        async with client(box.asgi(console=True, **settings)) as browser:
            for name, arguments in calls:
                params = {
                    "name": name,
                    "arguments": arguments,
                    "_meta": {
                        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                        "io.modelcontextprotocol/clientCapabilities": {},
                    },
                }
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                sent = {
                    "accept": "application/json, text/event-stream",
                    "mcp-protocol-version": "2026-07-28",
                    "mcp-method": "tools/call",
                    "mcp-name": name,
                    **({"authorization": "Bearer token-of-ada"} if "tokens" in settings else {}),
                }
                await browser.post("/mcp", json=body, headers=sent)
            sent = {"authorization": f"Bearer {token}"} if token else {}
            return (await browser.get("/console/api/live", headers=sent)).json()

    return asyncio.run(run())


@pytest.mark.promise("console.live")
def test_figures_of_a_running_server(box):
    calls = [("search", {"query": "a"}), ("fail", {"secret_word": "hush"}), ("made_up", {})]
    live = figures_after(box, calls)
    assert live["tools"]["search"]["calls"] == 1
    assert live["tools"]["fail"]["errors"] == 1
    assert sum(live["tools"]["search"]["histogram"]) == 1
    assert "made_up" not in json.dumps(live), "callers could make up any number of names"
    assert sum(live["refusals"].values()) == 1
    assert [call["name"] for call in live["recent"]] == ["fail", "search"]
    assert [call["outcome"] for call in live["recent"]] == ["tool_error", "ok"]
    assert live["recent"][1]["received"] > 0


@pytest.mark.promise("console.arguments")
def test_arguments_of_calls_are_shown_to_one_role_only(box):
    calls = [("fail", {"secret_word": "hush"})]
    assert "hush" not in json.dumps(figures_after(box, calls))
    settings = {"tokens": TOKENS, "console_role": "ops"}
    assert "hush" in json.dumps(figures_after(box, calls, "token-of-ada", **settings))
    assert "hush" not in json.dumps(figures_after(box, calls, "token-of-bob", **settings))


def test_figures_go_by_roles(box):
    calls = [("refund", {"order": 7}), ("search", {"query": "a"})]
    ada = figures_after(box, calls, "token-of-ada", tokens=TOKENS)
    bob = figures_after(box, calls, "token-of-bob", tokens=TOKENS)
    assert ada["tools"].keys() == {"refund", "search"}
    assert bob["tools"].keys() == {"search"}
    assert [call["name"] for call in bob["recent"]] == ["search"]
