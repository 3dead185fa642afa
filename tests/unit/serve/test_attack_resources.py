"""URIs of resources as an attack: other people's files, and time on the event loop."""

import asyncio
from typing import Annotated

import pytest

from tests.wire.era_client import Client
from toolwright import Toolbox
from toolwright.markers import Complete

ERAS = pytest.mark.parametrize("modern", [True, False], ids=["modern", "legacy"])


def docs(folder):
    box = Toolbox("docs")

    @box.resource("docs://{name}")
    def read(name: str) -> str:
        return (folder / name).read_text()

    @box.resource("tree://{path*}")
    def tree(path: str) -> str:
        return (folder / path).read_text()

    @box.resource("logs://{year}-{month}-{day}.csv")
    def log(year: int, month: int, day: int) -> str:
        return f"{year} {month} {day}"

    @box.prompt
    def ask(
        endless: Annotated[str, Complete(lambda begun: iter(int, 1))],
        broken: Annotated[str, Complete(lambda begun: 1 / 0)] = "",
        listed: Annotated[str, Complete(["a"] * 1000)] = "",
    ) -> str:
        return endless

    return box


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret").write_text("secret")
    inner = tmp_path / "public"
    (inner / "sub").mkdir(parents=True)
    (inner / "readme").write_text("hello")
    (inner / "sub" / "page").write_text("page")
    return inner


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


@ERAS
def test_no_way_of_writing_a_uri_leads_out_of_a_folder(folder, modern):
    outside = str(folder.parent / "secret")
    encoded = outside.replace("/", "%2f")
    attacks = [
        *("docs://" + each for each in (outside, encoded, "..%2fsecret", "%2e%2e%2fsecret")),
        *("tree://" + each for each in (outside, encoded, "../secret", "%2e%2e/secret")),
        *(
            "tree://" + each
            for each in ("sub/../../secret", "sub%2f..%2f..%2fsecret", "..\\secret")
        ),
        *(
            "docs://" + each
            for each in ("sub%2fpage", "sub/page", "%2e%2e", "readme%00", "readme?x")
        ),
    ]

    async def go():
        app = docs(folder).asgi()
        client = Client(app, modern=modern)
        for uri in attacks:
            said = await client.ask("resources/read", uri=uri)
            assert said["message"] == f"unknown resource `{uri}`"
            assert said["code"] == (-32602 if modern else -32002)
        for uri, text in (("docs://readme", "hello"), ("tree://sub/page", "page")):
            said = await client.ask("resources/read", uri=uri)
            assert said["contents"][0]["text"] == text
        await app.close()

    run(go())


@ERAS
def test_a_long_uri_takes_no_time_and_is_not_said_back(folder, modern):
    async def go():
        app = docs(folder).asgi()
        client = Client(app, modern=modern)
        for dashes in (2_000, 8_000, 1_000_000):
            uri = "logs://" + "-" * dashes
            said = await client.ask("resources/read", {"mcp-name": uri}, uri=uri)
            assert len(said["message"]) < 200
            assert ("data" in said) is (dashes < 8_192)
        if not modern:
            said = await client.ask("resources/subscribe", uri="logs://" + "-" * 10_000)
            assert said["code"] == -32002
        said = await client.ask("resources/read", uri="logs://2026-7-28.csv")
        assert said["contents"][0]["text"] == "2026 7 28"
        await app.close()

    run(go())


@ERAS
def test_completing_ends_whatever_an_author_gives_and_a_caller_types(folder, modern):
    async def go():
        app = docs(folder).asgi()
        client = Client(app, modern=modern)

        async def complete(name, value=""):
            ref = {"type": "ref/prompt", "name": "ask"}
            argument = {"name": name, "value": value}
            return await client.ask("completion/complete", ref=ref, argument=argument)

        assert (await complete("endless"))["completion"]["hasMore"] is True
        assert (await complete("broken"))["message"] == "`broken` cannot be completed now"
        assert (await complete("listed", "b" * 3_000_000))["completion"]["values"] == []
        assert (await complete("nothing"))["completion"]["values"] == []
        await app.close()

    run(go())
