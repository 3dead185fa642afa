"""`toolwright generate`: what it writes where, how it ends, and that what it wrote runs."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from tests.wire.cli.test_generate import SHOP
from tests.wire.command_files import here
from tests.wire.processes import good, run_script


def imported(file):
    spec = importlib.util.spec_from_file_location(f"written_{Path(file).stem}", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_what_was_written_runs_wherever_it_is(here):
    here({"shop.py": SHOP})
    Path("sub").mkdir()
    good("generate", "shop.py:box", "--cli", "-o", "sub/client.py")
    assert '"../shop.py:box", beside=__file__' in Path("sub/client.py").read_text()
    client = imported("sub/client.py")
    with client.server:
        (found,) = client.search("bike", limit=3)
        assert (found.name, found.price, found.tags) == ("bike", 3.0, ["name"])
        assert client.orders_buy(found) == client.OrdersBuyResult(**vars(found))
        assert client.orders_buy({"name": "x", "price": 500}) is None
        assert client.say("hello") == "hello"
        from toolwright import ToolError

        with pytest.raises(ToolError, match="too expensive"):
            client.orders_buy({"name": "x", "price": 5000})
    done = run_script("client.py", "search", "query=bike", "sort=price", cwd="sub")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [{"name": "bike", "price": 10.0, "tags": ["price"]}]


def test_the_target_may_be_that_of_the_project(here):
    here({"shop.py": SHOP})
    Path("pyproject.toml").write_text('[tool.toolwright]\ntarget = "shop.py"\n')
    assert good("generate", "-o", "client.py") == "3 functions written to client.py\n"
    client = imported("client.py")
    with client.server:
        assert client.say("hello") == "hello"


def test_the_target_may_be_a_server_of_a_file(here):
    here({"shop.py": SHOP})
    words = ["-m", "toolwright", "serve", str(Path("shop.py").resolve())]
    entry = {"mcpServers": {"far": {"command": sys.executable, "args": words}}}
    Path("mcp.json").write_text(json.dumps(entry))
    assert (
        good("generate", "mcp.json:far", "-o", "client.py") == "3 functions written to client.py\n"
    )
    client = imported("client.py")
    with client.server:
        assert client.say("hello") == "hello"
