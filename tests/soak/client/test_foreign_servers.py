"""Servers nobody here wrote: the reference servers of npm, FastMCP, the SDK; and proxies of them."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.wire.client.ports import reserved_port
from tests.wire.clients import MODULES, needs_clients, node
from toolwright import Toolbox, ToolError
from toolwright.client import connect

SDK = """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("sums")
@server.tool()
def add(a: int, b: int = 1) -> int:
    "Add two numbers."
    return a + b
@server.tool()
def fail() -> str:
    raise ValueError("no")
@server.resource("sums://last")
def last() -> str:
    return "5"
@server.prompt()
def ask(topic: str) -> str:
    return f"Tell me about {topic}."
server.run("streamable-http", port=int(sys.argv[1])) if len(sys.argv) > 1 else server.run()
"""
FASTMCP = """
import sys
from fastmcp import FastMCP, Context
server = FastMCP("sums")
@server.tool
def add(a: int, b: int = 1) -> int:
    "Add two numbers."
    return a + b
@server.tool
def fail() -> str:
    raise ValueError("no")
@server.tool
async def report(context: Context) -> str:
    await context.report_progress(1, 2)
    return "done"
@server.resource("sums://last")
def last() -> str:
    return "5"
@server.prompt
def ask(topic: str) -> str:
    return f"Tell me about {topic}."
if len(sys.argv) > 1:
    server.run("http", port=int(sys.argv[1]), show_banner=False)
else:
    server.run(show_banner=False)
"""


@pytest.fixture(scope="module", params=["sdk", "fastmcp"])
def script(request, tmp_path_factory):
    made = tmp_path_factory.mktemp("foreign") / f"{request.param}_server.py"
    made.write_text(SDK if request.param == "sdk" else FASTMCP)
    return made


@pytest.fixture(scope="module")
def url(script):
    port = reserved_port()
    command = [sys.executable, str(script), str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        for _ in range(3000):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.02)
        yield f"http://127.0.0.1:{port}/mcp"
        server.terminate()


def check_sums(client, prefix=""):
    given = client[f"{prefix}add"](2, b=3)
    # The SDK marks its boxes by a title alone, which names the tool as it was.
    assert (given.result if prefix and not isinstance(given, int) else given) == 5
    assert client.call(f"{prefix}add", {"a": 2}).text == "3"
    with pytest.raises(ToolError):
        client[f"{prefix}fail"]()
    assert client.read("sums://last") == "5"
    text = client.prompt(f"{prefix}ask", topic="bikes")[0]["content"]["text"]
    assert text == "Tell me about bikes."


@pytest.mark.parametrize("era", ["auto", "handshake"])
def test_python_servers_over_stdio_and_http(script, url, era):
    for target in (script, url):
        with connect(target, era=era) as client:
            check_sums(client)
            hub = Toolbox("hub")
            hub.include(client, prefix="far_")
            with connect(hub) as front:
                check_sums(front, "far_")


def everything():
    return [node(), str(MODULES / "server-everything" / "dist" / "index.js")]


@pytest.mark.parametrize("era", ["auto", "handshake"])
def test_the_reference_server_of_everything(era):
    needs_clients()
    steps = []
    handlers = {
        "on_progress": lambda *step: steps.append(step),
        "on_log": lambda *line: None,  # it logs when it likes
        "on_form": lambda message, schema: {"name": "Ada"},
        "on_sample": lambda request: "sampled",
        "roots": [str(Path.cwd())],
    }
    with connect(everything(), era=era, **handlers) as client:
        check_everything(client)
        assert steps[-1][:2] == (2, 2)
        hub = Toolbox("hub")
        hub.include(client)
        with connect(hub, **handlers) as front:
            check_everything(front)


def check_everything(client):
    assert client.echo(message="hi") == "Echo: hi"
    assert client.get_sum(a=1, b=2) == "The sum of 1 and 2 is 3."
    assert client.get_structured_content(location="Chicago").humidity > 0
    assert client.call("get-tiny-image").content[1]["type"] == "image"
    links = client.call("get-resource-links", {"count": 2}).content
    assert [each["type"] for each in links] == ["text", "resource_link", "resource_link"]
    found = client.call("get-resource-reference", {"resourceType": "Text", "resourceId": 1})
    assert found.content[1]["type"] == "resource"
    noted = client.call("get-annotated-message", {"messageType": "error"}).content[0]
    assert noted["annotations"]["priority"] == 1
    assert "completed" in client.trigger_long_running_operation(duration=0.2, steps=2)
    assert "Ada" in client.call("trigger-elicitation-request").text
    assert "sampled" in client.trigger_sampling_request(prompt="x")
    assert len(client.resources) > 3
    assert client.read("demo://resource/dynamic/text/7").startswith("Resource 7")
    assert client.prompt("args-prompt", city="Bonn")[0]["role"] == "user"


def test_the_reference_servers_of_files_and_of_memory(tmp_path):
    needs_clients()
    (tmp_path / "a.txt").write_text("hello")
    files = [node(), str(MODULES / "server-filesystem" / "dist" / "index.js"), str(tmp_path)]
    memory = [node(), str(MODULES / "server-memory" / "dist" / "index.js")]
    store = {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}
    hub = Toolbox("hub")
    hub.include(connect(files), prefix="files_")
    hub.include(connect(memory, env=store), prefix="memory_")
    with connect(files) as one, connect(memory, env=store) as two, connect(hub) as both:
        assert one.read_text_file(str(tmp_path / "a.txt")).content == "hello"
        assert one.list_directory(path=str(tmp_path)).content == "[FILE] a.txt"
        with pytest.raises(ToolError, match="denied"):
            one.read_text_file("/etc/passwd")
        two.create_entities([{"name": "Ada", "entityType": "person", "observations": ["x"]}])
        assert [each.name for each in two.read_graph().entities] == ["Ada"]
        assert both.files_read_text_file(str(tmp_path / "a.txt")).content == "hello"
        assert [each.name for each in both.memory_read_graph().entities] == ["Ada"]


def test_the_reference_server_over_http():
    needs_clients()
    port = reserved_port()
    command = [*everything(), "streamableHttp"]
    import os

    environment = {**os.environ, "PORT": str(port)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(3000):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.02)
            handlers = {"on_form": lambda *_: {"name": "Ada"}, "on_sample": lambda _: "sampled"}
            with connect(f"http://127.0.0.1:{port}/mcp", **handlers) as client:
                check_everything(client)
        finally:
            server.terminate()
