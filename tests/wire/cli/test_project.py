"""`[tool.toolwright]` in pyproject.toml: what the command does without a target."""

import json
from pathlib import Path

import pytest

from tests.wire.command_files import NAMES, SHOP, here
from tests.wire.processes import Http, Stdio, good, refused, run
from toolwright.cli.server_settings import settings_of_project
from toolwright.cli.usage import UsageError
from toolwright.serve.settings import SETTINGS

__all__ = ["here"]  # a fixture

TABLE = '[tool.toolwright]\ntarget = "shop.py"\n'


def names(*arguments, **more):
    return [tool["name"] for tool in json.loads(good("list", *arguments, "--json", **more))]


@pytest.mark.promise("project.no-target")
def test_commands_without_a_target_use_the_project(here, monkeypatch):
    here({"pyproject.toml": TABLE, "deep/er/x": ""})
    monkeypatch.chdir("deep/er")
    assert names() == NAMES
    assert good("call", "add", "a=1", "b=2") == "3\n"
    assert good("call", "add", "--json", '{"a": 4}').startswith("{")
    assert good("call", "--select", "add", "add", "a=1") == "2\n"
    assert good("show", "add").startswith("add(a: int, b: int = 1) -> int\n")
    assert [tool["name"] for tool in json.loads(good("export", "-o", "-"))["tools"]] == NAMES
    entry = json.loads(good("install", "generic"))["mcpServers"]["shop"]
    assert entry["args"][-1] == str(Path("../../pyproject.toml").resolve())
    with Stdio() as server:
        assert server.call("add", a=1)["structuredContent"] == {"result": 2}
    monkeypatch.chdir("/")
    assert names(entry["args"][-1]) == NAMES


def test_a_target_that_is_given_counts_and_the_project_is_not_read(here):
    here({"pyproject.toml": "[tool.toolwright]\nnonsense = 1\n"})
    assert names("shop.py") == NAMES


def test_without_a_project_a_target_is_missing(here):
    here({"pyproject.toml": "[project]\nname = 'x'\n"})
    assert "TARGET" in refused(2, "list")
    assert "has no [tool.toolwright]" in refused(2, "list", "pyproject.toml")


def test_a_module_as_target_is_found_beside_the_file(here, monkeypatch):
    here(
        {"pyproject.toml": '[tool.toolwright]\ntarget = "inner.shop:box"\n', "inner/shop.py": SHOP}
    )
    here({"sub/x": ""})
    monkeypatch.chdir("sub")
    assert names() == NAMES


@pytest.mark.promise("project.tools")
def test_selection_aliases_and_texts(here):
    here(
        {
            "pyproject.toml": TABLE
            + """
select = ["find_orders", "add"]

[tool.toolwright.aliases]
find_orders = "orders.find"

[tool.toolwright.tools."orders.find"]
append = "Orders are those of this year."
parameters.query = "A number or a name."

[tool.toolwright.tools.add]
description = "Sum up."
"""
        }
    )
    tools = {tool["name"]: tool for tool in json.loads(good("list", "--json"))}
    assert list(tools) == ["add", "find_orders"]
    assert tools["add"]["description"] == "Sum up."
    found = tools["find_orders"]
    assert found["description"] == "Find orders.\n\nOrders are those of this year."
    assert found["inputSchema"]["properties"]["query"]["description"] == "A number or a name."
    assert found["annotations"] == {"readOnlyHint": True}
    assert good("call", "find_orders", "query=x") == "<x>\n"
    assert names("--select", "*") == ["add", "find_orders", "orders_drop"]
    assert run("list", "--read-only", "--json").stdout.count('"name"') == 2
    with Stdio() as server:
        assert server.call("find_orders", query="y")["content"][0]["text"] == "<y>"


@pytest.mark.promise("project.serve")
def test_settings_of_the_server_and_flags_that_count_more(here):
    settings = """
[tool.toolwright.serve]
transport = "http"
path = "/tools"
rate_limit = "1000/s"
max_body = 1000
session_idle = 60
hosts = ["tools.example"]
short = false
workers = 1
"""
    here({"pyproject.toml": TABLE + settings})
    with Http() as server:
        data = server.message("tools/list", host="tools.example").replace(b"/mcp", b"/tools")
        assert server.asked(data)[0] == 200
        large = server.message("tools/call", {"name": "add", "arguments": {"a": "x" * 2000}})
        assert server.asked(large.replace(b"/mcp", b"/tools"))[0] == 413
    with Http("--path", "/other") as server:
        data = server.message("tools/list").replace(b"/mcp", b"/other")
        assert server.asked(data)[0] == 200


