"""Programs that nobody here wrote are read as their own help describes them."""

import asyncio
import http.server
import json
import threading

import mcp
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.unit.sources.programs.real_programs import compared, installed
from tests.wire.processes import COMMAND
from toolwright.sources.script_program import capture

LEAST = {
    "flask": ("click", 4, 20),
    "black": ("click", 1, 30),
    "httpx": ("click", 1, 16),
    "pip": ("optparse", 18, 500),
    "yt-dlp": ("optparse", 1, 240),
    "dvc": ("argparse", 90, 600),
    "twine": ("argparse", 4, 30),
    "pre-commit": ("argparse", 15, 80),
    "mkdocs": ("click", 5, 50),
    "celery": ("click", 30, 110),
}
"""The framework, and how many commands and long flags there are at least."""


@pytest.mark.parametrize("name", LEAST)
def test_every_flag_in_the_help_of_a_program_is_read_rightly(name, tmp_path, record_property):
    program = capture(installed(name), seconds=300)
    count, wrong, only_read = compared(program, tmp_path)
    commands = list(program.root.walk())
    parameters = [p for each in commands for p in each.parameters if not p.hidden]
    typed = [each for each in parameters if each.schema != {"type": "string"} or each.type_name]
    row = {
        "program": f"{name} {program.version}".strip(),
        "framework": program.framework,
        "commands": len(commands),
        "parameters": len(parameters),
        "with a type": len(typed),
        "flags in help": count,
        "wrong": len(wrong),
        "not in help": len(only_read),
    }
    print(json.dumps(row))
    record_property("row", row)
    framework, least_commands, least_flags = LEAST[name]
    assert wrong == []
    assert program.left_out == ()
    assert program.framework == framework
    assert len(commands) >= least_commands
    assert count >= least_flags


def test_a_program_of_rich_click_does_nothing_when_it_is_read(tmp_path):
    mark = tmp_path / "mark"
    script = tmp_path / "wipe"
    script.write_text(
        f"#!{installed('python')}\nimport pathlib\nimport rich_click\n@rich_click.command()\n"
        "@rich_click.option('--force', is_flag=True)\n"
        f"def wipe(force): pathlib.Path({str(mark)!r}).write_text('it ran')\nwipe()\n"
    )
    assert [each.name for each in capture(script).root.parameters] == ["force"]
    assert not mark.exists()
    names = {each.name for each in capture(installed("bump-my-version")).root.commands}
    assert {"bump", "show", "replace"} <= names


PAGE = b"hello from here"
APP = (
    "from flask import Flask\napp = Flask(__name__)\n@app.get('/orders')\ndef orders(): return ''\n"
)
CALLS = {
    "flask": ("routes", {"app": "shop"}, "/orders"),
    "black": ("", {"code": "x  =  {  'a':1 }"}, 'x = {"a": 1}'),
    "httpx": ("", {"url": "{address}"}, PAGE.decode()),
    "pip": ("show", {"args": ["flask"]}, "Name: Flask"),
    "yt-dlp": ("", {"list_extractors": True}, "youtube"),
    "dvc": ("init", {"no_scm": True}, "Initialized DVC repository"),
    "twine": ("check", {"dists": ["nothing.whl"]}, None),
    "pre-commit": ("sample-config", {}, "repos:"),
    "mkdocs": ("new", {"project_directory": "--site"}, "Writing config file"),
    "celery": ("report", {}, "software -> celery"),
}
"""A command of each, by the words behind the program's name; what is sent, and what it says.

None stands for a failure, which is an error with an exit code.
"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("name", CALLS)
def test_a_program_works_through_a_client(name, address, tmp_path):
    words, sent, said = CALLS[name]
    (tmp_path / "shop.py").write_text(APP)
    sent = json.loads(json.dumps(sent).replace("{address}", address))
    chosen = ["--select", words] if words else []

    async def talk():
        command = ["serve", str(installed(name)), "--script", "--folder", str(tmp_path), *chosen]
        server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], *command])
        async with stdio_client(server) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()
            (tool,) = (await session.list_tools()).tools
            return await session.call_tool(tool.name, sent)

    result = asyncio.run(talk())
    output = result.structured_content
    if said is None:
        assert (result.is_error, output["exitCode"]) == (True, 1)
        assert output["stdout"] + output["stderr"]
    else:
        assert not result.is_error, output
        assert said in output["stdout"] + output["stderr"]
