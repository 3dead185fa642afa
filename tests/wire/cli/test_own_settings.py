"""What a file gives to its own `serve` is not dropped by the command."""

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Http, Stdio, refused

__all__ = ["here"]  # a fixture

FILE = """
import os
from toolwright import Toolbox, Caller
box = Toolbox("own")
PORT = 9123

@box.tool
def add(a: int) -> int:
    return a

def main():
    box.serve({given})

"""
MAIN = "if __name__ == '__main__':\n    "


@pytest.mark.promise("serve.own-settings")
@pytest.mark.parametrize("place", ["main", "module", "under", "async"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('"http", tokens="hush-hush"', ["`tokens`", "--token ...", "--no-auth"]),
        ('"http", tokens={os.environ["X"]: Caller("ada")}', ["`tokens`", "--token ..."]),
        ('"http", port=9000', ["`port`", "give --port 9000, or run `python own.py`"]),
        ('"http", port=PORT, path="/x"', ["`port` and `path`", "--port 9123 --path /x"]),
        ('"http", stateless=True', ["--stateless"]),
        ('"http", middleware=[print]', ["`middleware`", "no flag", "`python own.py`"]),
        ('transport="http", rate_limit="5/s"', ["--rate-limit 5/s"]),
    ],
)
def test_a_setting_that_would_be_dropped_is_refused(here, given, said, place):
    text = FILE.replace("{given}", given)
    if place != "main":
        text = text.split("def main", maxsplit=1)[0]
        ending = {
            "module": f"if 'X' in os.environ:\n    box.serve({given})\n",
            "under": f"{MAIN}box.serve({given})\n",
            "async": f"{MAIN}import asyncio\n    asyncio.run(box.serve_async({given}))\n",
        }
        text += ending[place]
    here({"own.py": text})
    line = refused(2, "serve", "own.py", "--http")
    assert line.startswith("toolwright: own.py:"), line
    assert all(each in line for each in said), line
    assert "hush" not in line


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ('"http", tokens="hush-hush"', ["--token", "other-token"]),
        ('"http", tokens="hush-hush"', ["--no-auth"]),
        ('"http", path="/mcp", host="127.0.0.1"', []),
        ('"http", port=9000', []),  # the tests give --port
        ('"http", log_level="info"', []),
        ('"http", allowed=1', []),
        ("", []),
    ],
)
def test_what_was_said_otherwise_is_served(here, given, flags):
    here({"own.py": FILE.replace("{given}", given)})
    with Http("own.py", *flags) as server:
        assert server.process.poll() is None


@pytest.mark.promise("serve.own-settings")
def test_stdio_has_its_own(here):
    here({"own.py": FILE.replace("{given}", '"http", tokens="hush-hush"')})
    with Stdio("own.py") as server:
        assert server.call("add", a=1)["structuredContent"] == {"result": 1}
    here({"own.py": FILE.replace("{given}", "drain=5")})
    assert "give --drain 5" in refused(2, "serve", "own.py")
    with Stdio("own.py", "--drain", "2") as server:
        server.ask("ping")