@pytest.mark.promise("project.refused")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("targett = 1", "[tool.toolwright] has no `targett`; did you mean `target`?"),
        ("zzz = 1", "has no `zzz`; it has target, select"),
        ("target = 3", "`target` must be text; got 3"),
        ("select = 'add'", "needs a target, such as target = \"server.py\""),
        ("target = 'shop.py'\nselect = 3", "`select` must be a list of texts; got 3"),
        ("target = 'shop.py'\nstrict = 'yes'", "`strict` must be true or false; got 'yes'"),
        ("target = 'shop.py'\naliases = {a = 'ad'}", "aliases has `ad`, which is not a tool; did you mean `add`?"),
        ("target = 'shop.py'\naliases = {a = 1}", "`aliases.a` must be text; got 1"),
        ("target = 'shop.py'\naliases = {add = 'orders.find'}", "already in the toolbox"),
        ("target = 'shop.py'\ntools.add.descriptio = 'x'", "has no `descriptio`; did you mean `description`?"),
        ("target = 'shop.py'\ntools.nope.description = 'x'", "tools has `nope`, which is not a tool"),
        ("target = 'gone.py'", "there is no file"),
        ("target = 'shop.py'\nenv_file = 'gone.env'", "gone.env cannot be read: No such file"),
        ("target = ", "is not TOML: "),
    ],
)  # fmt: skip
def test_mistakes_in_the_file(here, text, said):
    here({"pyproject.toml": f"[tool.toolwright]\n{text}\n"})
    assert said in refused(2, "list")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "unknown setting `serve.prot`: did you mean `port`?"),
        ("port = '1'", "`serve.port` must be a whole number; got '1'"),
        ("port = true", "`serve.port` must be a whole number; got True"),
        ("stateless = 1", "`serve.stateless` must be true or false; got 1"),
        ("hosts = 'x'", "`serve.hosts` must be a list of texts; got 'x'"),
        ("transport = 'sse'", '`serve.transport` must be "stdio" or "http"; got \'sse\''),
        ("tls = 'x'", "`serve.tls` must be a list of two files"),
        ("sign_in = {isuer = 'x'}", "`serve.sign_in` must be a table of issuer, audience"),
        ("sign_in = {issuer = 3}", "`serve.sign_in` must be a table whose issuer is text"),
        (
            "tokens = ['x']",
            "`serve.tokens` is a secret: give it with --token or in the environment",
        ),
        ("routes = []", "`serve.routes` is code: give it to `serve`"),
        ("drain = -1", "drain"),
    ],
)
def test_mistakes_in_the_settings_of_the_server(here, text, said):
    transport = "" if "transport" in text else "transport = 'http'\n"
    here({"pyproject.toml": f"{TABLE}[tool.toolwright.serve]\n{transport}{text}\n"})
    assert said in refused(2, "serve")


def test_a_text_of_a_parameter_that_is_not_there_refuses_the_tool(here):
    here({"pyproject.toml": f"{TABLE}tools.add.parameters.c = 'x'\n"})
    done = run("list", "--strict")
    assert done.returncode == 1
    assert "`c`, which it does not take" in done.stderr


def test_every_setting_is_known_here(tmp_path):
    for name in SETTINGS:
        try:
            settings_of_project({name: object()}, tmp_path)
        except UsageError as error:
            assert "unknown" not in str(error)


@pytest.mark.promise("project.env-file")
def test_variables_of_a_file(here, monkeypatch):
    source = "import os\ndef get(name: str) -> str:\n    return os.environ[name]\n"
    env = "# a comment\nA_ONE=1 # more\nexport A_TWO='two # 2'\nA_THREE=\"3\\n3\"\n\nA_FOUR=\nA_FIVE=file\n"
    here({"get.py": source, "my.env": env})
    monkeypatch.setenv("A_FIVE", "set already")
    values = {
        "A_ONE": "1",
        "A_TWO": "two # 2",
        "A_THREE": "3\n3",
        "A_FOUR": "",
        "A_FIVE": "set already",
    }
    for name, value in values.items():
        assert good("call", "get.py", "get", f"name={name}", "--env-file", "my.env") == f"{value}\n"
    here({"pyproject.toml": '[tool.toolwright]\ntarget = "get.py"\nenv_file = "my.env"\n'})
    assert good("call", "get", "name=A_ONE") == "1\n"
    here({"bad.env": "A=1\nsecret value\n"})
    said = refused(2, "list", "get.py", "--env-file", "bad.env")
    assert said == "toolwright: line 2 of bad.env is not NAME=value\n"
    here({"bad.env": "A='secret\n"})
    assert "secret" not in refused(2, "list", "get.py", "--env-file", "bad.env")


def test_a_token_may_stand_in_the_file_of_variables(here):
    here(
        {"pyproject.toml": TABLE + "env_file = '.env'\n[tool.toolwright.serve]\ntransport='http'\n"}
    )
    here({".env": "TOOLWRIGHT_TOKEN=good-token-1\n"})
    with Http() as server:
        assert server.asked(server.message("tools/list"))[0] == 401
        right = server.message("tools/list", authorization="Bearer good-token-1")
        assert server.asked(right)[0] == 200
