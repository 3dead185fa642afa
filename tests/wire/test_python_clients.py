"""Python clients of others, the SDK's and FastMCP's, against servers that are real processes."""

import asyncio
import sys
from pathlib import Path

import fastmcp
import mcp
import mcp_types
import pytest
from fastmcp.client.transports import StdioTransport
from mcp.shared.exceptions import MCPError

from tests.wire import clients, fixtures

FIXTURES = str(Path(__file__).with_name("fixtures.py"))
SERVE = ["-m", "toolwright", "serve", f"{FIXTURES}:box"]
NEW = "2026-07-28"


@pytest.fixture(scope="module", params=["short"])
def switch(request):
    return [] if request.param == "short" else ["--sdk"]


@pytest.fixture(scope="module")
def url(switch):
    command = [sys.executable, *SERVE, *switch, "--http", "--port", "0"]
    with clients.served(command) as url:
        yield url


class Heard:
    """What a client was told and asked meanwhile."""

    def __init__(self):
        self.progress, self.logs, self.asked = [], [], []

    async def on_progress(self, done, total, said):
        self.progress.append((done, total))

    async def on_log(self, params):
        self.logs.append(params.data)

    async def answers(self, context, params):
        self.asked.append(params.message)
        return mcp_types.ElicitResult(action="accept", content=self.content)

    async def answers_fastmcp(self, message, response_type, params, context):
        self.asked.append(message)
        return self.content

    content = {"username": "ada", "email": "ada@example.com"}  # noqa: RUF012 - read only


HTTP = [("mcp", "http"), ("fastmcp", "http")]
STDIO = [("mcp", "stdio"), ("fastmcp", "stdio")]  # each test starts a server


@pytest.fixture(params=[*HTTP], ids="-".join)
def library_and_place(request):
    return request.param


@pytest.fixture
def connect(request, library_and_place, switch):
    """Make a client of one library, connected over one transport."""
    library, place = library_and_place
    arguments = [*SERVE, *switch]

    def of_mcp(mode, heard):
        target = mcp.StdioServerParameters(command=sys.executable, args=arguments)
        if place == "http":
            target = request.getfixturevalue("url")
        return mcp.Client(
            target, mode=mode, elicitation_callback=heard.answers, logging_callback=heard.on_log
        )

    def of_fastmcp(mode, heard):
        target = StdioTransport(sys.executable, arguments, keep_alive=False)
        if place == "http":
            target = request.getfixturevalue("url")
        return fastmcp.Client(
            target, mode=mode, elicitation_handler=heard.answers_fastmcp, log_handler=heard.on_log
        )

    return of_mcp if library == "mcp" else of_fastmcp


def tools_of(listed):
    return [tool.name for tool in getattr(listed, "tools", listed)]


async def called(client, name, arguments=None, **more):
    """Call a tool without the client's own idea of errors."""
    if isinstance(client, fastmcp.Client):
        if "progress_callback" in more:
            more["progress_handler"] = more.pop("progress_callback")
        return await client.call_tool_mcp(name, arguments or {}, **more)
    return await client.call_tool(name, arguments or {}, **more)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("library_and_place", [HTTP[0]], indirect=True, ids="-".join)
def test_everything_that_clients_do(connect, mode):
    heard = Heard()

    async def talk():
        async with connect(mode, heard) as client:
            assert tools_of(await client.list_tools()) == list(fixtures.box)
            text = await called(client, "test_simple_text")
            assert text.content[0].text == "This is a simple text response for testing."
            picture = await called(client, "test_image_content")
            assert picture.content[0].mime_type == "image/png"
            failed = await called(client, "test_error_handling")
            assert failed.is_error
            refused = await called(client, "test_elicitation", {"mesage": "?"})
            assert refused.is_error
            assert "message" in refused.content[0].text
            with pytest.raises(MCPError, match="nothing_like_it"):
                await called(client, "nothing_like_it")
            told = await called(
                client, "test_tool_with_progress", progress_callback=heard.on_progress
            )
            assert not told.is_error
            asked = await called(client, "test_elicitation", {"message": "who?"})
            assert not asked.is_error
            assert "ada" in asked.content[0].text
            read = await client.read_resource("test://template/7/data")
            assert '"id":"7"' in getattr(read, "contents", read)[0].text.replace(" ", "")
            prompt = await client.get_prompt(
                "test_prompt_with_arguments", {"arg1": "one", "arg2": "two"}
            )
            assert "one" in prompt.messages[0].content.text
            many = await asyncio.gather(*(called(client, "test_simple_text") for _ in range(50)))
            assert {each.content[0].text for each in many} == {text.content[0].text}

    asyncio.run(asyncio.wait_for(talk(), 60))
    assert heard.progress == [(0, 100), (50, 100), (100, 100)]
    assert heard.asked == ["who?"]


def test_a_log_reaches_clients_with_a_handshake(connect):
    heard = Heard()

    async def talk():
        async with connect("legacy", heard) as client:
            await called(client, "test_tool_with_logging")
            await called(client, "test_simple_text")

    asyncio.run(asyncio.wait_for(talk(), 60))
    assert len(heard.logs) == 3


def test_a_call_that_its_client_gives_up_harms_no_other(connect):
    async def talk():
        async with connect("auto", Heard()) as client:
            for _ in range(5):
                slow = asyncio.ensure_future(called(client, "test_reconnection"))
                await asyncio.sleep(0)
                slow.cancel()
                await asyncio.gather(slow, return_exceptions=True)
                fine = await called(client, "test_simple_text")
                assert not fine.is_error

    asyncio.run(asyncio.wait_for(talk(), 60))
