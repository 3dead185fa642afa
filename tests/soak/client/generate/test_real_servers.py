"""Modules for servers that nobody here wrote: checkers take them, and they run."""

import importlib.util
import shutil
import sys

import pytest

from tests.wire.client.generate.generated_modules import mypy, ruff
from tests.wire.clients import MODULES, needs_clients, node
from toolwright.client import connect
from toolwright.client.generate.hint_source import text_literal
from toolwright.client.generate.module import ModuleOrigin, generate_module, module_source

SDK = '''
from pydantic import BaseModel
from mcp.server.mcpserver import MCPServer

server = MCPServer("sdk")


class Point(BaseModel):
    x: int
    y: int = 0


@server.tool()
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def move(point: Point, by: list[int] | None = None) -> Point:
    return Point(x=point.x + sum(by or []), y=point.y)


server.run("stdio")
'''
FASTMCP = (
    SDK.replace("mcp.server.mcpserver", "fastmcp")
    .replace("MCPServer", "FastMCP")
    .replace('server.run("stdio")', "server.run(show_banner=False)")
)


def generated(folder, argv):
    """Write the module for a server, have it checked, and import it."""
    with connect(argv) as client:
        tools = [tool.tool for tool in client.tools.values()]
        name = client.server.name
        assert client.problems == {}
    made = generate_module(tools)
    assert made.refused == []
    words = ", ".join(map(text_literal, argv))
    line = f"server = RemoteServer([{words}])"
    lines = [line]
    if len(line) > 88:
        lines = ["server = RemoteServer(", "    [", *(f"        {text_literal(w)}," for w in argv)]
        lines += ["    ]", ")"]
    origin = ModuleOrigin(name, lines, "toolwright generate")
    source = module_source(made, origin, program=True)
    assert ruff(source) == ""
    said = mypy(folder, source)
    assert "Success" in said, said
    spec = importlib.util.spec_from_file_location(folder.name, folder / "shop_module.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.promise("generate.checked")
@pytest.mark.parametrize("source", [SDK, FASTMCP], ids=["sdk", "fastmcp"])
def test_python_servers(tmp_path, source):
    (tmp_path / "served.py").write_text(source)
    module = generated(tmp_path, [sys.executable, str(tmp_path / "served.py")])
    with module.server:
        assert module.add(1) == 2
        assert module.add(1, b=2) == 3
        moved = module.move({"x": 1}, by=[1, 2])
        assert (moved.x, moved.y) == (4, 0)
        assert module.move(moved).x == 4


@pytest.mark.promise("generate.checked")
@pytest.mark.parametrize("name", ["everything", "filesystem", "memory"])
def test_reference_servers(tmp_path, name):
    needs_clients()
    package = MODULES / f"server-{name}" / "dist" / "index.js"
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("hello")
    more = [str(tmp_path / "files")] if name == "filesystem" else []
    assert shutil.which(node())
    module = generated(tmp_path, [node(), str(package), *more])
    with module.server:
        if name == "everything":
            assert "hi" in module.echo("hi")
            total = module.get_sum(1, 2)
            assert "3" in str(total)
        elif name == "filesystem":
            shown = module.read_text_file(str(tmp_path / "files" / "a.txt"))
            assert shown.content == "hello"
        else:
            assert module.read_graph() is not None
